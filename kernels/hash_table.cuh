// Open-addressing hash tables in device memory, with linear probing.
//
// Kaldewey et al., GPU Join Processing Revisited (DaMoN 2012): built by compare-and-swap
// at twice the rows or more. A row takes a slot of its own, whatever its key: duplicates
// stand in one run, and an insertion compares no keys. Tables start as all ones bytes;
// capacities are powers of two.
#pragma once
#include "hash.cuh"
#include "vector.cuh"

namespace gsql {

// Slots4 holds 32-bit keys: a word is the key above the row number. Row numbers are below
// 2^32 - 1, which marks a free slot.
struct Slots4 {
  using Key = u32;
  using Row = i32;
  struct Slot {
    u64 word;
    __device__ __forceinline__ bool free() const { return u32(word) == ~u32(0); }
    __device__ __forceinline__ Key key() const { return Key(word >> 32); }
    __device__ __forceinline__ Row row() const { return Row(u32(word)); }
  };
  static __device__ __forceinline__ Slot load(const void* table, u64 at) {
    return {static_cast<const u64*>(table)[at]};
  }
  static __device__ __forceinline__ bool claim(void* table, u64 at, Key key, i64 row) {
    u64 word = u64(key) << 32 | u64(row);
    return atomicCAS(static_cast<ull*>(table) + at, ~ull(0), ull(word)) == ~ull(0);
  }
};

// Slots8 holds 64-bit keys: the row number claims the slot, the key follows. Build and
// probe are different launches, so that no probe sees one without the other.
struct Slots8 {
  using Key = u64;
  using Row = i64;
  struct Slot {
    Pack<u64> pair;
    __device__ __forceinline__ bool free() const { return pair.item[1] == ~u64(0); }
    __device__ __forceinline__ Key key() const { return pair.item[0]; }
    __device__ __forceinline__ Row row() const { return Row(pair.item[1]); }
  };
  static __device__ __forceinline__ Slot load(const void* table, u64 at) {
    return {loadPack(static_cast<const u64*>(table) + 2 * at)};
  }
  static __device__ __forceinline__ bool claim(void* table, u64 at, Key key, i64 row) {
    ull* slot = static_cast<ull*>(table) + 2 * at;
    if (atomicCAS(slot + 1, ~ull(0), ull(row)) != ~ull(0)) return false;
    slot[0] = key;
    return true;
  }
};

// isValid reads a column of validity bytes; no column means no NULLs.
__device__ __forceinline__ bool isValid(const uint8_t* valid, i64 i) { return valid == nullptr || valid[i] != 0; }

}  // namespace gsql
