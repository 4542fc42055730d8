//go:build sim

#include "../../kernels/run_bounds.cu"
