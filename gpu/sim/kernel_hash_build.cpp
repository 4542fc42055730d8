//go:build sim

#include "../../kernels/hash_build.cu"
