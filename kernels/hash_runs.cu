// Hash join over build sides whose keys come more than once: the rows are sorted by the hash
// of their key, and the table's entry for a key is its run of rows in that order.
//
// Cost: build, the sorted hashes once and an insertion a key, at neighbouring places; find,
// a random sector read a probe row, another where its key has several rows, and 8 bytes
// written.
#include "hash_probe.cuh"

namespace gsql {

// runEnd is where the run that begins at first ends: found by steps that double, then by
// halves, so that long runs cost little.
template <class Key>
__device__ i64 runEnd(const Key* hashes, i64 first, i64 n) {
  Key hash = hashes[first];
  i64 step = 1;
  while (first + step < n && hashes[first + step] == hash) step *= 2;
  i64 inside = first + step / 2, outside = min(first + step, n);
  while (inside + 1 < outside) {
    i64 mid = inside + (outside - inside) / 2;
    if (hashes[mid] == hash) {
      inside = mid;
    } else {
      outside = mid;
    }
  }
  return outside;
}

// buildRuns inserts each run of n sorted hashes; lengths[start] is set where it is not 1.
// Runs of NaN stay out.
template <class Slots>
__device__ void buildRuns(const typename Slots::Key* hashes, i64 n, bool floating, u64* table, u64 buckets,
                          u32* lengths) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    typename Slots::Key hash = hashes[i];
    if ((i > 0 && hashes[i - 1] == hash) || (floating && isNaN(unhashKey(hash)))) continue;
    i64 rows = runEnd(hashes, i, n) - i;
    if (rows > 1) lengths[i] = u32(rows);
    insertHash<Slots>(table, buckets, hash, rows > 1 ? u32(i) | kManyRows : u32(i));
  }
}

// findRuns sets starts[i] and counts[i] to the partners of probe row i.
template <class Probes>
__device__ void findRuns(const typename Probes::Key* keys, const uint8_t* valid, i64 n, Probes probes,
                         const u32* lengths, u32* starts, u32* counts) {
  for (i64 first = globalThread(); first < n; first += globalThreads() * Probes::kItems) {
    u32 entry[Probes::kItems];
    findEntries(keys, valid, first, globalThreads(), n, probes, entry);
#pragma unroll
    for (int k = 0; k < Probes::kItems; k++) {
      i64 i = first + k * globalThreads();
      if (i >= n) break;
      Run run = runOf(entry[k], lengths);
      __stcs(&starts[i], run.start);
      __stcs(&counts[i], run.rows);
    }
  }
}

}  // namespace gsql

#define RUNS(key, slots, suffix)                                                                                        \
  KERNEL((256), gsql_hash_runs_build_##suffix, const key* hashes, int64_t n, uint64_t floating, uint64_t* table,          \
         uint64_t buckets, uint32_t* lengths) {                                                                           \
    gsql::buildRuns<gsql::slots>(hashes, n, floating != 0, table, buckets, lengths);                                    \
  }                                                                                                                      \
  KERNEL((256), gsql_hash_runs_find_##suffix, const key* keys, const uint8_t* valid, int64_t n, const uint64_t* table,    \
         uint64_t buckets, const uint32_t* lengths, uint32_t* starts, uint32_t* counts) {                                 \
    gsql::findRuns(keys, valid, n, gsql::HashProbes<gsql::slots>{table, buckets}, lengths, starts, counts);      \
  }

RUNS(uint32_t, Slots4, b4)
RUNS(uint64_t, Slots8, b8)
#undef RUNS
