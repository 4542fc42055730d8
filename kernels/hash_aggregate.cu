// Hash join, probe that aggregates the joined rows and writes none of them (Kaldewey et al.,
// GPU Join Processing Revisited, DaMoN 2012, the join pipelined into aggregation).
//
// Cost: a random sector read a probe row, the probe side's columns once; another random
// read a match where the values are the build side's and not in the table.
#include "hash_probe.cuh"
#include "weighted.cuh"

namespace gsql {

// Source says whose the values are.
enum Source : u64 { kNoValues, kProbeValues, kBuildValues, kEntryValues };

// Values is the column to aggregate: of the probe side, of the build side by row, or the
// table's entries, which are values less bias.
template <class T>
struct Values {
  const T* values;
  const uint8_t* valid;
  u64 source;
  u32 bias;
};

// PartOf is what a column of T adds up to.
template <class T>
struct PartOf {
  using Type = WeightedInteger;
  using Value = i64;
};
template <>
struct PartOf<f64> {
  using Type = WeightedDouble;
  using Value = f64;
};

// A block's part is that of the column and the number of joined rows. It starts as zeros and
// launches add to it.
constexpr int kRowsWord = kWeightedWords;
constexpr int kPartWords = kWeightedWords + 1;

// addToPart adds what the block's threads have, in an order that does not vary.
template <class Part>
__device__ void addToPart(Part mine, u64 rows, u64* parts) {
  u64* words = parts + i64(blockIdx.x) * kPartWords;
  Part before;
  before.read(words);
  if (threadIdx.x == 0 && before.count > 0) mine.combine(before);
  rows = blockFold<u64, kWeightedThreads>(rows, u64(0), [](u64 a, u64 b) { return a + b; });
  foldBlock(mine, words);
  if (threadIdx.x == 0) words[kRowsWord] += rows;
}

// aggregateProbes adds the joined rows of n probe rows to the block's part. lengths is as in
// runOf; without it each key has one row, which build values and entry values ask for.
template <class T, class Probes>
__device__ void aggregateProbes(const typename Probes::Key* keys, const uint8_t* valid, i64 n, Probes probes,
                                const u32* lengths, Values<T> column, u64* parts) {
  using Value = typename PartOf<T>::Value;
  typename PartOf<T>::Type all;
  all.clear();
  u64 rows = 0;
  for (i64 first = globalThread(); first < n; first += globalThreads() * Probes::kItems) {
    T value[Probes::kItems];
    u32 entry[Probes::kItems];
    findEntries(keys, valid, first, globalThreads(), n, probes, entry);
    if (column.source == kProbeValues) {
#pragma unroll
      for (int k = 0; k < Probes::kItems; k++)
        value[k] = entry[k] != kNoEntry ? __ldcs(&column.values[first + k * globalThreads()]) : T(0);
    }
#pragma unroll
    for (int k = 0; k < Probes::kItems; k++) {
      Run run = runOf(entry[k], lengths);
      if (run.rows == 0) continue;
      rows += run.rows;
      if (column.source == kNoValues) continue;
      if (column.source == kEntryValues) {
        all.add(Value(i32(entry[k] + column.bias)), 1);
        continue;
      }
      bool ofBuild = column.source == kBuildValues;
      i64 row = ofBuild ? i64(run.start) : first + k * globalThreads();
      if (isValid(column.valid, row)) all.add(Value(ofBuild ? column.values[row] : value[k]), run.rows);
    }
  }
  addToPart(all, rows, parts);
}

}  // namespace gsql

#define AGGREGATE_PROBES(key, slots, type, suffix)                                                                     \
  KERNEL((256, 4), gsql_hash_aggregate_##suffix, const key* keys, const uint8_t* valid, int64_t n,                     \
         const uint64_t* table, uint64_t buckets, const uint32_t* lengths, const type* values,                          \
         const uint8_t* valuesValid, uint64_t source, uint64_t bias, uint64_t* parts) {                                 \
    gsql::aggregateProbes<type>(keys, valid, n, gsql::HashProbes<gsql::slots>{table, buckets}, lengths,                 \
                                gsql::Values<type>{values, valuesValid, source, uint32_t(bias)}, parts);                \
  }                                                                                                                     \
  KERNEL((256, 4), gsql_direct_aggregate_##suffix, const key* keys, const uint8_t* valid, int64_t n,                    \
         const uint32_t* table, uint64_t base, uint64_t range, const type* values, const uint8_t* valuesValid,          \
         uint64_t source, uint64_t bias, uint64_t* parts) {                                                             \
    gsql::aggregateProbes<type>(keys, valid, n, gsql::DirectProbes<key>{table, base, range}, nullptr,                   \
                                gsql::Values<type>{values, valuesValid, source, uint32_t(bias)}, parts);                \
  }

AGGREGATE_PROBES(uint32_t, Slots4, int32_t, b4i32)
AGGREGATE_PROBES(uint32_t, Slots4, int64_t, b4i64)
AGGREGATE_PROBES(uint32_t, Slots4, double, b4f64)
AGGREGATE_PROBES(uint64_t, Slots8, int32_t, b8i32)
AGGREGATE_PROBES(uint64_t, Slots8, int64_t, b8i64)
AGGREGATE_PROBES(uint64_t, Slots8, double, b8f64)
#undef AGGREGATE_PROBES
