//go:build sim

#include "../../kernels/partition_pass.cu"
