//go:build sim

#include "../../kernels/hash_probe.cu"
