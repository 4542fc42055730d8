// Nested-loop theta join, input-bound: how many rows of the other side match each row of
// the owning side.
//
// COUNT, SUM, MIN, MAX and AVG of the join's output follow from the counts (the sum of x
// is that of x * count), and so do semi and anti joins and the output's positions: the
// loop over pairs does nothing but compare and count, whatever is asked.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017), section 4: one side in registers,
// the other in tiles of shared memory. Here a thread owns several rows, so that a value
// read from shared memory serves as many pairs.
//
// Floor: instructions a pair, of which 132 SMs at 1.98 GHz issue 33 T/s, half of that on
// the pipe that compares. 32-bit words: a bound costs a comparison and an addition, narrow
// bounds a subtraction on one pipe and a shifted addition on the other (16.7 T pairs/s);
// K intervals cost 2K+1. 64-bit words double all but the addition.
#include "theta.cuh"

namespace gsql {

constexpr int kThetaThreads = 256;

// Rows of the owning side a thread.
template <class Word>
struct ThetaOwners {
  static constexpr int kValue = sizeof(Word) == 8 ? 4 : 8;
};

// thetaCount adds to counts[i] the matches of owner i among the others, 0 where keep[i] is.
// The grid is ownerTiles blocks for each chunk of otherPerBlock rows, at most 2^32 - 1 of
// them and a multiple of 4.
template <class Predicate, class Word>
__device__ void thetaCount(const Word* lows, const Word* highs, const uint8_t* keep, i64 ownerStride, i64 nOwner,
                           const Word* others, i64 otherStride, i64 nOther, i64 ownerTiles, i64 otherPerBlock, u64* counts) {
  constexpr int K = Predicate::kColumns;
  constexpr int kOwners = ThetaOwners<Word>::kValue;
  constexpr int kItems = Pack<Word>::kItems;
  constexpr int kTile = 8192 / int(sizeof(Word)) / (K > 2 ? 2 : 1);
  using Tile = Pack<Word>[K][kTile / kItems];
  SHARED(Tile, tile);
  i64 firstOwner = i64(blockIdx.x) % ownerTiles * (kThetaThreads * kOwners) + threadIdx.x;
  i64 from = i64(blockIdx.x) / ownerTiles * otherPerBlock;
  i64 to = min(from + otherPerBlock, nOther);

  Predicate rows[kOwners];
  u32 matches[kOwners];
#pragma unroll
  for (int r = 0; r < kOwners; r++) {
    rows[r].load(lows, highs, ownerStride, min(firstOwner + r * kThetaThreads, nOwner - 1));
    matches[r] = 0;
  }
  for (; from < to; from += kTile) {
    int count = int(min(i64(kTile), to - from));
    __syncthreads();
    for (int i = int(threadIdx.x); i < count; i += kThetaThreads) {
#pragma unroll
      for (int c = 0; c < K; c++) tile[c][i / kItems].item[i % kItems] = others[c * otherStride + from + i];
    }
    __syncthreads();
    int packs = count / kItems;
#pragma unroll(K == 1 ? 4 : 1)
    for (int p = 0; p < packs; p++) {
      Pack<Word> pack[K];
#pragma unroll
      for (int c = 0; c < K; c++) pack[c] = tile[c][p];
#pragma unroll
      for (int j = 0; j < kItems; j++) {
        Word other[K];
#pragma unroll
        for (int c = 0; c < K; c++) other[c] = pack[c].item[j];
#pragma unroll
        for (int r = 0; r < kOwners; r++) matches[r] += rows[r].matches(other);
      }
    }
    for (int i = packs * kItems; i < count; i++) {
      Word other[K];
#pragma unroll
      for (int c = 0; c < K; c++) other[c] = tile[c][i / kItems].item[i % kItems];
#pragma unroll
      for (int r = 0; r < kOwners; r++) matches[r] += rows[r].matches(other);
    }
  }
#pragma unroll
  for (int r = 0; r < kOwners; r++) {
    i64 i = firstOwner + r * kThetaThreads;
    if (i < nOwner && keep[i] != 0 && matches[r] != 0) atomicAdd(reinterpret_cast<ull*>(&counts[i]), ull(matches[r]));
  }
}

}  // namespace gsql

#define COMMA ,
#define THETA_COUNT(predicate, word, name)                                                                             \
  KERNEL((256), gsql_theta_count_##name, const word* lows, const word* highs, const uint8_t* keep, int64_t ownerStride, \
         int64_t nOwner, const word* others, int64_t otherStride, int64_t nOther, int64_t ownerTiles,                  \
         int64_t otherPerBlock, uint64_t* counts) {                                                                    \
    gsql::thetaCount<gsql::predicate>(lows, highs, keep, ownerStride, nOwner, others, otherStride, nOther, ownerTiles,  \
                                      otherPerBlock, counts);                                                          \
  }
#define THETA_COUNTS(word, suffix)                                           \
  THETA_COUNT(LowerBounds<1 COMMA word>, word, bounds1_##suffix)             \
  THETA_COUNT(LowerBounds<2 COMMA word>, word, bounds2_##suffix)             \
  THETA_COUNT(Intervals<1 COMMA word>, word, intervals1_##suffix)            \
  THETA_COUNT(Intervals<2 COMMA word>, word, intervals2_##suffix)            \
  THETA_COUNT(Intervals<3 COMMA word>, word, intervals3_##suffix)            \
  THETA_COUNT(Intervals<4 COMMA word>, word, intervals4_##suffix)

THETA_COUNT(NarrowLowerBound, uint32_t, narrow)
THETA_COUNTS(uint32_t, u32)
THETA_COUNTS(uint64_t, u64)
#undef THETA_COUNTS
#undef THETA_COUNT
#undef COMMA
