// Sort-merge join of two sorted columns in one pass: match, place and write.
//
// A tile of the merge (merge_path.cuh) matches its items in shared memory, learns where its
// pairs go by decoupled look-back and writes them. A tile with more pairs than it can
// stage only tells how many they are: merge_expand.cu writes them, with as many blocks as
// the pairs need.
//
// Bytes: both columns once, row numbers of matching rows once unless the columns are in
// row order, 8 bytes a pair. 2^27 x 2^27 4-byte keys with one partner each: 2.1 GB in row
// order, 0.51 ms at 4.2 TB/s; 3.2 GB with row numbers, 0.77 ms.
#include "block.cuh"
#include "lookback.cuh"
#include "merge_path.cuh"

namespace gsql {

// What a tile can stage: as many pairs as it has items.
constexpr int kMergeStage = kMergeTile;

// A step of the walk that took an item of b, in a word: bit 31, the number of partners
// (more than are ever staged count as 4095), the first of them plus kMergeBias.
constexpr u32 kTookB = 1u << 31;
constexpr int kMergeBias = 4096;
static_assert(kMergeTile < 4095 && kMergeStage < 4095, "counts have 12 bits, places 13");

// mergeJoin writes the pairs of tile takeTicket(state); state is 1 + tiles words of zeros,
// which at the end hold the inclusive prefix sums of the tiles' pairs. aRows and bRows are
// the row numbers of sorted items, nullptr where item i is row i. Pairs from capacity on
// are not written. totals starts as zeros and gets the number of all pairs and that of the
// tiles whose pairs were not written for being too many.
template <class Key>
__device__ void mergeJoin(const Key* a, const i32* aRows, i64 na, const Key* b, const i32* bRows, i64 nb,
                          const i64* splits, const i64* runs, u64* state, i32* outA, i32* outB, i64 capacity, u64* totals) {
  union Shared {
    MergeKeys<Key> keys;
    u32 stage[kMergeStage];  // place in a plus kMergeBias, 12 bits of place in b
  };
  SHARED(Shared, s);
  SHARED(u64, before);
  i64 number = takeTicket(state);
  MergeTile tile(splits, runs, number, na, nb);
  loadMergeKeys(s.keys, a, b, tile);
  __syncthreads();

  MergeCursor at = mergeCursor(s.keys, tile);
  u32 steps[kMergeItems] = {};
  u64 mine = 0;
  mergeWalk(s.keys, tile, at, [&](int k, int, i32 first, i32 count) {
    mine += u64(count);
    steps[k] = kTookB | u32(min(count, 4095)) << 13 | (u32(first + kMergeBias) & 8191);
  });
  u64 pairs;
  u32 place = u32(blockExclusive<u64, kMergeThreads>(mine, pairs));
  if (threadIdx.x == 0) publishTile(state + 1, number, pairs);

  bool staged = pairs <= kMergeStage;
  if (staged) {
#pragma unroll
    for (int k = 0; k < kMergeItems; k++) {
      u32 step = steps[k];
      for (u32 c = 0; c < (step >> 13 & 4095); c++) s.stage[place++] = ((step & 8191) + c) << 12 | u32(at.j);
      at.j += int(step >> 31);
    }
  }
  if (threadIdx.x < kWarp) {
    u64 sum = tilePrefix(state + 1, number, pairs);
    if (laneId() == 0) {
      before = sum;
      if ((number + 1) * kMergeTile >= na + nb) totals[0] = sum + pairs;
      if (!staged) atomicAdd(reinterpret_cast<ull*>(&totals[1]), ull(1));
    }
  }
  __syncthreads();
  if (!staged) return;

  i64 to = i64(before);
  int count = int(max(i64(0), min(i64(pairs), capacity - to)));
  // Warps write whole lines of 128 bytes: they begin where the output's lines do.
  for (int o = int(threadIdx.x) - int(to & 31); o < count; o += kMergeThreads) {
    if (o < 0) continue;
    u32 pair = s.stage[o];
    i64 i = tile.aFirst + i64(pair >> 12) - kMergeBias, j = tile.bFirst + i64(pair & 4095);
    outA[to + o] = aRows == nullptr ? i32(i) : aRows[i];
    outB[to + o] = bRows == nullptr ? i32(j) : bRows[j];
  }
}

}  // namespace gsql

#define MERGE_JOIN(key, suffix)                                                                                     \
  KERNEL((256), gsql_merge_join_##suffix, const key* a, const int32_t* aRows, int64_t na, const key* b,           \
         const int32_t* bRows, int64_t nb, const int64_t* splits, const int64_t* runs, uint64_t* state,             \
         int32_t* outA, int32_t* outB, int64_t capacity, uint64_t* totals) {                                        \
    gsql::mergeJoin(a, aRows, na, b, bRows, nb, splits, runs, state, outA, outB, capacity, totals);                 \
  }

MERGE_JOIN(int32_t, i32)
MERGE_JOIN(int64_t, i64)
MERGE_JOIN(double, f64)
#undef MERGE_JOIN
