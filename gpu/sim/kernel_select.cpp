//go:build sim

#include "../../kernels/select.cu"
