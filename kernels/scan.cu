// Exclusive prefix sums in one pass over the input (decoupled look-back).
//
// A tile's sum is made known before its items are scanned, so that the wait for the tiles
// before it passes behind that work.
//
// Bytes: every item read once and written once; at 2^27 32-bit items 1.07 GB.
#include "block.cuh"
#include "lookback.cuh"
#include "streaming.cuh"

namespace gsql {

constexpr int kScanThreads = 256;

// Items a thread: 160 bytes of input in flight.
template <class In>
struct ScanItems {
  static constexpr int kValue = sizeof(In) == 8 ? 20 : 40;
};

// loadTile reads a thread's packs: packs of a warp lie side by side. Items beyond n are 0. Loads
// that leave the cache first (__ldcs) take a seventh longer here.
template <class In, int kPacks>
__device__ __forceinline__ void loadTile(const In* in, i64 first, i64 n, bool whole, Pack<In> (&packs)[kPacks]) {
  constexpr int kItems = Pack<In>::kItems;
#pragma unroll
  for (int p = 0; p < kPacks; p++) {
    i64 at = first + p * kItems * int(kWarp);
    if (whole) {
      packs[p] = loadPack(in + at);
    } else {
#pragma unroll
      for (int k = 0; k < kItems; k++) packs[p].item[k] = at + k < n ? in[at + k] : In(0);
    }
  }
}

template <class Out, class In>
__device__ __forceinline__ Out packSum(const Pack<In>& pack) {
  Out sum = 0;
#pragma unroll
  for (int k = 0; k < Pack<In>::kItems; k++) sum += Out(pack.item[k]);
  return sum;
}

// storeScan writes the sums before each item of a pack, running before the first.
template <class In, class Out>
__device__ __forceinline__ void storeScan(Out* out, i64 at, i64 n, bool whole, const Pack<In>& pack, Out running) {
  constexpr int kItems = Pack<Out>::kItems;
#pragma unroll
  for (int k = 0; k < Pack<In>::kItems; k += kItems) {
    Pack<Out> result;
#pragma unroll
    for (int j = 0; j < kItems; j++) {
      result.item[j] = running;
      running += Out(pack.item[k + j]);
    }
    if (whole) {
      storeStreaming(out + at + k, result);
    } else {
#pragma unroll
      for (int j = 0; j < kItems; j++) {
        if (at + k + j < n) out[at + k + j] = result.item[j];
      }
    }
  }
}

// exclusiveScan writes to out[i] the sum of in[0..i) and to *total the sum of all.
// Sums stay below 2^62. scratch is 1 + tiles words of zeros. Both arrays are aligned to
// 16 bytes; they may be the same one where In and Out have the same size.
template <class In, class Out>
__device__ void exclusiveScan(const In* in, Out* out, i64 n, u64* total, u64* scratch) {
  constexpr u32 kWarps = kScanThreads / kWarp;
  using Sums = u64[kWarps];
  SHARED(Sums, sums);
  constexpr int kItems = Pack<In>::kItems;
  constexpr int kScanItems = ScanItems<In>::kValue;
  constexpr int kScanTile = kScanThreads * kScanItems;
  constexpr int kPacks = kScanItems / kItems;
  i64 tile = takeTicket(scratch);
  i64 first = tile * kScanTile + i64(warpId()) * kScanItems * kWarp + laneId() * kItems;
  bool whole = (tile + 1) * kScanTile <= n;

  Pack<In> packs[kPacks];
  loadTile(in, first, n, whole, packs);
  u64 warpSum = 0;
#pragma unroll
  for (int p = 0; p < kPacks; p++) warpSum += packSum<Out>(packs[p]);
  for (u32 d = kWarp / 2; d > 0; d /= 2) warpSum += __shfl_xor_sync(kAllLanes, warpSum, int(d));
  if (laneId() == 0) sums[warpId()] = warpSum;
  __syncthreads();
  u64 mine = threadIdx.x < kWarps ? sums[laneId()] : 0, through = 0, tileSum = 0;
  if (threadIdx.x < kWarp) {
    through = warpInclusive(mine);
    tileSum = __shfl_sync(kAllLanes, through, kWarp - 1);
    if (laneId() == 0) publishTile(scratch + 1, tile, tileSum);
  }
  // starts[p] is the sum of the warp's items before the pack.
  Out starts[kPacks];
  Out carry = 0;
#pragma unroll
  for (int p = 0; p < kPacks; p++) {
    Out sum = packSum<Out>(packs[p]);
    Out inclusive = warpInclusive(sum);
    starts[p] = carry + inclusive - sum;
    carry += __shfl_sync(kAllLanes, inclusive, kWarp - 1);
  }
  if (threadIdx.x < kWarp) {
    u64 before = tilePrefix(scratch + 1, tile, tileSum);
    if (laneId() < kWarps) sums[laneId()] = before + through - mine;
    if (laneId() == 0 && (tile + 1) * kScanTile >= n) *total = before + tileSum;
  }
  __syncthreads();
  Out base = Out(sums[warpId()]);
#pragma unroll
  for (int p = 0; p < kPacks; p++) storeScan(out, first + p * kItems * int(kWarp), n, whole, packs[p], Out(base + starts[p]));
}

}  // namespace gsql

KERNEL((256, 4), gsql_scan_exclusive_u32, const uint32_t* in, uint32_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
KERNEL((256, 4), gsql_scan_exclusive_u32u64, const uint32_t* in, uint64_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
KERNEL((256, 4), gsql_scan_exclusive_u64, const uint64_t* in, uint64_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
