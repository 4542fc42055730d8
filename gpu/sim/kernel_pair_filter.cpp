//go:build sim

#include "../../kernels/pair_filter.cu"
