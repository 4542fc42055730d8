//go:build sim

#include "../../kernels/valid.cu"
