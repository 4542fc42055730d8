// Sorted search: for each key of one sorted column its place in another, by merge path.
//
// Green, McColl, Bader: GPU Merge Path (ICS 2012). The two columns' merge is cut into
// equal parts, so that every thread does the same work whatever the data.
//
// Bytes: both columns read once, one row number written for each key of the second.
#include "device.cuh"

namespace gsql {

constexpr int kMergeThreads = 256;
constexpr int kMergeItems = 8;
constexpr int kMergeTile = kMergeThreads * kMergeItems;

// mergeSplit is how many of the first d items of the merge come from a. A key of a comes
// before an equal one of b where ties is set.
template <class Key, class Index>
__device__ __forceinline__ Index mergeSplit(const Key* a, Index na, const Key* b, Index nb, Index d, bool ties) {
  Index low = d > nb ? d - nb : 0, high = d < na ? d : na;
  while (low < high) {
    Index mid = low + (high - low) / 2;
    bool before = ties ? a[mid] <= b[d - 1 - mid] : a[mid] < b[d - 1 - mid];
    if (before) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

// sortedSearch sets places[j] to how many keys of a are < b[j] or, with ties, <= b[j].
// One block for each kMergeTile items of the merge of a[0..na) and b[0..nb).
template <class Key>
__device__ void sortedSearch(const Key* a, i64 na, const Key* b, i64 nb, i64* places, bool ties) {
  using Keys = Key[kMergeTile];
  SHARED(Keys, keys);
  using Splits = i64[2];
  SHARED(Splits, splits);
  i64 first = i64(blockIdx.x) * kMergeTile;
  i64 last = min(first + kMergeTile, na + nb);
  if (threadIdx.x < 2) splits[threadIdx.x] = mergeSplit(a, na, b, nb, threadIdx.x == 0 ? first : last, ties);
  __syncthreads();
  i64 aFirst = splits[0], bFirst = first - aFirst;
  int aCount = int(splits[1] - aFirst), bCount = int(last - first) - aCount;
  for (int i = int(threadIdx.x); i < aCount + bCount; i += kMergeThreads)
    keys[i] = i < aCount ? a[aFirst + i] : b[bFirst + i - aCount];
  __syncthreads();
  const Key* as = keys;
  const Key* bs = keys + aCount;
  int d = int(threadIdx.x) * kMergeItems;
  if (d >= aCount + bCount) return;
  int i = mergeSplit(as, aCount, bs, bCount, d, ties);
  int j = d - i;
  for (int k = 0; k < kMergeItems && d + k < aCount + bCount; k++) {
    bool takeA = j >= bCount || (i < aCount && (ties ? as[i] <= bs[j] : as[i] < bs[j]));
    if (takeA) {
      i++;
    } else {
      places[bFirst + j] = aFirst + i;
      j++;
    }
  }
}

}  // namespace gsql

#define SORTED_SEARCH(key, suffix)                                                                            \
  KERNEL((256), gsql_merge_search_##suffix, const key* a, int64_t na, const key* b, int64_t nb, int64_t* places, \
         uint64_t ties) {                                                                                     \
    gsql::sortedSearch(a, na, b, nb, places, ties != 0);                                                      \
  }

SORTED_SEARCH(int32_t, i32)
SORTED_SEARCH(int64_t, i64)
SORTED_SEARCH(double, f64)
#undef SORTED_SEARCH
