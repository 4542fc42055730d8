//go:build sim

#include "../../kernels/radix_fold.cu"
