// Exclusive prefix sums in one pass over the input (decoupled look-back).
//
// Bytes: every item read once and written once; at 2^27 32-bit items 1.07 GB.
#include "block.cuh"
#include "lookback.cuh"
#include "vector.cuh"

namespace gsql {

constexpr int kScanThreads = 256;

// Items a thread: 128 bytes of input in flight.
template <class In>
struct ScanItems {
  static constexpr int kValue = sizeof(In) == 8 ? 16 : 32;
};

// exclusiveScan writes to out[i] the sum of in[0..i) and to *total the sum of all.
// Sums stay below 2^62. scratch is 1 + tiles words of zeros. Both arrays are aligned to
// 16 bytes; they may be the same one where In and Out have the same size.
template <class In, class Out>
__device__ void exclusiveScan(const In* in, Out* out, i64 n, u64* total, u64* scratch) {
  using Sums = u64[kScanThreads / kWarp + 1];
  SHARED(Sums, sums);
  constexpr int kItems = Pack<In>::kItems;
  constexpr int kScanItems = ScanItems<In>::kValue;
  constexpr int kScanTile = kScanThreads * kScanItems;
  constexpr int kPacks = kScanItems / kItems;
  constexpr int kWarpTile = kScanItems * int(kWarp);
  i64 tile = takeTicket(scratch);
  i64 first = tile * kScanTile + warpId() * kWarpTile + laneId() * kItems;
  bool whole = (tile + 1) * kScanTile <= n;

  Pack<In> packs[kPacks];
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
  // starts[p] is the sum of the warp's items before the pack.
  Out starts[kPacks];
  Out carry = 0;
#pragma unroll
  for (int p = 0; p < kPacks; p++) {
    Out sum = 0;
#pragma unroll
    for (int k = 0; k < kItems; k++) sum += Out(packs[p].item[k]);
    Out through = warpInclusive(sum);
    starts[p] = carry + through - sum;
    carry += __shfl_sync(kAllLanes, through, kWarp - 1);
  }
  if (laneId() == 0) sums[warpId()] = u64(carry);
  __syncthreads();
  if (threadIdx.x < kWarp) {
    constexpr u32 kWarps = kScanThreads / kWarp;
    u64 mine = laneId() < kWarps ? sums[laneId()] : 0;
    u64 through = warpInclusive(mine);
    u64 tileSum = __shfl_sync(kAllLanes, through, kWarp - 1);
    u64 before = tilePrefix(scratch + 1, tile, tileSum);
    if (laneId() < kWarps) sums[laneId()] = before + through - mine;
    if (laneId() == 0 && (tile + 1) * kScanTile >= n) *total = before + tileSum;
  }
  __syncthreads();
  Out base = Out(sums[warpId()]);
#pragma unroll
  for (int p = 0; p < kPacks; p++) {
    i64 at = first + p * kItems * int(kWarp);
    Out running = base + starts[p];
    if (whole && sizeof(In) == sizeof(Out)) {
      Pack<Out> result;
#pragma unroll
      for (int k = 0; k < kItems && k < Pack<Out>::kItems; k++) {
        result.item[k] = running;
        running += Out(packs[p].item[k]);
      }
      storePack(out + at, result);
    } else {
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        if (at + k < n) out[at + k] = running;
        running += Out(packs[p].item[k]);
      }
    }
  }
}

}  // namespace gsql

KERNEL((256), gsql_scan_exclusive_u32, const uint32_t* in, uint32_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
KERNEL((256), gsql_scan_exclusive_u32u64, const uint32_t* in, uint64_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
KERNEL((256), gsql_scan_exclusive_u64, const uint64_t* in, uint64_t* out, int64_t n, uint64_t* total, uint64_t* scratch) {
  gsql::exclusiveScan(in, out, n, total, scratch);
}
