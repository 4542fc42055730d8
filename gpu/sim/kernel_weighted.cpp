//go:build sim

#include "../../kernels/weighted.cu"
