// Open-addressing hash tables in device memory, in buckets of one memory sector.
//
// Kaldewey et al., GPU Join Processing Revisited (DaMoN 2012): built by compare-and-swap
// at more slots than rows. Here each key has one slot. A slot holds the key's hash, which
// is a bijection, and an entry of 32 bits: a row number, a run of rows or a value. A key
// goes to its home bucket or, where that is full, to the next one; slots of a bucket fill
// in order, so a free slot ends a search. Tables start as all ones bytes and have one
// bucket more than they are asked for, and some free slots.
#pragma once
#include "hash.cuh"
#include "vector.cuh"

namespace gsql {

// The bytes that a random access costs anyway.
constexpr int kBucketBytes = 32;

// kNoEntry is no key's entry.
constexpr u32 kNoEntry = ~u32(0);

// Slots4 holds 32-bit keys: a word is the hash above the entry.
struct Slots4 {
  using Key = u32;
  static constexpr int kSlots = 4;  // a bucket
  static constexpr int kWords = 1;  // a slot
  static __device__ __forceinline__ bool free(const u64* slot) { return u32(slot[0]) == kNoEntry; }
  static __device__ __forceinline__ Key hash(const u64* slot) { return Key(slot[0] >> 32); }
  static __device__ __forceinline__ u32 entry(const u64* slot) { return u32(slot[0]); }
  // claim takes a free slot; where another key has it, that one's hash is in *holder.
  static __device__ __forceinline__ bool claim(u64* slot, Key hash, u32 entry, Key* holder) {
    u64 before = atomicCAS(reinterpret_cast<ull*>(slot), ~ull(0), ull(u64(hash) << 32 | entry));
    *holder = Key(before >> 32);
    return before == ~u64(0);
  }
};

// Slots8 holds 64-bit keys: the hash claims the slot and the entry follows; build and probe
// are different launches. The hash ~0, which marks free slots, has the bucket after the
// last to itself: 0 and the entry.
struct Slots8 {
  using Key = u64;
  static constexpr int kSlots = 2;
  static constexpr int kWords = 2;
  static __device__ __forceinline__ bool free(const u64* slot) { return slot[0] == ~u64(0); }
  static __device__ __forceinline__ Key hash(const u64* slot) { return slot[0]; }
  static __device__ __forceinline__ u32 entry(const u64* slot) { return u32(slot[1]); }
  static __device__ __forceinline__ bool claim(u64* slot, Key hash, u32 entry, Key* holder) {
    *holder = atomicCAS(reinterpret_cast<ull*>(slot), ~ull(0), ull(hash));
    if (*holder != ~u64(0)) return false;
    slot[1] = entry;
    return true;
  }
};

// Bucket is a copy of one.
struct Bucket {
  u64 words[kBucketBytes / 8];
};

__device__ __forceinline__ Bucket loadBucket(const u64* table, u64 at) {
  const u64* p = table + at * (kBucketBytes / 8);
  Pack<u64> low = loadPack(p), high = loadPack(p + 2);
  return {{low.item[0], low.item[1], high.item[0], high.item[1]}};
}

// homeOf is the bucket where the search for a hash begins: the hash as a fraction of 1, so
// that hashes with the same high bits are near each other. 32-bit hashes serve up to 2^32
// buckets.
__device__ __forceinline__ u64 homeOf(u32 hash, u64 buckets) { return u64(hash) * buckets >> 32; }
__device__ __forceinline__ u64 homeOf(u64 hash, u64 buckets) {
  return hash == ~u64(0) ? buckets : __umul64hi(hash, buckets);
}

__device__ __forceinline__ u64 bucketAfter(u64 at, u64 buckets) { return at + 1 < buckets ? at + 1 : 0; }

// insertHash gives the hash a slot; false: it has one already. All rows of a key try the
// same slots in the same order, and each sees who holds those that it does not get, so
// of two rows with one key the later one meets the earlier.
template <class Slots>
__device__ __forceinline__ bool insertHash(u64* table, u64 buckets, typename Slots::Key hash, u32 entry) {
  u64 at = homeOf(hash, buckets);
  if (at == buckets) {
    u64* own = table + at * (kBucketBytes / 8);
    if (atomicCAS(reinterpret_cast<ull*>(own), ~ull(0), ull(0)) != ~ull(0)) return false;
    own[1] = entry;
    return true;
  }
  for (;; at = bucketAfter(at, buckets)) {
    Bucket seen = loadBucket(table, at);
#pragma unroll
    for (int s = 0; s < Slots::kSlots; s++) {
      const u64* slot = seen.words + s * Slots::kWords;
      typename Slots::Key holder = Slots::hash(slot);
      if (Slots::free(slot)) {
        u64* place = table + at * (kBucketBytes / 8) + s * Slots::kWords;
        if (Slots::claim(place, hash, entry, &holder)) return true;
      }
      if (holder == hash) return false;
    }
  }
}

// searchHash gives the hash's entry, or kNoEntry; bucket is its home bucket's copy.
template <class Slots>
__device__ __forceinline__ u32 searchHash(const u64* table, u64 buckets, typename Slots::Key hash, Bucket bucket) {
  u64 at = homeOf(hash, buckets);
  if (at == buckets) return bucket.words[0] == 0 ? u32(bucket.words[1]) : kNoEntry;
  for (;;) {
    u32 entry = kNoEntry;
    bool last = false;
#pragma unroll
    for (int s = 0; s < Slots::kSlots; s++) {
      const u64* slot = bucket.words + s * Slots::kWords;
      bool free = Slots::free(slot);
      last |= free;
      if (!free && Slots::hash(slot) == hash) entry = Slots::entry(slot);
    }
    if (last || entry != kNoEntry) return entry;
    at = bucketAfter(at, buckets);
    bucket = loadBucket(table, at);
  }
}

// isNaN tells of the bits of a double.
__device__ __forceinline__ bool isNaN(u64 bits) { return (bits & ~(u64(1) << 63)) > u64(0x7ff) << 52; }
__device__ __forceinline__ bool isNaN(u32) { return false; }

// isValid reads a column of validity bytes; no column means no NULLs.
__device__ __forceinline__ bool isValid(const uint8_t* valid, i64 i) { return valid == nullptr || valid[i] != 0; }

}  // namespace gsql
