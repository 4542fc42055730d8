// Row pairs from runs: each row of one side has a run of partners in the other side's
// order, and any range of the output is written by its positions. So output is cut
// anywhere, and a row with many partners takes no longer than many rows with few.
//
// Bytes: 8 written a pair; offsets and starts once, and a gather of 4 bytes a pair where the
// partners' order is not that of the rows.
#include "device.cuh"

namespace gsql {

constexpr int kExpandThreads = 256;
constexpr int kExpandItems = 8;
constexpr int kExpandTile = kExpandThreads * kExpandItems;

// ownerAt is the last row in [first, last) whose offset is at most position, which
// offsets[first] is too.
__device__ __forceinline__ i64 ownerAt(const u64* offsets, i64 first, i64 last, u64 position) {
  while (first + 1 < last) {
    i64 mid = first + (last - first) / 2;
    if (offsets[mid] <= position) {
      first = mid;
    } else {
      last = mid;
    }
  }
  return first;
}

// expandPairs writes pairs [from, to) of the output to places 0, 1, ... Row i of n has its
// first pair at offsets[i] and as partners order[starts[i]], order[starts[i]+1], ...; without
// order those numbers themselves. firstRow is the number of row 0.
__device__ inline void expandPairs(const u64* offsets, const u32* starts, i64 n, i64 firstRow, const i32* order, u64 from,
                                   u64 to, i32* rows, i32* partners) {
  using Bounds = i64[2];
  SHARED(Bounds, bounds);
  u64 tile = from + u64(blockIdx.x) * kExpandTile, tileEnd = min(tile + kExpandTile, to);
  if (threadIdx.x < 2) bounds[threadIdx.x] = ownerAt(offsets, 0, n, threadIdx.x == 0 ? tile : tileEnd - 1);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kExpandItems; k++) {
    u64 position = tile + u64(k) * kExpandThreads + threadIdx.x;
    if (position >= tileEnd) break;
    i64 row = ownerAt(offsets, bounds[0], bounds[1] + 1, position);
    i64 partner = i64(starts[row]) + i64(position - offsets[row]);
    __stcs(&rows[position - from], i32(firstRow + row));
    __stcs(&partners[position - from], order == nullptr ? i32(partner) : order[partner]);
  }
}

}  // namespace gsql

KERNEL((256), gsql_expand_pairs, const uint64_t* offsets, const uint32_t* starts, int64_t n, int64_t firstRow,
       const int32_t* order, uint64_t from, uint64_t to, int32_t* rows, int32_t* partners) {
  gsql::expandPairs(offsets, starts, n, firstRow, order, from, to, rows, partners);
}
