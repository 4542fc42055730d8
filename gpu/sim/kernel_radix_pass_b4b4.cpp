//go:build sim

#include "../../kernels/radix_pass_b4b4.cu"
