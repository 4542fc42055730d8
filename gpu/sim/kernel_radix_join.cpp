//go:build sim

#include "../../kernels/radix_join.cu"
