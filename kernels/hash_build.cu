// Hash join, build: each key of the build side into a table (hash_table.cuh), or into an
// array indexed by the key where keys are dense (perfect addressing).
//
// Cost: a random sector read and a compare-and-swap a row, local ones where rows come
// ordered by the high bits of the hash; a random write a row of an array, and its entries
// read once. Rows with a NULL key or NaN match nothing and stay out. Where a key comes twice
// the table is of no use, and one over runs of equal keys is built: *duplicates becomes 1
// and the launch ends early.
#include "block.cuh"
#include "hash_table.cuh"

namespace gsql {

constexpr int kBuildThreads = 256;
// Rows of a thread whose keys are read together.
constexpr int kBuildItems = 4;

// addCount adds what the block's threads have counted to *total.
__device__ __forceinline__ void addCount(u64 mine, u64* total) {
  u64 all = blockFold<u64, kBuildThreads>(mine, u64(0), [](u64 a, u64 b) { return a + b; });
  if (threadIdx.x == 0 && all != 0) atomicAdd(reinterpret_cast<ull*>(total), ull(all));
}

// Entries says what a table holds for row r: the number, or values[r] - bias, which is never
// kNoEntry.
struct Entries {
  const u32* values;
  u32 bias;
  __device__ __forceinline__ u32 of(i64 row) const { return values == nullptr ? u32(row) : values[row] - bias; }
};

// buildTable inserts the n keys of rows from firstRow on. valid and entries go by row. More
// launches may add further rows.
template <class Slots>
__device__ void buildTable(const typename Slots::Key* keys, bool floating, i64 firstRow, i64 n, const uint8_t* valid,
                           Entries entries, u64* table, u64 buckets, u64* duplicates) {
  for (i64 i = globalThread(); i < n && loadVolatile(duplicates) == 0; i += globalThreads()) {
    i64 row = firstRow + i;
    typename Slots::Key key = keys[i];
    if (!isValid(valid, row) || (floating && isNaN(key))) continue;
    if (!insertHash<Slots>(table, buckets, hashKey(key), entries.of(row))) *duplicates = 1;
  }
}

// buildDirect sets table[key - base] to the row's entry, for keys below base + range. Where keys
// repeat one of their rows stays, so that fewer entries are set than *inserted becomes.
template <class Key>
__device__ void buildDirect(const Key* keys, i64 firstRow, i64 n, const uint8_t* valid, Entries entries, u32* table,
                            u64 base, u64 range, u64* inserted) {
  u64 mine = 0;
  for (i64 first = globalThread(); first < n; first += globalThreads() * kBuildItems) {
    Key key[kBuildItems];
#pragma unroll
    for (int k = 0; k < kBuildItems; k++) {
      i64 i = first + k * globalThreads();
      key[k] = i < n ? keys[i] : 0;
    }
#pragma unroll
    for (int k = 0; k < kBuildItems; k++) {
      i64 i = first + k * globalThreads();
      Key place = key[k] - Key(base);
      if (i >= n || place >= range || !isValid(valid, firstRow + i)) continue;
      table[place] = entries.of(firstRow + i);
      mine++;
    }
  }
  addCount(mine, inserted);
}

// countEntries adds to *set how many of n entries are set.
__device__ inline void countEntries(const u32* table, i64 n, u64* set) {
  u64 mine = 0;
  i64 packs = n / 4;
  for (i64 i = globalThread(); i < packs; i += globalThreads()) {
    Pack<u32> pack = loadPack(table + 4 * i);
#pragma unroll
    for (int k = 0; k < 4; k++) mine += pack.item[k] != kNoEntry;
  }
  for (i64 i = packs * 4 + globalThread(); i < n; i += globalThreads()) mine += table[i] != kNoEntry;
  addCount(mine, set);
}

}  // namespace gsql

#define BUILDS(key, slots, suffix)                                                                                     \
  KERNEL((256), gsql_hash_build_##suffix, const key* keys, uint64_t floating, int64_t firstRow, int64_t n,             \
         const uint8_t* valid, const uint32_t* values, uint64_t bias, uint64_t* table, uint64_t buckets,                \
         uint64_t* duplicates) {                                                                                        \
    gsql::buildTable<gsql::slots>(keys, floating != 0, firstRow, n, valid, {values, uint32_t(bias)}, table, buckets,    \
                                  duplicates);                                                                          \
  }                                                                                                                     \
  KERNEL((256), gsql_direct_build_##suffix, const key* keys, int64_t firstRow, int64_t n, const uint8_t* valid,         \
         const uint32_t* values, uint64_t bias, uint32_t* table, uint64_t base, uint64_t range, uint64_t* inserted) {   \
    gsql::buildDirect(keys, firstRow, n, valid, {values, uint32_t(bias)}, table, base, range, inserted);                \
  }

BUILDS(uint32_t, Slots4, b4)
BUILDS(uint64_t, Slots8, b8)
#undef BUILDS

KERNEL((256), gsql_direct_count, const uint32_t* table, int64_t n, uint64_t* set) { gsql::countEntries(table, n, set); }
