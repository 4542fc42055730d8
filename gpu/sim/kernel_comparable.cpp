//go:build sim

#include "../../kernels/comparable.cu"
