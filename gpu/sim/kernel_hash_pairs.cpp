//go:build sim

#include "../../kernels/hash_pairs.cu"
