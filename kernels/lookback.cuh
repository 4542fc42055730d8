// Decoupled look-back: prefixes over tiles within one launch.
//
// Merrill, Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back (NVIDIA
// NVR-2016-002). A tile publishes its own sum, then adds up its predecessors' until it
// meets one that has published the sum of everything up to itself.
#pragma once
#include "device.cuh"

namespace gsql {

// A state word: two flag bits above a sum of 62 bits. One word, so that flag and sum
// arrive together and no fence is needed. Zero means that nothing is published.
constexpr u64 kTileSum = u64(1) << 62;
constexpr u64 kPrefixSum = u64(2) << 62;
constexpr u64 kSumMask = kTileSum - 1;

template <class State>
__device__ __forceinline__ State awaitState(const State* state) {
  State seen = loadVolatile(state);
  while (seen == 0) {
    SPIN();
    seen = loadVolatile(state);
  }
  return seen;
}

// publishTile makes the tile's own sum known; one thread calls it before tilePrefix.
__device__ __forceinline__ void publishTile(u64* states, i64 tile, u64 sum) {
  storeVolatile(&states[tile], (tile == 0 ? kPrefixSum : kTileSum) | sum);
}

// tilePrefix returns the sum of all tiles before tile, whose own sum has been published; one
// whole warp calls it. States of lower tiles belong to blocks that have begun.
__device__ __forceinline__ u64 tilePrefix(u64* states, i64 tile, u64 sum) {
  u64 prefix = 0;
  for (i64 last = tile - 1; last >= 0; last -= kWarp) {
    i64 mine = last - i64(laneId());
    u64 word = mine < 0 ? kPrefixSum : awaitState(&states[mine]);
    u32 complete = __ballot_sync(kAllLanes, (word & kPrefixSum) != 0);
    u32 nearest = complete == 0 ? kWarp - 1 : u32(__ffs(int(complete)) - 1);
    u64 part = laneId() <= nearest ? word & kSumMask : 0;
    for (u32 d = kWarp / 2; d > 0; d /= 2) part += __shfl_xor_sync(kAllLanes, part, int(d));
    prefix += part;
    if (complete != 0) break;
  }
  if (tile > 0 && laneId() == 0) storeVolatile(&states[tile], kPrefixSum | (prefix + sum));
  return prefix;
}

// A bin's state is a word of 32 bits, of which there are 256 a tile: 0, 1 and the tile's own
// count, which is below kOwnCounts, or kOwnCounts + 1 and the count through it. Counts stay
// below 2^32 - 2^15.
constexpr u32 kOwnCounts = u32(1) << 15;

__device__ __forceinline__ void publishBin(u32* states, i64 tile, u32 bin, u32 count) {
  storeVolatile(&states[tile * 256 + bin], (tile == 0 ? kOwnCounts + 1 : 1) + count);
}

// binPrefix does what tilePrefix does for one of 256 bins by one thread; states are
// [tile][bin].
__device__ __forceinline__ u32 binPrefix(u32* states, i64 tile, u32 bin, u32 count) {
  u32 prefix = 0;
  for (i64 t = tile - 1; t >= 0; t--) {
    u32 word = awaitState(&states[t * 256 + bin]);
    bool complete = word > kOwnCounts;
    prefix += word - (complete ? kOwnCounts + 1 : 1);
    if (complete) break;
  }
  if (tile > 0) storeVolatile(&states[tile * 256 + bin], kOwnCounts + 1 + prefix + count);
  return prefix;
}

}  // namespace gsql
