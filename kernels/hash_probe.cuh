// Probes of hash tables and direct tables. A probe is begun, which loads a sector, and
// finished, so that several of a thread are in flight together.
#pragma once
#include "hash_table.cuh"

namespace gsql {

// HashProbes looks keys up in a hash table.
template <class Slots>
struct HashProbes {
  using Key = typename Slots::Key;
  static constexpr int kItems = 4;
  struct Probe {
    Key hash;
    Bucket home;
  };
  const u64* table;
  u64 buckets;
  __device__ __forceinline__ Probe begin(Key key) const {
    Key hash = hashKey(key);
    return {hash, loadBucket(table, homeOf(hash, buckets))};
  }
  __device__ __forceinline__ u32 finish(const Probe& p) const {
    return searchHash<Slots>(table, buckets, p.hash, p.home);
  }
};

// DirectProbes looks keys base .. base+range-1 up in an array of entries. Of an array larger than
// the cache it is a window: launches go through all rows once for each, in order, so that the
// random accesses are to the cache.
template <class K>
struct DirectProbes {
  using Key = K;
  using Probe = u32;
  static constexpr int kItems = 8;
  const u32* entries;
  u64 base, range;
  __device__ __forceinline__ Probe begin(Key key) const {
    Key place = key - Key(base);
    return place < range ? entries[place] : kNoEntry;
  }
  __device__ __forceinline__ u32 finish(Probe p) const { return p; }
};

// findEntries sets entry[k] to what the table holds for keys[first + k*step], kNoEntry for
// rows from n on and NULL keys. Keys are read once: they leave the cache to the table.
template <class Probes>
__device__ __forceinline__ void findEntries(const typename Probes::Key* keys, const uint8_t* valid, i64 first,
                                            i64 step, i64 n, const Probes& probes, u32 (&entry)[Probes::kItems]) {
  typename Probes::Key key[Probes::kItems];
  typename Probes::Probe probe[Probes::kItems];
#pragma unroll
  for (int k = 0; k < Probes::kItems; k++) {
    i64 i = first + k * step;
    key[k] = i < n ? __ldcs(&keys[i]) : 0;
  }
#pragma unroll
  for (int k = 0; k < Probes::kItems; k++) probe[k] = probes.begin(key[k]);
#pragma unroll
  for (int k = 0; k < Probes::kItems; k++) {
    i64 i = first + k * step;
    entry[k] = i < n && isValid(valid, i) ? probes.finish(probe[k]) : kNoEntry;
  }
}

// kManyRows marks an entry that is the start of a run of several rows.
constexpr u32 kManyRows = u32(1) << 31;

// Run is the partners of a probe row: rows [start, start+rows) of the build side's order.
struct Run {
  u32 start, rows;
};

// runOf reads an entry; lengths[start] is how many rows a marked one has. Without lengths
// entries are not marked and mean one row.
__device__ __forceinline__ Run runOf(u32 entry, const u32* lengths) {
  if (entry == kNoEntry) return {0, 0};
  if (lengths == nullptr) return {entry, 1};
  u32 start = entry & ~kManyRows;
  return {start, (entry & kManyRows) != 0 ? lengths[start] : 1};
}

}  // namespace gsql
