// Join predicates of the nested loop: owner OP other.
#pragma once
#include "device.cuh"

namespace gsql {

#define THETA(name, op)                                                        \
  template <class Key>                                                         \
  struct name {                                                                \
    Key key;                                                                   \
    __device__ __forceinline__ void load(const Key* keys, const Key*, i64 i) { key = keys[i]; } \
    __device__ __forceinline__ u32 matches(Key other) const { return key op other ? 1u : 0u; } \
  };
THETA(Less, <)
THETA(LessEqual, <=)
THETA(Greater, >)
THETA(GreaterEqual, >=)
THETA(Equal, ==)
THETA(NotEqual, !=)
#undef THETA

// Covers: low <= other <= high, bounds from the owner.
template <class Key>
struct Covers {
  Key low, high;
  __device__ __forceinline__ void load(const Key* lows, const Key* highs, i64 i) {
    low = lows[i];
    high = highs[i];
  }
  __device__ __forceinline__ u32 matches(Key other) const { return (low <= other) & (other <= high) ? 1u : 0u; }
};

// The narrow forms hold where all keys of both sides lie within 2^31 - 1 of each other:
// the sign of a difference then is the comparison, one instruction less.
struct NarrowLess {
  u32 key;
  __device__ __forceinline__ void load(const i32* keys, const i32*, i64 i) { key = u32(keys[i]); }
  __device__ __forceinline__ u32 matches(i32 other) const { return (key - u32(other)) >> 31; }
};
struct NarrowGreater {
  u32 key;
  __device__ __forceinline__ void load(const i32* keys, const i32*, i64 i) { key = u32(keys[i]); }
  __device__ __forceinline__ u32 matches(i32 other) const { return (u32(other) - key) >> 31; }
};

}  // namespace gsql
