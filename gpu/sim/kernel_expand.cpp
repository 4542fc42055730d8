//go:build sim

#include "../../kernels/expand.cu"
