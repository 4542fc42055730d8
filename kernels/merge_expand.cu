// The pairs of a sort-merge join that the single pass left: those of tiles with too many,
// and any window of the output. The work is cut by output, so that a key which occurs
// often on both sides spreads over all blocks.
//
// Bytes: 8 a pair, and the columns' tiles once for each kExpandPairs pairs or part of them.
#include "block.cuh"
#include "lookback.cuh"
#include "merge_path.cuh"

namespace gsql {

constexpr int kExpandItems = 64;
constexpr int kExpandPairs = kMergeThreads * kExpandItems;  // of a block

// ExpandRuns are the runs of a tile whose pairs fall into the block's window: run r has the
// pairs from first[r] on, counted from the window's start.
struct ExpandRuns {
  u32 first[kMergeTile];
  i32 start[kMergeTile];  // its next item of a, counted from the tile's first
  uint16_t item[kMergeTile];  // its item of b, likewise
};

// Window is the pairs [from, to) of the whole output.
struct Window {
  i64 from, to;
};

// pairsBefore is the number of pairs before tile t, sums being the tiles' inclusive sums.
__device__ __forceinline__ i64 pairsBefore(const u64* sums, i64 t) { return t == 0 ? 0 : i64(sums[t - 1] & kSumMask); }

// firstTile is the first tile whose pairs reach beyond from. A whole warp searches 32
// places at a time, because each step waits for memory.
__device__ __forceinline__ i64 firstTile(const u64* sums, i64 tiles, i64 from) {
  i64 low = 0, high = tiles;
  while (low < high) {
    i64 step = (high - low + kWarp - 1) / kWarp, mine = low + step * i64(laneId());
    bool before = mine < high && pairsBefore(sums, mine + 1) <= from;
    i64 count = __popc(__ballot_sync(kAllLanes, int(before)));
    if (count == 0) return low;
    high = min(high, low + step * count);
    low += step * (count - 1) + 1;
  }
  return low;
}

// nextTile is the first tile from t on that has pairs in the window and more than least of
// them in all; tiles where there is none. All threads of the block get it.
__device__ __forceinline__ i64 nextTile(const u64* sums, i64 tiles, i64 t, Window window, i64 least) {
  SHARED(ull, found);
  for (;; t += kMergeThreads) {
    i64 mine = t + threadIdx.x;
    bool within = mine < tiles && pairsBefore(sums, mine) < window.to;
    if (threadIdx.x == 0) found = ull(tiles);
    __syncthreads();
    if (within && pairsBefore(sums, mine + 1) > window.from && pairsBefore(sums, mine + 1) - pairsBefore(sums, mine) > least)
      atomicMin(&found, ull(mine));
    bool more = __syncthreads_or(int(within && threadIdx.x == kMergeThreads - 1)) != 0;
    i64 next = i64(found);
    __syncthreads();
    if (next < tiles || !more) return next;
  }
}

// expandTile writes a tile's pairs that fall into the window; before is the number of
// pairs before the tile.
template <class Key, class Shared>
__device__ __forceinline__ void expandTile(Shared& s, const Key* a, const i32* aRows, const Key* b, const i32* bRows,
                                           const MergeTile& tile, i64 before, Window window, i32* outA, i32* outB) {
  loadMergeKeys(s.keys, a, b, tile);
  __syncthreads();
  MergeCursor at = mergeCursor(s.keys, tile);
  i32 starts[kMergeItems], counts[kMergeItems];
  u32 taken = 0;
  u64 mine = 0;
  mergeWalk(s.keys, tile, at, [&](int k, int, i32 first, i32 count) {
    starts[k] = first;
    counts[k] = count;
    taken |= 1u << k;
    mine += u64(count);
  });
  u64 pairs;
  i64 place = before + i64(blockExclusive<u64, kMergeThreads>(mine, pairs));

  // A run belongs here where it overlaps the window.
  u32 within = 0;
  i64 p = place;
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    if (!(taken >> k & 1)) continue;
    if (counts[k] > 0 && p < window.to && p + counts[k] > window.from) within |= 1u << k;
    p += counts[k];
  }
  u32 runs;
  u32 run = blockExclusive<u32, kMergeThreads>(u32(__popc(within)), runs);
#pragma unroll
  for (int k = 0; k < kMergeItems; k++) {
    if (!(taken >> k & 1)) continue;
    if (within >> k & 1) {
      i64 first = max(place, window.from);
      s.runs.first[run] = u32(first - window.from);
      s.runs.start[run] = starts[k] + i32(first - place);
      s.runs.item[run] = uint16_t(at.j);
      run++;
    }
    place += counts[k];
    at.j++;
  }
  __syncthreads();

