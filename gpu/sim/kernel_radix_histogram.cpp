//go:build sim

#include "../../kernels/radix_histogram.cu"
