//go:build sim

#include "../../kernels/hash_aggregate.cu"
