//go:build sim

#include "../../kernels/radix_units.cu"
