//go:build sim

#include "../../kernels/merge_path.cu"
