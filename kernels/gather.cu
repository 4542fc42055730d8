// Gather and scatter: the two ways to move rows by a map of row numbers.
//
// Bytes: the map and the dense side stream; the sparse side costs a sector of 32 bytes
// an access where rows are far apart.
#include "device.cuh"

namespace gsql {

// Several accesses of a thread are in flight before the first is used.
constexpr int kMapItems = 4;

// gatherRows sets out[i] = in[map[i]]. A negative row number gives 0.
template <class T, class Row>
__device__ void gatherRows(const T* in, const Row* map, T* out, i64 n) {
  for (i64 at = globalThread(); at < n; at += globalThreads() * kMapItems) {
    T value[kMapItems];
#pragma unroll
    for (int k = 0; k < kMapItems; k++) {
      i64 i = at + k * globalThreads();
      i64 row = i < n ? i64(map[i]) : -1;
      value[k] = row >= 0 ? in[row] : T(0);
    }
#pragma unroll
    for (int k = 0; k < kMapItems; k++) {
      i64 i = at + k * globalThreads();
      if (i < n) out[i] = value[k];
    }
  }
}

// scatterRows sets out[map[i]] = in[i]; no two i have the same row. Negative rows are
// left out.
template <class T, class Row>
__device__ void scatterRows(const T* in, const Row* map, T* out, i64 n) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    i64 row = i64(map[i]);
    if (row >= 0) out[row] = in[i];
  }
}

}  // namespace gsql

#define MAPPED(type, row, suffix)                                                                     \
  KERNEL((256), gsql_gather_rows_##suffix, const type* in, const row* map, type* out, int64_t n) {       \
    gsql::gatherRows(in, map, out, n);                                                                \
  }                                                                                                   \
  KERNEL((256), gsql_scatter_rows_##suffix, const type* in, const row* map, type* out, int64_t n) {      \
    gsql::scatterRows(in, map, out, n);                                                               \
  }

MAPPED(uint8_t, int32_t, b1i32)
MAPPED(uint32_t, int32_t, b4i32)
MAPPED(uint64_t, int32_t, b8i32)
MAPPED(uint8_t, int64_t, b1i64)
MAPPED(uint32_t, int64_t, b4i64)
MAPPED(uint64_t, int64_t, b8i64)
#undef MAPPED
