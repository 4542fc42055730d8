//go:build sim

#include "../../kernels/sorted_check.cu"
