// Aggregates over a join's output from the inputs' rows and how often each occurs in it.
//
// Bytes: every value and count read once.
#include "block.cuh"

namespace gsql {

constexpr int kWeightedThreads = 256;

// weightedSum leaves in parts[2*b], parts[2*b+1] the low and high half of block b's part
// of the sum of values[i]*counts[i]: a signed 128-bit number, exact for any 64-bit values
// while the counts add up to less than 2^63.
template <class T>
__device__ void weightedSum(const T* values, const u64* counts, i64 n, u64* parts) {
  using Sums = __int128[kWeightedThreads];
  SHARED(Sums, sums);
  __int128 sum = 0;
  for (i64 i = globalThread(); i < n; i += globalThreads()) sum += __int128(i64(values[i])) * __int128(counts[i]);
  sums[threadIdx.x] = sum;
  for (u32 half = kWeightedThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    parts[2 * blockIdx.x] = u64(sums[0]);
    parts[2 * blockIdx.x + 1] = u64(sums[0] >> 64);
  }
}

// weightedSumDouble leaves block b's part in parts[b].
__device__ inline void weightedSumDouble(const f64* values, const u64* counts, i64 n, f64* parts) {
  f64 sum = 0;
  for (i64 i = globalThread(); i < n; i += globalThreads()) sum += values[i] * f64(counts[i]);
  sum = blockFold<f64, kWeightedThreads>(sum, 0.0, [](f64 a, f64 b) { return a + b; });
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

}  // namespace gsql

KERNEL((256), gsql_weighted_sum_i32, const int32_t* values, const uint64_t* counts, int64_t n, uint64_t* parts) {
  gsql::weightedSum(values, counts, n, parts);
}
KERNEL((256), gsql_weighted_sum_i64, const int64_t* values, const uint64_t* counts, int64_t n, uint64_t* parts) {
  gsql::weightedSum(values, counts, n, parts);
}
KERNEL((256), gsql_weighted_sum_f64, const double* values, const uint64_t* counts, int64_t n, double* parts) {
  gsql::weightedSumDouble(values, counts, n, parts);
}
