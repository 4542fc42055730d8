//go:build sim

#include "../../kernels/theta_values.cu"
