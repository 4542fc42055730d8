//go:build sim

#include "../../kernels/theta_count.cu"
