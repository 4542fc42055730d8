// Nested-loop theta join, input-bound: how many rows of the other side match each row of
// the owning side.
//
// COUNT, SUM, MIN, MAX and AVG of the join's output follow from the counts (the sum of x
// is that of x * count), and so do semi and anti joins and the output's positions: the
// loop over pairs does nothing but compare and count, whatever is asked.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017): one side in registers, the other
// in tiles of shared memory. Here a thread owns several rows, so that a value read from
// shared memory serves as many pairs.
//
// Floor: two integer instructions a pair. Where they share the two pipes of 64 lanes a
// clock and SM (the narrow forms: a shift-add and a subtraction as multiply-add), 132 SMs
// at 1.98 GHz do 16.7 T pairs/s; where both need the same pipe, half of that.
#include "theta.cuh"
#include "vector.cuh"

namespace gsql {

constexpr int kThetaThreads = 256;
constexpr int kThetaOwners = 8;
constexpr int kThetaTile = 2048;

// thetaCount adds to counts[i] the matches of owner i among other[0..nOther). The grid is
// ownerTiles blocks for each chunk of otherPerBlock rows, at most 2^32 - 1 of them and a multiple of 4.
template <class Key, class Predicate>
__device__ void thetaCount(const Key* owner, const Key* ownerHigh, i64 nOwner, const Key* other, i64 nOther,
                           i64 ownerTiles, i64 otherPerBlock, u64* counts) {
  constexpr int kItems = Pack<Key>::kItems;
  constexpr int kPacks = kThetaTile / kItems;
  using Tile = Pack<Key>[kPacks];
  SHARED(Tile, tile);
  i64 firstOwner = i64(blockIdx.x) % ownerTiles * (kThetaThreads * kThetaOwners) + threadIdx.x;
  i64 from = i64(blockIdx.x) / ownerTiles * otherPerBlock;
  i64 to = min(from + otherPerBlock, nOther);

  Predicate predicates[kThetaOwners];
  u32 matches[kThetaOwners];
#pragma unroll
  for (int k = 0; k < kThetaOwners; k++) {
    predicates[k].load(owner, ownerHigh, min(firstOwner + k * kThetaThreads, nOwner - 1));
    matches[k] = 0;
  }
  for (; from < to; from += kThetaTile) {
    int count = int(min(i64(kThetaTile), to - from));
    __syncthreads();
    for (int i = int(threadIdx.x); i < count; i += kThetaThreads) tile[i / kItems].item[i % kItems] = other[from + i];
    __syncthreads();
    int packs = count / kItems;
#pragma unroll 4
    for (int p = 0; p < packs; p++) {
      Pack<Key> others = tile[p];
#pragma unroll
      for (int j = 0; j < kItems; j++) {
#pragma unroll
        for (int k = 0; k < kThetaOwners; k++) matches[k] += predicates[k].matches(others.item[j]);
      }
    }
    for (int i = packs * kItems; i < count; i++) {
      Key last = tile[i / kItems].item[i % kItems];
#pragma unroll
      for (int k = 0; k < kThetaOwners; k++) matches[k] += predicates[k].matches(last);
    }
  }
#pragma unroll
  for (int k = 0; k < kThetaOwners; k++) {
    i64 i = firstOwner + k * kThetaThreads;
    if (i < nOwner && matches[k] != 0) atomicAdd(reinterpret_cast<ull*>(&counts[i]), ull(matches[k]));
  }
}

}  // namespace gsql

#define THETA_COUNT(key, predicate, name)                                                                      \
  KERNEL((256), name, const key* owner, const key* ownerHigh, int64_t nOwner, const key* other, int64_t nOther, \
         int64_t ownerTiles, int64_t otherPerBlock, uint64_t* counts) {                                        \
    gsql::thetaCount<key, predicate>(owner, ownerHigh, nOwner, other, nOther, ownerTiles, otherPerBlock,       \
                                     counts);                                                                  \
  }
#define THETA_COUNTS(key, suffix)                                           \
  THETA_COUNT(key, gsql::Less<key>, gsql_theta_count_lt_##suffix)           \
  THETA_COUNT(key, gsql::LessEqual<key>, gsql_theta_count_le_##suffix)      \
  THETA_COUNT(key, gsql::Greater<key>, gsql_theta_count_gt_##suffix)        \
  THETA_COUNT(key, gsql::GreaterEqual<key>, gsql_theta_count_ge_##suffix)   \
  THETA_COUNT(key, gsql::Equal<key>, gsql_theta_count_eq_##suffix)          \
  THETA_COUNT(key, gsql::NotEqual<key>, gsql_theta_count_ne_##suffix)       \
  THETA_COUNT(key, gsql::Covers<key>, gsql_theta_count_covers_##suffix)

THETA_COUNTS(int32_t, i32)
THETA_COUNTS(int64_t, i64)
THETA_COUNTS(double, f64)
THETA_COUNT(int32_t, gsql::NarrowLess, gsql_theta_count_lt_narrow)
THETA_COUNT(int32_t, gsql::NarrowGreater, gsql_theta_count_gt_narrow)
#undef THETA_COUNTS
#undef THETA_COUNT