  // Warps take 256 pairs at a time: lanes search for their first run and go on from there.
  constexpr int kStretch = 8 * int(kWarp);
  int first = int(max(before, window.from) - window.from);
  int last = int(min(before + i64(pairs), window.to) - window.from);
  for (int from = first + int(warpId()) * kStretch; from < last; from += kMergeThreads / int(kWarp) * kStretch) {
    int o = from + int(laneId());
    int low = 0, high = int(runs);  // the first run that begins beyond o
    while (low < high) {
      int mid = (low + high) / 2;
      if (int(s.runs.first[mid]) <= o) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    for (; o < min(from + kStretch, last); o += int(kWarp)) {
      while (low < int(runs) && int(s.runs.first[low]) <= o) low++;
      int r = low - 1;
      i64 i = tile.aFirst + s.runs.start[r] + (o - int(s.runs.first[r])), j = tile.bFirst + s.runs.item[r];
      outA[o] = aRows == nullptr ? i32(i) : aRows[i];
      outB[o] = bRows == nullptr ? i32(j) : bRows[j];
    }
  }
  __syncthreads();
}

// mergeExpand writes pairs [from, to) of the output to outA and outB, those of tiles that
// have more than least; a block for each kExpandPairs of them. sums are what mergeJoin
// leaves behind its ticket.
template <class Key>
__device__ void mergeExpand(const Key* a, const i32* aRows, i64 na, const Key* b, const i32* bRows, i64 nb,
                            const i64* splits, const i64* runs, const u64* sums, i64 tiles, i64 from, i64 to, i64 least,
                            i32* outA, i32* outB) {
  union Shared {
    MergeKeys<Key> keys;
    ExpandRuns runs;
  };
  SHARED(Shared, s);
  SHARED(i64, start);
  Window window{from + i64(blockIdx.x) * kExpandPairs, 0};
  window.to = min(to, window.from + kExpandPairs);
  if (threadIdx.x < kWarp) {
    i64 first = firstTile(sums, tiles, window.from);
    if (laneId() == 0) start = first;
  }
  __syncthreads();
  for (i64 t = nextTile(sums, tiles, start, window, least); t < tiles; t = nextTile(sums, tiles, t + 1, window, least))
    expandTile(s, a, aRows, b, bRows, MergeTile(splits, runs, t, na, nb), pairsBefore(sums, t), window,
               outA + (window.from - from), outB + (window.from - from));
}

}  // namespace gsql

#define MERGE_EXPAND(key, suffix)                                                                                     \
  KERNEL((256, 3), gsql_merge_expand_##suffix, const key* a, const int32_t* aRows, int64_t na, const key* b,           \
         const int32_t* bRows, int64_t nb, const int64_t* splits, const int64_t* runs, const uint64_t* sums,          \
         int64_t tiles, int64_t from, int64_t to, int64_t least, int32_t* outA, int32_t* outB) {                      \
    gsql::mergeExpand(a, aRows, na, b, bRows, nb, splits, runs, sums, tiles, from, to, least, outA, outB);            \
  }

MERGE_EXPAND(int32_t, i32)
MERGE_EXPAND(int64_t, i64)
MERGE_EXPAND(double, f64)
#undef MERGE_EXPAND
