// Row pairs of a theta join: 8 bytes a pair.
#include "theta_write.cuh"

#define THETA_WRITE(columns, word, suffix)                                                                           \
  KERNEL((256), gsql_theta_write_##suffix, const word* lows, const word* highs, int64_t ownerStride, int64_t nOwner, \
         const word* others, int64_t otherStride, int64_t nOther, const uint64_t* offsets, uint64_t from, uint64_t to, \
         int64_t ownerFirst, uint32_t* ownerOut, const uint32_t* otherRows, int64_t otherFirst, uint32_t* otherOut) { \
    gsql::thetaWrite<columns, 1>(lows, highs, ownerStride, nOwner, others, otherStride, nOther, {offsets, from, to}, \
                                 {nullptr, ownerFirst, ownerOut}, {{otherRows, otherFirst, otherOut}});              \
  }
#define THETA_WRITES(word, suffix)                   \
  THETA_WRITE(1, word, intervals1_##suffix)          \
  THETA_WRITE(2, word, intervals2_##suffix)          \
  THETA_WRITE(3, word, intervals3_##suffix)          \
  THETA_WRITE(4, word, intervals4_##suffix)

THETA_WRITES(uint32_t, u32)
THETA_WRITES(uint64_t, u64)
#undef THETA_WRITES
#undef THETA_WRITE

// gsql_theta_cuts samples the offsets: out[i] = offsets[min(i*step, n)].
KERNEL((256), gsql_theta_cuts, const uint64_t* offsets, int64_t n, int64_t step, uint64_t* out, int64_t count) {
  for (int64_t i = gsql::globalThread(); i < count; i += gsql::globalThreads()) out[i] = offsets[min(i * step, n)];
}
