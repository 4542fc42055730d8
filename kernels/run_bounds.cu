// Range conditions against a sorted column: the run of it that each row of the other side
// joins, and how many of these runs cover each of its items.
//
// Work: a binary search a row and condition, whose last steps miss the cache where the
// column is large (42 G accesses/s). Bytes: 8 a row written.
#include "device.cuh"

namespace gsql {

// placeOf is how many keys of sorted are < key or, with ties, <= key.
template <class Key>
__device__ __forceinline__ i64 placeOf(const Key* sorted, i64 n, Key key, bool ties) {
  i64 low = 0, high = n;
  while (low < high) {
    i64 mid = low + (high - low) / 2;
    if (ties ? sorted[mid] <= key : sorted[mid] < key) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

// The bounds that a comparison of a row with the sorted column sets. Each is a place in it.
enum Bound : u64 {
  kFromFirst = 1,   // the run begins with the first item >= the row's value
  kFromBeyond = 2,  // with the first item > it
  kToFirst = 4,     // the run ends before the first item >= it
  kToBeyond = 8,    // before the first item > it
};

// runBounds narrows the runs [starts[i], ends[i]) of rows i by one condition; with first
// they are all of the column before. A run that is empty has equal ends. valid is nullptr
// where no row is NULL. The runs of NULL and of NaN are empty.
template <class Key>
__device__ void runBounds(const Key* sorted, i64 n, const Key* values, const uint8_t* valid, i64 rows, u64 bounds,
                          bool first, i32* starts, i32* ends) {
  for (i64 i = globalThread(); i < rows; i += globalThreads()) {
    i32 start = first ? 0 : starts[i], end = first ? i32(n) : ends[i];
    Key value = values[i];
    if ((valid != nullptr && valid[i] == 0) || value != value) {
      end = start;
    } else {
      if (bounds & (kFromFirst | kFromBeyond)) start = max(start, i32(placeOf(sorted, n, value, (bounds & kFromBeyond) != 0)));
      if (bounds & (kToFirst | kToBeyond)) end = min(end, i32(placeOf(sorted, n, value, (bounds & kToBeyond) != 0)));
    }
    starts[i] = start;
    ends[i] = max(start, end);
  }
}

}  // namespace gsql

#define RUN_BOUNDS(key, suffix)                                                                                  \
  KERNEL((256), gsql_run_bounds_##suffix, const key* sorted, int64_t n, const key* values, const uint8_t* valid, \
         int64_t rows, uint64_t bounds, uint64_t first, int32_t* starts, int32_t* ends) {                        \
    gsql::runBounds(sorted, n, values, valid, rows, bounds, first != 0, starts, ends);                           \
  }

RUN_BOUNDS(int32_t, i32)
RUN_BOUNDS(int64_t, i64)
RUN_BOUNDS(double, f64)
#undef RUN_BOUNDS

// gsql_run_lengths sets lengths[i] = ends[i] - starts[i].
KERNEL((256), gsql_run_lengths, const int32_t* starts, const int32_t* ends, int64_t n, uint64_t* lengths) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads()) lengths[i] = uint64_t(ends[i] - starts[i]);
}

// gsql_run_cover sets counts[k] to how many runs cover item k: begun[k] of them begin
// before it and ended[k] end there or before, both summed over the items up to k.
KERNEL((256), gsql_run_cover, const uint64_t* begun, const uint64_t* ended, int64_t n, uint64_t* counts) {
  for (int64_t k = gsql::globalThread(); k < n; k += gsql::globalThreads()) counts[k] = begun[k + 1] - ended[k + 1];
}
