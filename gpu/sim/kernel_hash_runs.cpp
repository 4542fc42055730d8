//go:build sim

#include "../../kernels/hash_runs.cu"
