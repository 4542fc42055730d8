//go:build sim

#include "../../kernels/row_numbers.cu"
