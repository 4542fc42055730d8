//go:build sim

#include "../../kernels/merge_expand.cu"
