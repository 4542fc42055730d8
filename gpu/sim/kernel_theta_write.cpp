//go:build sim

#include "../../kernels/theta_write.cu"
