//go:build sim

#include "../../kernels/hash.cu"
