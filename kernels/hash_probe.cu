// Hash join, probe: count -> scan -> write for any build side; one pass that gives each
// probe row its only partner where build keys are unique.
//
// Cost: a random read a probe row (a sector of 32 bytes beyond the cache), the probe
// column once, the result once.
#include "hash_table.cuh"

namespace gsql {

// So many probes of a thread are in flight together.
constexpr int kProbeItems = 4;
constexpr int kDirectItems = 8;

// probeBatches calls take with each row, its key and a copy of the key's home bucket.
template <class Slots, class Take>
__device__ __forceinline__ void probeBatches(const typename Slots::Key* keys, i64 n, const void* table, u64 buckets,
                                             Take take) {
  for (i64 first = globalThread(); first < n; first += globalThreads() * kProbeItems) {
    typename Slots::Key key[kProbeItems];
    Bucket bucket[kProbeItems];
#pragma unroll
    for (int k = 0; k < kProbeItems; k++) {
      i64 i = first + k * globalThreads();
      key[k] = keys[i < n ? i : first];
    }
#pragma unroll
    for (int k = 0; k < kProbeItems; k++) bucket[k] = loadBucket(table, homeOf<Slots>(key[k], buckets));
#pragma unroll
    for (int k = 0; k < kProbeItems; k++) {
      i64 i = first + k * globalThreads();
      if (i < n) take(i, key[k], bucket[k]);
    }
  }
}

// probeCount sets counts[i] to how many build rows match probe row i.
template <class Slots>
__device__ void probeCount(const typename Slots::Key* keys, const uint8_t* valid, i64 n, const void* table,
                           u64 buckets, u32* counts) {
  probeBatches<Slots>(keys, n, table, buckets, [&](i64 i, auto key, const Bucket& home) {
    u32 matches = 0;
    auto count = [&](auto) {
      matches++;
      return false;
    };
    if (isValid(valid, i)) searchKey<Slots>(table, buckets, key, home, count);
    counts[i] = matches;
  });
}

// probeWrite writes the pairs of probe row i, as row numbers, from offsets[i] on.
template <class Slots>
__device__ void probeWrite(const typename Slots::Key* keys, const uint8_t* valid, i64 n, i64 firstRow,
                           const void* table, u64 buckets, const u64* offsets, typename Slots::Row* probeRows,
                           typename Slots::Row* buildRows) {
  using Row = typename Slots::Row;
  probeBatches<Slots>(keys, n, table, buckets, [&](i64 i, auto key, const Bucket& home) {
    if (!isValid(valid, i)) return;
    u64 out = offsets[i];
    searchKey<Slots>(table, buckets, key, home, [&](Row row) {
      probeRows[out] = Row(firstRow + i);
      buildRows[out] = row;
      out++;
      return false;
    });
  });
}

// probeUnique sets buildRows[i] to a match of probe row i, or -1.
template <class Slots>
__device__ void probeUnique(const typename Slots::Key* keys, const uint8_t* valid, i64 n, const void* table,
                            u64 buckets, typename Slots::Row* buildRows) {
  using Row = typename Slots::Row;
  probeBatches<Slots>(keys, n, table, buckets, [&](i64 i, auto key, const Bucket& home) {
    Row match = -1;
    auto take = [&](Row row) {
      match = row;
      return true;
    };
    if (isValid(valid, i)) searchKey<Slots>(table, buckets, key, home, take);
    buildRows[i] = match;
  });
}

// probeDirect does the same with a table of buildDirect for keys base .. base+range-1.
template <class Key>
__device__ void probeDirect(const Key* keys, const uint8_t* valid, i64 n, const i32* table, u64 base, u64 range,
                            i32* buildRows) {
  for (i64 first = globalThread(); first < n; first += globalThreads() * kDirectItems) {
    i32 row[kDirectItems];
#pragma unroll
    for (int k = 0; k < kDirectItems; k++) {
      i64 i = first + k * globalThreads();
      Key place = keys[i < n ? i : first] - Key(base);
      row[k] = place < range ? table[place] : -1;
    }
#pragma unroll
    for (int k = 0; k < kDirectItems; k++) {
      i64 i = first + k * globalThreads();
      if (i < n) buildRows[i] = isValid(valid, i) ? row[k] : -1;
    }
  }
}

}  // namespace gsql

#define PROBES(key, row, slots, suffix)                                                                             \
  KERNEL((256), gsql_hash_probe_count_##suffix, const key* keys, const uint8_t* valid, int64_t n, const void* table, \
         uint64_t buckets, uint32_t* counts) {                                                                     \
    gsql::probeCount<gsql::slots>(keys, valid, n, table, buckets, counts);                                         \
  }                                                                                                                 \
  KERNEL((256), gsql_hash_probe_write_##suffix, const key* keys, const uint8_t* valid, int64_t n, int64_t firstRow,  \
         const void* table, uint64_t buckets, const uint64_t* offsets, row* probeRows, row* buildRows) {           \
    gsql::probeWrite<gsql::slots>(keys, valid, n, firstRow, table, buckets, offsets, probeRows, buildRows);        \
  }                                                                                                                 \
  KERNEL((256), gsql_hash_probe_unique_##suffix, const key* keys, const uint8_t* valid, int64_t n,                   \
         const void* table, uint64_t buckets, row* buildRows) {                                                    \
    gsql::probeUnique<gsql::slots>(keys, valid, n, table, buckets, buildRows);                                     \
  }                                                                                                                 \
  KERNEL((256), gsql_direct_probe_##suffix, const key* keys, const uint8_t* valid, int64_t n, const int32_t* table,  \
         uint64_t base, uint64_t range, int32_t* buildRows) {                                                       \
    gsql::probeDirect(keys, valid, n, table, base, range, buildRows);                                               \
  }

PROBES(uint32_t, int32_t, Slots4, b4)
PROBES(uint64_t, int64_t, Slots8, b8)
#undef PROBES
