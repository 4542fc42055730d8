// One level of a radix partition: all partitions of the level above are split by a digit
// of the rows' hashes in one launch.
//
// He et al. (SIGMOD 2008, 4.1 split) and Sioulas et al. (ICDE 2019): a block splits a tile
// in shared memory, so that rows leave in runs that coalesce, and takes room for its runs
// from a cursor a partition. Rows of a partition come in no order, so that one shared
// atomic a row ranks them, where a sort's stable pass needs a ballot a bit.
//
// Bytes: every key and value read once and written once.
#include "block.cuh"
#include "partition.cuh"

namespace gsql {

// Rows a thread, by the wider of key and value; without values: chosen by measurement.
template <class Key, class Value>
struct PartitionItems {
  static constexpr int kValue = sizeof(Key) == 8 || sizeof(Value) == 8 ? 10 : 20;
};
template <class Key>
struct PartitionItems<Key, KeyOnly> {
  static constexpr int kValue = sizeof(Key) == 8 ? 8 : 16;
};

// Split is a tile's rows in the order of their digits.
template <class Key, class Value, int kRows, bool kUnion = false>
struct Split {
  i64 destination[kBins];  // where a bin's first row goes, less its place in the tile
  u32 counts[kBins];
  Value values[kRows];
  Key keys[kRows];
};
template <class Key, class Value, int kRows>
struct Split<Key, Value, kRows, true> {
  i64 destination[kBins];  // where a bin's first row goes, less its place in the tile
  u32 counts[kBins];
  union {
    Value values[kRows];
    Key keys[kRows];
  };
};
template <class Key, int kRows>
struct Split<Key, KeyOnly, kRows, false> {
  i64 destination[kBins];
  u32 counts[kBins];
  Key keys[kRows];
};

// Rows is where a tile's values come from. Without a column they are the rows' numbers;
// addend is added to them. With high, low and high are the halves of 8-byte values.
template <class Value>
struct Rows {
  const Value* values;
  const u32* high;
  u64 addend;
  __device__ __forceinline__ Value at(i64 i) const {
    if (values == nullptr) return Value(u64(i) + addend);
    if (sizeof(Value) == 8 && high != nullptr)
      return Value(u64(reinterpret_cast<const u32*>(values)[i]) | u64(high[i]) << 32);
    return Value(values[i] + Value(addend));
  }
};
template <>
struct Rows<KeyOnly> {
  const KeyOnly* values;
  const u32* high;
  u64 addend;
};

// splitTile moves one tile; kWhole: it has kThreads * kItems rows.
template <bool kWhole, int kThreads, int kItems, bool kUnion, class Key, class Value>
__device__ __forceinline__ void splitTile(Split<Key, Value, kThreads * kItems, kUnion>& s, Tile tile, const Key* keysIn,
                                          Rows<Value> rows, Key* hashesOut, Value* valuesOut, u64* cursors,
                                          bool hashed, u32 shift, u32 mask) {
  constexpr bool kValues = !std::is_same_v<Value, KeyOnly>;
  auto inside = [&](int k) { return kWhole || threadIdx.x + u32(k) * kThreads < tile.rows; };
  auto digitOf = [&](Key hash) { return u32(hash >> shift) & mask; };
  Key hashes[kItems];
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (inside(k)) hashes[k] = keysIn[tile.first + threadIdx.x + k * kThreads];
  }
  if (!hashed) {
#pragma unroll
    for (int k = 0; k < kItems; k++) hashes[k] = hashKey(hashes[k]);
  }
  Packed<kItems, 16> ranks;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    ranks.set(k, inside(k) ? atomicAdd(&s.counts[digitOf(hashes[k])], 1u) : 0u);
  }
  __syncthreads();

  // Thread b < 256 owns bin b.
  u32 bin = threadIdx.x, count = 0;
  u64 taken = 0;
  if (bin < kBins) {
    count = s.counts[bin];
    if (count != 0) taken = atomicAdd(reinterpret_cast<ull*>(&cursors[bin]), ull(count));
  }
  u32 total;
  u32 start = blockExclusive<u32, kThreads>(count, total);
  if (bin < kBins) {
    s.counts[bin] = start;
    s.destination[bin] = i64(taken) - i64(start);
  }
  __syncthreads();
  // Places take the ranks' room; values are loaded once the hashes need no more.
  Packed<kItems, 16> places;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    u32 place = inside(k) ? s.counts[digitOf(hashes[k])] + ranks.get(k) : 0u;
    places.set(k, place);
    if (inside(k)) s.keys[place] = hashes[k];
  }
  if constexpr (kValues) {
    Value values[kItems];
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      if (inside(k)) values[k] = rows.at(tile.first + threadIdx.x + k * kThreads);
    }
    if constexpr (kUnion) {
      __syncthreads();
      Packed<kItems, 8> digits;
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        u32 place = threadIdx.x + u32(k) * kThreads;
        Key hash = inside(k) ? s.keys[place] : Key(0);
        u32 digit = digitOf(hash);
        digits.set(k, digit);
        if (inside(k)) hashesOut[s.destination[digit] + place] = hash;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        if (inside(k)) s.values[places.get(k)] = values[k];
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kItems; k++) {
        u32 place = threadIdx.x + u32(k) * kThreads;
        if (inside(k)) valuesOut[s.destination[digits.get(k)] + place] = s.values[place];
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      if (inside(k)) s.values[places.get(k)] = values[k];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (!inside(k)) break;
    u32 place = threadIdx.x + u32(k) * kThreads;
    Key hash = s.keys[place];
    i64 to = s.destination[digitOf(hash)] + place;
    hashesOut[to] = hash;
    if constexpr (kValues) valuesOut[to] = s.values[place];
  }
}

