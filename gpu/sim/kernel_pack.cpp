//go:build sim

#include "../../kernels/pack.cu"
