// The pass of a radix sort for 4-byte keys with 4-byte values.
#include "radix_pass.cuh"

RADIX_PASS(uint32_t, uint32_t, 3, b4b4)
