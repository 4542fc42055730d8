// What a sort-merge join begins with: where its tiles lie in the two sorted columns, and
// how many partners each row has.
//
// Bytes: splits are a few searches a tile; counts read both columns once and write 8 bytes
// a row of b.
#include "merge_path.cuh"

namespace gsql {

// runStart is the first place in a[0..last] of keys equal to a[last], found in steps that
// double, because most runs are short.
template <class Key>
__device__ __forceinline__ i64 runStart(const Key* a, i64 last) {
  Key key = a[last];
  i64 high = last, low = last;
  for (i64 step = 1; low > 0; step *= 2) {
    low = max(i64(0), high - step);
    if (a[low] != key) break;
    high = low;
  }
  // a[high] equals key; a[low] does not, unless it is the same place.
  while (high - low > 1) {
    i64 mid = low + (high - low) / 2;
    if (a[mid] == key) {
      high = mid;
    } else {
      low = mid;
    }
  }
  return high;
}

// mergeSplits sets, for each tile and for the end, splits to how many items of a lie before
// it and runs to where the run of the last of these begins.
template <class Key>
__device__ void mergeSplits(const Key* a, i64 na, const Key* b, i64 nb, i64* splits, i64* runs, i64 tiles) {
  for (i64 t = globalThread(); t <= tiles; t += globalThreads()) {
    i64 split = mergeSplit(a, na, b, nb, min(t * kMergeTile, na + nb));
    splits[t] = split;
    runs[t] = split == 0 ? 0 : runStart(a, split - 1);
  }
}

// mergeCounts sets counts[j] to how many keys of a equal b[j]; one block a tile.
template <class Key>
__device__ void mergeCounts(const Key* a, i64 na, const Key* b, i64 nb, const i64* splits, const i64* runs, u64* counts) {
  union Shared {
    MergeKeys<Key> keys;
    u32 counts[kMergeTile];
  };
  SHARED(Shared, s);
  MergeTile tile(splits, runs, i64(blockIdx.x), na, nb);
  loadMergeKeys(s.keys, a, b, tile);
  __syncthreads();
  MergeCursor at = mergeCursor(s.keys, tile);
  u32 mine[kMergeItems];
  u32 taken = 0;
  mergeWalk(s.keys, tile, at, [&](int k, int, i32, i32 count) {
    mine[k] = u32(count);
    taken |= 1u << k;
  });
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    if (taken >> k & 1) s.counts[at.j++] = mine[k];
  }
  __syncthreads();
  for (int j = int(threadIdx.x); j < tile.bCount; j += kMergeThreads) counts[tile.bFirst + j] = s.counts[j];
}

}  // namespace gsql

#define MERGE_SPLITS(key, suffix)                                                                                   \
  KERNEL((256), gsql_merge_splits_##suffix, const key* a, int64_t na, const key* b, int64_t nb, int64_t* splits, \
         int64_t* runs, int64_t tiles) {                                                                            \
    gsql::mergeSplits(a, na, b, nb, splits, runs, tiles);                                                           \
  }
#define MERGE_COUNTS(key, suffix)                                                                                 \
  KERNEL((256), gsql_merge_counts_##suffix, const key* a, int64_t na, const key* b, int64_t nb,                 \
         const int64_t* splits, const int64_t* runs, uint64_t* counts) {                                          \
    gsql::mergeCounts(a, na, b, nb, splits, runs, counts);                                                        \
  }

MERGE_SPLITS(int32_t, i32)
MERGE_SPLITS(int64_t, i64)
MERGE_SPLITS(double, f64)
MERGE_COUNTS(int32_t, i32)
MERGE_COUNTS(int64_t, i64)
MERGE_COUNTS(double, f64)
#undef MERGE_SPLITS
#undef MERGE_COUNTS
