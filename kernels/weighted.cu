// Aggregates over a join's output from one side's rows and how often each occurs in it.
//
// Bytes: every value, its validity and its count read once; 2^27 rows of 4-byte values
// without NULLs are 1.6 GB, 0.38 ms at 4.2 TB/s.
#include "block.cuh"

namespace gsql {

constexpr int kWeightedThreads = 256;
// Rows of a thread whose loads are in flight together.
constexpr int kWeightedItems = 4;

// Weighted is what the aggregates of a column need: five words. sum is exact for any
// 64-bit integers while the counts add up to less than 2^63. Without rows low and high
// are the neutral values of minimum and maximum.
template <class Sum, class Value>
struct Weighted {
  Sum sum;
  u64 count;
  Value low, high;
  __device__ __forceinline__ void combine(const Weighted& other) {
    sum += other.sum;
    count += other.count;
    low = other.low < low ? other.low : low;
    high = high < other.high ? other.high : high;
  }
};

// Types of a column's aggregates: sum, value, and the bounds that no value exceeds.
struct WeightedInteger : Weighted<__int128, i64> {
  __device__ __forceinline__ void clear() {
    sum = 0;
    count = 0;
    low = i64(~u64(0) >> 1);
    high = -low - 1;
  }
  __device__ __forceinline__ void add(i64 value, u64 times) {
    sum += __int128(value) * __int128(times);
    count += times;
    if (times == 0) return;
    low = value < low ? value : low;
    high = high < value ? value : high;
  }
  __device__ __forceinline__ void write(u64* words) const {
    words[0] = u64(sum);
    words[1] = u64(sum >> 64);
    words[2] = count;
    words[3] = u64(low);
    words[4] = u64(high);
  }
  __device__ __forceinline__ void read(const u64* words) {
    sum = (__int128(i64(words[1])) << 64) + words[0];
    count = words[2];
    low = i64(words[3]);
    high = i64(words[4]);
  }
};

struct WeightedDouble : Weighted<f64, f64> {
  __device__ __forceinline__ void clear() {
    sum = 0;
    count = 0;
    low = 1 / f64(0);
    high = -low;
  }
  __device__ __forceinline__ void add(f64 value, u64 times) {
    if (times == 0) return;
    sum += value * f64(times);
    count += times;
    low = value < low ? value : low;
    high = high < value ? value : high;
  }
  __device__ __forceinline__ void write(u64* words) const {
    memcpy(&words[0], &sum, 8);
    words[1] = 0;
    words[2] = count;
    memcpy(&words[3], &low, 8);
    memcpy(&words[4], &high, 8);
  }
  __device__ __forceinline__ void read(const u64* words) {
    memcpy(&sum, &words[0], 8);
    count = words[2];
    memcpy(&low, &words[3], 8);
    memcpy(&high, &words[4], 8);
  }
};

constexpr int kWeightedWords = 5;

// foldBlock combines the threads' parts and writes the block's to words.
template <class Part>
__device__ __forceinline__ void foldBlock(const Part& mine, u64* words) {
  using Parts = Part[kWeightedThreads];
  SHARED(Parts, parts);
  parts[threadIdx.x] = mine;
  for (u32 half = kWeightedThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x].combine(parts[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) parts[0].write(words);
}

// weightedParts leaves in block b's five words of parts the aggregates of the values that
// are not NULL, each as often as counts says.
template <class Part, class T>
__device__ void weightedParts(const T* values, const uint8_t* valid, const u64* counts, i64 n, u64* parts) {
  Part mine;
  mine.clear();
  for (i64 at = globalThread(); at < n; at += globalThreads() * kWeightedItems) {
    T value[kWeightedItems];
    u64 times[kWeightedItems];
#pragma unroll
    for (int k = 0; k < kWeightedItems; k++) {
      i64 i = at + k * globalThreads();
      bool there = i < n && (valid == nullptr || valid[i] != 0);
      times[k] = there ? counts[i] : 0;
      value[k] = there ? values[i] : T(0);
    }
#pragma unroll
    for (int k = 0; k < kWeightedItems; k++) mine.add(value[k], times[k]);
  }
  foldBlock(mine, parts + kWeightedWords * blockIdx.x);
}

// weightedFold combines n blocks' parts; one block.
template <class Part>
__device__ void weightedFold(const u64* parts, i64 n, u64* result) {
  Part mine;
  mine.clear();
  for (i64 i = threadIdx.x; i < n; i += kWeightedThreads) {
    Part part;
    part.read(parts + kWeightedWords * i);
    mine.combine(part);
  }
  foldBlock(mine, result);
}

}  // namespace gsql

#define WEIGHTED_PARTS(type, part, suffix)                                                                       \
  KERNEL((256), gsql_weighted_parts_##suffix, const type* values, const uint8_t* valid, const uint64_t* counts, \
         int64_t n, uint64_t* parts) {                                                                           \
    gsql::weightedParts<gsql::part>(values, valid, counts, n, parts);                                            \
  }
#define WEIGHTED_FOLD(part, suffix)                                                                     \
  KERNEL((256), gsql_weighted_fold_##suffix, const uint64_t* parts, int64_t n, uint64_t* result) { \
    gsql::weightedFold<gsql::part>(parts, n, result);                                                   \
  }

WEIGHTED_PARTS(int32_t, WeightedInteger, i32)
WEIGHTED_PARTS(int64_t, WeightedInteger, i64)
WEIGHTED_PARTS(double, WeightedDouble, f64)
WEIGHTED_FOLD(WeightedInteger, i64)
WEIGHTED_FOLD(WeightedDouble, f64)
#undef WEIGHTED_PARTS
#undef WEIGHTED_FOLD
