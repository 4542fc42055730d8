//go:build sim

#include "../../kernels/radix_pass.cu"