// The dynamic shared memory that launches ask for; abi.go has it too.
template <class Key, class Value>
constexpr size_t kSplitBytes = sizeof(Split<Key, Value, kPartitionThreads * PartitionItems<Key, Value>::kValue>);
static_assert(kSplitBytes<u32, KeyOnly> == 35840, "b4");
static_assert(kSplitBytes<u64, KeyOnly> == 35840, "b8");
static_assert(kSplitBytes<u32, u32> == 84992, "b4b4");
static_assert(kSplitBytes<u32, u64> == 64512, "b4b8");
static_assert(kSplitBytes<u64, u32> == 64512, "b8b4");
static_assert(kSplitBytes<u64, u64> == 84992, "b8b8");

// partitionPass splits the tile of this block. Digit d of partition p is written from
// cursors[(p << bits) + d] on, which ends where that partition ends. keysIn are keys, or
// with hashed the hashes that stand in their place: later levels and joins go on with
// hashes, which are as different as the keys were.
template <int kThreads, int kItems, class Key, class Value, bool kUnion = false>
__device__ void partitionPass(const Key* keysIn, Rows<Value> rows, Key* hashesOut, Value* valuesOut,
                              const Tile* tiles, u64* cursors, bool hashed, u32 shift, u32 bits) {
  auto& s = *reinterpret_cast<Split<Key, Value, kThreads * kItems, kUnion>*>(DYNAMIC_SHARED);
  Tile tile = tiles[blockIdx.x];
  if (tile.rows == 0) return;
  for (u32 b = threadIdx.x; b < kBins; b += kThreads) s.counts[b] = 0;
  __syncthreads();
  cursors += u64(tile.partition) << bits;
  u32 mask = (1u << bits) - 1;
  if (tile.rows < u32(kThreads * kItems)) {
    splitTile<false, kThreads, kItems, kUnion>(s, tile, keysIn, rows, hashesOut, valuesOut, cursors, hashed, shift, mask);
  } else {
    splitTile<true, kThreads, kItems, kUnion>(s, tile, keysIn, rows, hashesOut, valuesOut, cursors, hashed, shift, mask);
  }
}

}  // namespace gsql

#define PARTITION_ENTRY(name, key, value)                                                                            \
  KERNEL((512, 2), name, const key* keysIn, const void* valuesIn, const uint32_t* valuesHigh, uint64_t addend,         \
         key* hashesOut, void* valuesOut, const void* tiles, uint64_t* cursors, uint64_t hashed, uint64_t shift,     \
         uint64_t bits) {                                                                                            \
    gsql::partitionPass<gsql::kPartitionThreads, gsql::PartitionItems<key, value>::kValue, key, value>(                \
        keysIn, gsql::Rows<value>{static_cast<const value*>(valuesIn), valuesHigh, addend}, hashesOut,               \
        static_cast<value*>(valuesOut), static_cast<const gsql::Tile*>(tiles), cursors, hashed != 0,                 \
        uint32_t(shift), uint32_t(bits));                                                                            \
  }
PARTITION_ENTRY(gsql_partition_keys_b4, uint32_t, gsql::KeyOnly)
PARTITION_ENTRY(gsql_partition_keys_b8, uint64_t, gsql::KeyOnly)
PARTITION_ENTRY(gsql_partition_pass_b4b4, uint32_t, uint32_t)
PARTITION_ENTRY(gsql_partition_pass_b4b8, uint32_t, uint64_t)
PARTITION_ENTRY(gsql_partition_pass_b8b4, uint64_t, uint32_t)
PARTITION_ENTRY(gsql_partition_pass_b8b8, uint64_t, uint64_t)
#undef PARTITION_ENTRY
