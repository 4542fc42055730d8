//go:build sim

#include "../../kernels/merge_join.cu"
