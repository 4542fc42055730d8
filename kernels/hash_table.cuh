// Open-addressing hash tables in device memory, in buckets of one memory sector.
//
// Kaldewey et al., GPU Join Processing Revisited (DaMoN 2012): built by compare-and-swap
// at more slots than rows. A row takes a slot of its own, whatever its key: an
// insertion compares no keys. It goes to its home bucket or, where that is full, to the
// next one; so a bucket with a free slot ends a search. Tables start as all ones bytes
// and have any number of buckets whose slots are more than the rows.
#pragma once
#include "hash.cuh"
#include "vector.cuh"

namespace gsql {

// The bytes that a random access costs anyway.
constexpr int kBucketBytes = 32;

// Slots4 holds 32-bit keys: a word is the key above the row number. Row numbers are below
// 2^32 - 1, which marks a free slot.
struct Slots4 {
  using Key = u32;
  using Row = i32;
  static constexpr int kSlots = 4;  // a bucket
  static constexpr int kWords = 1;  // a slot
  static __device__ __forceinline__ bool free(const u64* slot) { return u32(slot[0]) == ~u32(0); }
  static __device__ __forceinline__ Key key(const u64* slot) { return Key(slot[0] >> 32); }
  static __device__ __forceinline__ Row row(const u64* slot) { return Row(u32(slot[0])); }
  static __device__ __forceinline__ bool claim(u64* slot, Key key, i64 row) {
    u64 word = u64(key) << 32 | u64(row);
    return atomicCAS(reinterpret_cast<ull*>(slot), ~ull(0), ull(word)) == ~ull(0);
  }
};

// Slots8 holds 64-bit keys: the row number claims the slot, the key follows. Build and
// probe are different launches, so that no probe sees one without the other.
struct Slots8 {
  using Key = u64;
  using Row = i64;
  static constexpr int kSlots = 2;
  static constexpr int kWords = 2;
  static __device__ __forceinline__ bool free(const u64* slot) { return slot[1] == ~u64(0); }
  static __device__ __forceinline__ Key key(const u64* slot) { return slot[0]; }
  static __device__ __forceinline__ Row row(const u64* slot) { return Row(slot[1]); }
  static __device__ __forceinline__ bool claim(u64* slot, Key key, i64 row) {
    if (atomicCAS(reinterpret_cast<ull*>(slot + 1), ~ull(0), ull(row)) != ~ull(0)) return false;
    slot[0] = key;
    return true;
  }
};

// Bucket is a copy of one.
struct Bucket {
  u64 words[kBucketBytes / 8];
};

__device__ __forceinline__ Bucket loadBucket(const void* table, u64 at) {
  const u64* p = static_cast<const u64*>(table) + at * (kBucketBytes / 8);
  Pack<u64> low = loadPack(p), high = loadPack(p + 2);
  return {{low.item[0], low.item[1], high.item[0], high.item[1]}};
}

// homeOf is the bucket where the search for a key begins: the hash as a fraction of 1.
// 32-bit hashes serve up to 2^32 buckets.
template <class Slots>
__device__ __forceinline__ u64 homeOf(typename Slots::Key key, u64 buckets) {
  auto hash = hashKey(key);
  return sizeof(hash) == 4 ? u64(hash) * buckets >> 32 : __umul64hi(u64(hash), buckets);
}

__device__ __forceinline__ u64 bucketAfter(u64 at, u64 buckets) { return at + 1 < buckets ? at + 1 : 0; }

// insertRow takes a slot for the row. The bucket's slots are tried from one on that the
// hash chooses, so that the first try mostly succeeds.
template <class Slots>
__device__ __forceinline__ void insertRow(void* table, u64 buckets, typename Slots::Key key, i64 row) {
  u32 first = u32(hashKey(key));
  for (u64 at = homeOf<Slots>(key, buckets);; at = bucketAfter(at, buckets)) {
    for (u32 s = 0; s < Slots::kSlots; s++) {
      u64 slot = at * Slots::kSlots + (first + s) % Slots::kSlots;
      if (Slots::claim(static_cast<u64*>(table) + slot * Slots::kWords, key, row)) return;
    }
  }
}

// searchKey calls found(row) for each row with the key, until one call returns true.
// bucket is the home bucket's copy.
template <class Slots, class Found>
__device__ __forceinline__ void searchKey(const void* table, u64 buckets, typename Slots::Key key, Bucket bucket,
                                          Found found) {
  u64 at = homeOf<Slots>(key, buckets);
  for (;;) {
    bool last = false;
#pragma unroll
    for (int s = 0; s < Slots::kSlots; s++) {
      const u64* slot = bucket.words + s * Slots::kWords;
      if (Slots::free(slot)) {
        last = true;
      } else if (Slots::key(slot) == key && found(Slots::row(slot))) {
        return;
      }
    }
    if (last) return;
    at = bucketAfter(at, buckets);
    bucket = loadBucket(table, at);
  }
}

// isValid reads a column of validity bytes; no column means no NULLs.
__device__ __forceinline__ bool isValid(const uint8_t* valid, i64 i) { return valid == nullptr || valid[i] != 0; }

}  // namespace gsql
