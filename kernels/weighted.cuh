// What the aggregates of a column need, and how a block's threads add it up.
#pragma once
#include "block.cuh"

namespace gsql {

constexpr int kWeightedThreads = 256;

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

}  // namespace gsql
