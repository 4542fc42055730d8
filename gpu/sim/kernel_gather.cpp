//go:build sim

#include "../../kernels/gather.cu"
