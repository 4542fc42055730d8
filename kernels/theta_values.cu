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

THETA_VALUES(1, uint32_t, intervals1_u32)
THETA_VALUES(1, uint64_t, intervals1_u64)
#undef THETA_VALUES
