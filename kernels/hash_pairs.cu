// Hash join, probe where each key has one build row: the row pairs in one pass. A block
// takes a tile of probe rows, keeps its matches in registers and reserves their places
// with one addition to a counter for all blocks (Kaldewey et al., GPU Join Processing
// Revisited, DaMoN 2012, the result cache); within a tile pairs keep their order.
//
// Cost: a random sector read a probe row, the probe column once, 8 bytes a pair.
#include "block.cuh"
#include "hash_probe.cuh"

namespace gsql {

constexpr int kPairsThreads = 256;

// writePairs writes the pairs of a tile's rows, numbered from firstRow on, behind the *count
// pairs that there are, for each of which there is room.
template <class Probes>
__device__ void writePairs(const typename Probes::Key* keys, const uint8_t* valid, i64 firstRow, i64 n, Probes probes,
                           i32* probeRows, i32* buildRows, u64* count) {
  constexpr int kItems = Probes::kItems;
  constexpr u32 kWarps = kPairsThreads / kWarp;
  using Places = u64[kWarps];
  SHARED(Places, places);
  i64 first = i64(blockIdx.x) * kPairsThreads * kItems + warpId() * kItems * kWarp + laneId();
  u32 entry[kItems], matching[kItems], inWarp = 0;
  findEntries(keys, valid, first, i64(kWarp), n, probes, entry);
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    matching[k] = __ballot_sync(kAllLanes, int(entry[k] != kNoEntry));
    inWarp += u32(__popc(matching[k]));
  }
  if (laneId() == 0) places[warpId()] = inWarp;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    u64 mine = laneId() < kWarps ? places[laneId()] : 0;
    u64 through = warpInclusive(mine);
    u64 base = 0;
    if (laneId() == kWarp - 1 && through > 0) base = atomicAdd(reinterpret_cast<ull*>(count), ull(through));
    base = __shfl_sync(kAllLanes, base, kWarp - 1);
    if (laneId() < kWarps) places[laneId()] = base + through - mine;
  }
  __syncthreads();
  u64 place = places[warpId()];
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (entry[k] != kNoEntry) {
      u64 at = place + u32(__popc(matching[k] & lanesBelow()));
      __stcs(&probeRows[at], i32(firstRow + first + k * i64(kWarp)));
      __stcs(&buildRows[at], i32(entry[k]));
    }
    place += u32(__popc(matching[k]));
  }
}

}  // namespace gsql

#define PAIRS(key, slots, suffix)                                                                                      \
  KERNEL((256), gsql_hash_pairs_##suffix, const key* keys, const uint8_t* valid, int64_t firstRow, int64_t n,           \
         const uint64_t* table, uint64_t buckets, int32_t* probeRows, int32_t* buildRows, uint64_t* count) {            \
    gsql::writePairs(keys, valid, firstRow, n, gsql::HashProbes<gsql::slots>{table, buckets}, probeRows, buildRows,     \
                     count);                                                                                            \
  }                                                                                                                     \
  KERNEL((256), gsql_direct_pairs_##suffix, const key* keys, const uint8_t* valid, int64_t firstRow, int64_t n,         \
         const uint32_t* table, uint64_t base, uint64_t range, int32_t* probeRows, int32_t* buildRows,                  \
         uint64_t* count) {                                                                                             \
    gsql::writePairs(keys, valid, firstRow, n, gsql::DirectProbes<key>{table, base, range}, probeRows, buildRows,       \
                     count);                                                                                            \
  }

PAIRS(uint32_t, Slots4, b4)
PAIRS(uint64_t, Slots8, b8)
#undef PAIRS
