// Scans and sums within a warp and a block.
#pragma once
#include "device.cuh"

namespace gsql {

// warpInclusive is the inclusive prefix sum over the lanes of a whole warp.
template <class T>
__device__ __forceinline__ T warpInclusive(T v) {
#pragma unroll
  for (u32 d = 1; d < kWarp; d *= 2) {
    T below = __shfl_up_sync(kAllLanes, v, d);
    if (laneId() >= d) v += below;
  }
  return v;
}

// warpFold combines the lanes' values; all lanes get the result.
template <class T, class F>
__device__ __forceinline__ T warpFold(T v, F combine) {
#pragma unroll
  for (u32 d = kWarp / 2; d > 0; d /= 2) v = combine(v, __shfl_xor_sync(kAllLanes, v, int(d)));
  return v;
}

// blockExclusive gives each thread the sum of the threads before it, and the block's sum.
template <class T, int kThreads>
__device__ __forceinline__ T blockExclusive(T v, T& total) {
  constexpr int kWarps = kThreads / int(kWarp);
  using Sums = T[kWarps + 1];
  SHARED(Sums, sums);
  T inclusive = warpInclusive(v);
  if (laneId() == kWarp - 1) sums[warpId()] = inclusive;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    T mine = laneId() < kWarps ? sums[laneId()] : T(0);
    T through = warpInclusive(mine);
    __syncwarp();
    if (laneId() < kWarps) sums[laneId()] = through - mine;
    if (laneId() == kWarps - 1) sums[kWarps] = through;
  }
  __syncthreads();
  total = sums[kWarps];
  T before = sums[warpId()] + inclusive - v;
  __syncthreads();
  return before;
}

// blockFold combines the values of all threads; thread 0 gets the result.
template <class T, int kThreads, class F>
__device__ __forceinline__ T blockFold(T v, T neutral, F combine) {
  constexpr int kWarps = kThreads / int(kWarp);
  using Parts = T[kWarps];
  SHARED(Parts, parts);
  v = warpFold(v, combine);
  if (laneId() == 0) parts[warpId()] = v;
  __syncthreads();
  if (threadIdx.x < kWarp) v = warpFold(laneId() < kWarps ? parts[laneId()] : neutral, combine);
  __syncthreads();
  return v;
}

}  // namespace gsql
