// Hash join, build: every row of the build side into a table (hash_table.cuh), or into an
// array indexed by the key where keys are dense (perfect addressing).
//
// Cost: a random compare-and-swap a row.
#include "hash_table.cuh"

namespace gsql {

// buildTable inserts rows [0, n) with the numbers firstRow, firstRow+1, ...; rows with a
// NULL key match nothing and stay out. More launches may add further rows.
template <class Slots>
__device__ void buildTable(const typename Slots::Key* keys, const uint8_t* valid, i64 n, i64 firstRow, void* table,
                           u64 buckets) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    if (isValid(valid, i)) insertRow<Slots>(table, buckets, keys[i], firstRow + i);
  }
}

// buildDirect sets table[key - base] to the row. *duplicates becomes 1 where a key comes
// twice: then the table is of no use, and a hash table must be built.
template <class Key>
__device__ void buildDirect(const Key* keys, const uint8_t* valid, i64 n, i64 firstRow, i32* table, u64 base,
                            u64* duplicates) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    if (!isValid(valid, i)) continue;
    i32 before = atomicExch(&table[keys[i] - Key(base)], i32(firstRow + i));
    if (before != -1) *duplicates = 1;
  }
}

}  // namespace gsql

KERNEL((256), gsql_hash_build_b4, const uint32_t* keys, const uint8_t* valid, int64_t n, int64_t firstRow, void* table,
       uint64_t buckets) {
  gsql::buildTable<gsql::Slots4>(keys, valid, n, firstRow, table, buckets);
}
KERNEL((256), gsql_hash_build_b8, const uint64_t* keys, const uint8_t* valid, int64_t n, int64_t firstRow, void* table,
       uint64_t buckets) {
  gsql::buildTable<gsql::Slots8>(keys, valid, n, firstRow, table, buckets);
}
KERNEL((256), gsql_direct_build_b4, const uint32_t* keys, const uint8_t* valid, int64_t n, int64_t firstRow,
       int32_t* table, uint64_t base, uint64_t* duplicates) {
  gsql::buildDirect(keys, valid, n, firstRow, table, base, duplicates);
}
KERNEL((256), gsql_direct_build_b8, const uint64_t* keys, const uint8_t* valid, int64_t n, int64_t firstRow,
       int32_t* table, uint64_t base, uint64_t* duplicates) {
  gsql::buildDirect(keys, valid, n, firstRow, table, base, duplicates);
}
