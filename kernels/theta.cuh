// Join conditions in the form in which the nested loop evaluates them.
//
// A column of the other side is words: unsigned integers of 32 or 64 bits in the order of
// its values. A row of the owning side then allows, whatever the operator is, an interval
// [low, high] of words, cyclic where all words but one are allowed. Columns and intervals
// of a conjunction are arrays one after the other, a stride apart.
#pragma once
#include "device.cuh"
#include "vector.cuh"

namespace gsql {

// Intervals holds one row's intervals for K columns of the other side.
template <int K, class W>
struct Intervals {
  using Word = W;
  static constexpr int kColumns = K;
  Word low[K], span[K];
  __device__ __forceinline__ void load(const Word* lows, const Word* highs, i64 stride, i64 row) {
#pragma unroll
    for (int c = 0; c < K; c++) {
      low[c] = lows[c * stride + row];
      span[c] = highs[c * stride + row] - low[c];
    }
  }
  // allows subtracts and compares once a column: the subtraction wraps around.
  __device__ __forceinline__ bool allows(const Word (&other)[K]) const {
    bool all = true;
#pragma unroll
    for (int c = 0; c < K; c++) all &= Word(other[c] - low[c]) <= span[c];
    return all;
  }
  __device__ __forceinline__ u32 matches(const Word (&other)[K]) const { return allows(other) ? 1u : 0u; }
};

// LowerBounds holds intervals that have no upper end: one comparison a column.
template <int K, class W>
struct LowerBounds {
  using Word = W;
  static constexpr int kColumns = K;
  Word low[K];
  __device__ __forceinline__ void load(const Word* lows, const Word*, i64 stride, i64 row) {
#pragma unroll
    for (int c = 0; c < K; c++) low[c] = lows[c * stride + row];
  }
  __device__ __forceinline__ u32 matches(const Word (&other)[K]) const {
    bool all = true;
#pragma unroll
    for (int c = 0; c < K; c++) all &= low[c] <= other[c];
    return all ? 1u : 0u;
  }
};

// NarrowLowerBound is a lower bound where all words are below 2^31: the sign of a
// difference then is the answer, which needs no comparison.
struct NarrowLowerBound {
  using Word = u32;
  static constexpr int kColumns = 1;
  u32 below;
  __device__ __forceinline__ void load(const u32* lows, const u32*, i64, i64 row) { below = lows[row] - 1; }
  __device__ __forceinline__ u32 matches(const u32 (&other)[1]) const { return (below - other[0]) >> 31; }
};

}  // namespace gsql
