//go:build sim

#include "../../kernels/radix_pass_b8b8.cu"
