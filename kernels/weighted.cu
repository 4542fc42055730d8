// Aggregates over a join's output from one side's rows and how often each occurs in it.
//
// Bytes: every value, its validity and its count read once; 2^27 rows of 4-byte values
// without NULLs are 1.6 GB, 0.38 ms at 4.2 TB/s.
#include "weighted.cuh"

namespace gsql {

// Rows of a thread whose loads are in flight together.
constexpr int kWeightedItems = 4;

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
