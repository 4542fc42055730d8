// The pass of a radix sort for 4-byte keys with 8-byte values.
#include "radix_pass.cuh"

RADIX_PASS(uint32_t, uint64_t, 2, b4b8)
