//go:build sim

#include "../../kernels/theta_words.cu"
