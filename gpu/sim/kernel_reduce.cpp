//go:build sim

#include "../../kernels/reduce.cu"
