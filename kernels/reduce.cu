// Sum, minimum and maximum of a column. Each block leaves one part; the same operator
// over the parts with one block gives the result, in an order that does not vary.
//
// Bytes: every item read once.
#include "block.cuh"
#include "vector.cuh"

namespace gsql {

constexpr int kReduceThreads = 256;

template <class T>
struct Sum {
  static __device__ __forceinline__ T neutral() { return T(0); }
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct Min {
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct Max {
  __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// reduceParts folds in[0..n), n > 0, into parts[gridDim.x]. For minima and maxima the
// neutral value is in[0].
template <class In, class Out, class Fold>
__device__ void reduceParts(const In* in, Out* parts, i64 n, Out neutral, Fold fold) {
  constexpr int kItems = Pack<In>::kItems;
  constexpr int kUnroll = 4;
  Out result = neutral;
  i64 step = globalThreads() * kItems;
  i64 at = globalThread() * kItems;
  for (; at + (kUnroll - 1) * step + kItems <= n; at += kUnroll * step) {
    Pack<In> packs[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; u++) packs[u] = loadPack(in + at + u * step);
#pragma unroll
    for (int u = 0; u < kUnroll; u++) {
#pragma unroll
      for (int k = 0; k < kItems; k++) result = fold(result, Out(packs[u].item[k]));
    }
  }
  for (; at < n; at += step) {
    for (int k = 0; k < kItems && at + k < n; k++) result = fold(result, Out(in[at + k]));
  }
  result = blockFold<Out, kReduceThreads>(result, neutral, fold);
  if (threadIdx.x == 0) parts[blockIdx.x] = result;
}

}  // namespace gsql

#define REDUCE(in, out, suffix)                                                                    \
  KERNEL((256), gsql_reduce_sum_##suffix, const in* values, out* parts, int64_t n) {                  \
    gsql::reduceParts(values, parts, n, out(0), gsql::Sum<out>());                                  \
  }                                                                                                \
  KERNEL((256), gsql_reduce_min_##suffix, const in* values, out* parts, int64_t n) {                  \
    gsql::reduceParts(values, parts, n, out(values[0]), gsql::Min<out>());                          \
  }                                                                                                \
  KERNEL((256), gsql_reduce_max_##suffix, const in* values, out* parts, int64_t n) {                  \
    gsql::reduceParts(values, parts, n, out(values[0]), gsql::Max<out>());                          \
  }

// Integer sums are 64-bit and wrap around beyond.
REDUCE(int32_t, int64_t, i32)
REDUCE(int64_t, int64_t, i64)
REDUCE(double, double, f64)
#undef REDUCE
