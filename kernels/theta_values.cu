// Values of a theta join's pairs without row numbers: one 4-byte column of the owning side
// and two of the other, 12 bytes a pair.
#include "theta_write.cuh"

#define THETA_VALUES(columns, word, suffix)                                                                            \
  KERNEL((256), gsql_theta_values_##suffix, const word* lows, const word* highs, int64_t ownerStride, int64_t nOwner,  \
         const word* others, int64_t otherStride, int64_t nOther, const uint64_t* offsets, uint64_t from, uint64_t to, \
         const uint32_t* ownerValues, uint32_t* ownerOut, const uint32_t* otherA, uint32_t* outA, const uint32_t* otherB, \
         uint32_t* outB) {                                                                                             \
    gsql::thetaWrite<columns, 2>(lows, highs, ownerStride, nOwner, others, otherStride, nOther, {offsets, from, to},   \
                                 {ownerValues, 0, ownerOut}, {{otherA, 0, outA}, {otherB, 0, outB}});                  \
  }

#define THETA_VALUES_ALL(word, suffix)         \
  THETA_VALUES(1, word, intervals1_##suffix)   \
  THETA_VALUES(2, word, intervals2_##suffix)   \
  THETA_VALUES(3, word, intervals3_##suffix)   \
  THETA_VALUES(4, word, intervals4_##suffix)

THETA_VALUES_ALL(uint32_t, u32)
THETA_VALUES_ALL(uint64_t, u64)
#undef THETA_VALUES_ALL
#undef THETA_VALUES
