//go:build sim

#include "../../kernels/radix_pass_b4b8.cu"
