//go:build sim

#include "../../kernels/scan.cu"
