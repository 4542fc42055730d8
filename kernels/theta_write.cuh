// Nested-loop theta join, output-bound: the second of the phases count, scan, write.
//
// The counts of theta_count.cu, scanned, give every row of the owning side its place in the
// output, so that nothing is reserved, nothing overflows and any window of the output can
// be written by itself: a piece is a window.
//
// Bellas, Gounaris: GPU processing of theta-joins (2017), section 5; He et al.: Relational
// joins on graphics processors (2008), section 4.3 for the phases. A warp holds several
// owners, its lanes take the other side's rows from a tile in shared memory, and the lanes
// that match write side by side.
//
// Floor: the bytes written over 4.2 TB/s; or, where little matches, K subtractions, K
// comparisons and a ballot for 32 pairs.
#pragma once
#include "theta.cuh"

namespace gsql {

constexpr int kWriteThreads = 256;
// Owners a warp.
constexpr int kWriteOwners = 4;
constexpr int kWriteBlockOwners = kWriteThreads / int(kWarp) * kWriteOwners;
// Rows of the other side that a lane holds while the warp goes through its owners: an owner's
// output grows by longer runs at a time, which the memory takes faster.
template <int K, class Word>
constexpr int kWriteSteps = 64 / (K * int(sizeof(Word)));

// Carried is a 4-byte column that goes to the output: that of its side's rows, or their
// numbers where values is null; first is added.
struct Carried {
  const u32* values;
  i64 first;
  u32* out;
  __device__ __forceinline__ u32 at(i64 row) const { return u32(first) + (values == nullptr ? u32(row) : values[row]); }
};

// Window is the part [from, to) of the output that a launch writes, at most 2^30 places.
// offsets has nOwner+1 words.
struct Window {
  const u64* offsets;
  u64 from, to;
};

// WriteRow is an owner's way through the output, in places after the window's start. A row
// matches less than 2^31 others and is closed once past its end, so places are those of a
// signed number; below the window they are large ones.
struct WriteRow {
  u32 at, end;
  bool active;
  __device__ __forceinline__ void open(const Window& w, i64 row, i64 nOwner) {
    u64 begin = row < nOwner ? w.offsets[row] : w.to;
    u64 end64 = row < nOwner ? min(w.offsets[row + 1], w.to) : w.to;
    active = begin < end64 && end64 > w.from;
    at = u32(begin - w.from);
    end = active ? u32(end64 - w.from) : at;
  }
  // fill writes the owner's own value to its places; the warp together, line by line.
  __device__ __forceinline__ void fill(u32 value, u32* out) const {
    if (!active) return;
    u32 first = i32(at) < 0 ? 0 : at;
    for (u32 i = first / kWarp * kWarp + laneId(); i < end; i += kWarp) {
      if (i >= first) out[i] = value;
    }
  }
};

// thetaWrite writes the window's pairs: the owner's carried value and kCarried of the other
// side's. The grid is a block for kWriteBlockOwners owners.
template <int K, int kCarried, class Word>
__device__ void thetaWrite(const Word* lows, const Word* highs, i64 ownerStride, i64 nOwner, const Word* others,
                           i64 otherStride, i64 nOther, Window window, Carried ownerValues, const Carried (&carried)[kCarried]) {
  constexpr int kTile = 8192 / int(sizeof(Word)) / (K > 2 ? 2 : 1);
  constexpr int kSteps = kWriteSteps<K, Word>;
  using Tile = Word[K][kTile];
  using Values = u32[kCarried][kTile];
  SHARED(Tile, tile);
  SHARED(Values, values);
  i64 first = i64(blockIdx.x) * kWriteBlockOwners + i64(warpId()) * kWriteOwners;
  u32 places = u32(window.to - window.from);

  Intervals<K, Word> rows[kWriteOwners];
  WriteRow ways[kWriteOwners];
  bool open = false;
#pragma unroll
  for (int r = 0; r < kWriteOwners; r++) {
    i64 row = min(first + r, nOwner - 1);
    rows[r].load(lows, highs, ownerStride, row);
    ways[r].open(window, first + r, nOwner);
    ways[r].fill(ownerValues.at(row), ownerValues.out);
    open |= ways[r].active;
  }
  for (i64 from = 0; from < nOther && __syncthreads_or(open); from += kTile) {
    int count = int(min(i64(kTile), nOther - from));
    for (int i = int(threadIdx.x); i < count; i += kWriteThreads) {
#pragma unroll
      for (int c = 0; c < K; c++) tile[c][i] = others[c * otherStride + from + i];
#pragma unroll
      for (int c = 0; c < kCarried; c++) values[c][i] = carried[c].at(from + i);
    }
    __syncthreads();
    if (!open) continue;
    for (int step = 0; step < count; step += kSteps * kWarp) {
      Word other[kSteps][K];
      u32 value[kSteps][kCarried];
#pragma unroll
      for (int j = 0; j < kSteps; j++) {
        int i = step + j * int(kWarp) + int(laneId());
#pragma unroll
        for (int c = 0; c < K; c++) other[j][c] = i < count ? tile[c][i] : Word(0);
#pragma unroll
        for (int c = 0; c < kCarried; c++) value[j][c] = i < count ? values[c][i] : 0;
      }
#pragma unroll
      for (int r = 0; r < kWriteOwners; r++) {
        if (!ways[r].active) continue;
#pragma unroll
        for (int j = 0; j < kSteps; j++) {
          bool match = step + j * int(kWarp) + int(laneId()) < count && rows[r].allows(other[j]);
          u32 lanes = __ballot_sync(kAllLanes, match);
          u32 place = ways[r].at + u32(__popc(lanes & lanesBelow()));
          if (match && place < places) {
#pragma unroll
            for (int c = 0; c < kCarried; c++) carried[c].out[place] = value[j][c];
          }
          ways[r].at += u32(__popc(lanes));
        }
      }
    }
    open = false;
#pragma unroll
    for (int r = 0; r < kWriteOwners; r++) {
      ways[r].active = ways[r].active && i32(ways[r].at) < i32(ways[r].end);
      open |= ways[r].active;
    }
  }
}

}  // namespace gsql
