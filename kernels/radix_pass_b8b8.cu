// The pass of a radix sort for 8-byte keys with 8-byte values.
#include "radix_pass.cuh"

RADIX_PASS(uint64_t, uint64_t, 2, b8b8)
