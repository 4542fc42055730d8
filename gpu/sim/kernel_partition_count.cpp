//go:build sim

#include "../../kernels/partition_count.cu"
