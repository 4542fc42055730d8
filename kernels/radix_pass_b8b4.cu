// The pass of a radix sort for 8-byte keys with 4-byte values.
#include "radix_pass.cuh"

RADIX_PASS(uint64_t, uint32_t, 2, b8b4)
