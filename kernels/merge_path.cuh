// Merge path: the merge of two sorted columns cut into equal parts, and a thread's walk
// along its part.
//
// Green, McColl, Bader: GPU Merge Path (ICS 2012). Every thread does the same work
// whatever the data. A key of a comes before an equal one of b; so when the walk meets an
// item of b, its partners are the run of equal keys of a that it has just passed.
#pragma once
#include "device.cuh"

namespace gsql {

constexpr int kMergeThreads = 256;
// Items of a thread: odd, so that neighbours' places in shared memory fall on different banks.
constexpr int kMergeItems = 15;
constexpr int kMergeTile = kMergeThreads * kMergeItems;

// mergeSplit is how many of the first d items of the merge come from a.
template <class Key, class Index>
__device__ __forceinline__ Index mergeSplit(const Key* a, Index na, const Key* b, Index nb, Index d) {
  Index low = d > nb ? d - nb : 0, high = d < na ? d : na;
  while (low < high) {
    Index mid = low + (high - low) / 2;
    if (a[mid] <= b[d - 1 - mid]) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

// MergeTile is where a tile lies in both columns. before is where the run of keys equal to
// the last of a before the tile begins, counted from aFirst: at most 0.
struct MergeTile {
  i64 aFirst, bFirst;
  int aCount, bCount;
  i32 before;
  __device__ __forceinline__ MergeTile(const i64* splits, const i64* runs, i64 tile, i64 na, i64 nb) {
    i64 first = tile * kMergeTile, last = min(first + kMergeTile, na + nb);
    aFirst = splits[tile];
    bFirst = first - aFirst;
    aCount = int(splits[tile + 1] - aFirst);
    bCount = int(last - first) - aCount;
    before = i32(runs[tile] - aFirst);
  }
};

// MergeKeys is a tile's keys in shared memory: the item of a before the tile, the tile's
// items of a, those of b, and one place that may be read over.
template <class Key>
using MergeKeys = Key[kMergeTile + 2];

// loadMergeKeys reads a tile; the caller waits for the block.
template <class Key>
__device__ __forceinline__ void loadMergeKeys(Key* keys, const Key* a, const Key* b, const MergeTile& tile) {
  Key mine[kMergeItems];
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    int i = int(threadIdx.x) + k * kMergeThreads;
    if (i < tile.aCount) {
      mine[k] = a[tile.aFirst + i];
    } else if (i < tile.aCount + tile.bCount) {
      mine[k] = b[tile.bFirst + i - tile.aCount];
    }
  }
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    int i = int(threadIdx.x) + k * kMergeThreads;
    if (i < tile.aCount + tile.bCount) keys[i + 1] = mine[k];
  }
  // Without such an item any key will do: a run before the tile that begins at its start is empty.
  if (threadIdx.x == 0) keys[0] = tile.aFirst > 0 ? a[tile.aFirst - 1] : Key(0);
}

// MergeCursor is where a thread's part of a tile begins: i items of a and j of b lie
// before it, and the run of the last of those of a begins at first.
struct MergeCursor {
  int i, j;
  i32 first;
};

template <class Key>
__device__ __forceinline__ MergeCursor mergeCursor(const Key* keys, const MergeTile& tile) {
  const Key *as = keys + 1, *bs = as + tile.aCount;
  int d = min(int(threadIdx.x) * kMergeItems, tile.aCount + tile.bCount);
  int i = mergeSplit(as, tile.aCount, bs, tile.bCount, d);
  if (i == 0) return {i, d - i, tile.before};
  // The first item of the tile that equals the last one passed.
  Key last = as[i - 1];
  int low = i - 1;
  if (as[i - 2] == last) {
    int high = i - 1;
    low = 0;
    while (low < high) {
      int mid = (low + high) / 2;
      if (as[mid] < last) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
  }
  return {i, d - i, low == 0 && as[-1] == last ? tile.before : i32(low)};
}

// mergeWalk calls visit(k, j, first, count) for each step k of the thread's part that takes
// item j of b: its partners are count items of a from first on, counted from the tile's
// first; count may be 0, and first below 0.
template <class Key, class Visit>
__device__ __forceinline__ void mergeWalk(const Key* keys, const MergeTile& tile, MergeCursor at, Visit visit) {
  const Key *as = keys + 1, *bs = as + tile.aCount;
  Key passed = as[at.i - 1], nextA = as[at.i], nextB = bs[at.j];
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    if (at.i + at.j < tile.aCount + tile.bCount) {
      if (at.j >= tile.bCount || (at.i < tile.aCount && nextA <= nextB)) {
        if (nextA != passed) at.first = at.i;
        passed = nextA;
        nextA = as[++at.i];
      } else {
        visit(k, at.j, at.first, nextB == passed ? at.i - at.first : 0);
        nextB = bs[++at.j];
      }
    }
  }
}

}  // namespace gsql
