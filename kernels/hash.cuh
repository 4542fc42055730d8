// The hash functions of joins, partitions and groups.
//
// Both are bijections, so different keys never have the same hash. Their constants:
// 32 bits: Wellons, hash-prospector's lowbias32 (16, 0x7feb352d, 15, 0x846ca68b, 16);
// 64 bits: Stafford's variant 13 of MurmurHash3's finaliser, as in SplitMix64.
// hash_test.cpp holds what they must satisfy: distribution, avalanche, low-bit uniformity.
#pragma once
#include "device.cuh"

namespace gsql {

__host__ __device__ __forceinline__ u32 hash32(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

__host__ __device__ __forceinline__ u64 hash64(u64 x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

// unhash32 and unhash64 are the inverse functions.
__host__ __device__ __forceinline__ u32 unhash32(u32 x) {
  x ^= x >> 16;
  x *= 0x43021123u;
  x ^= x >> 15 ^ x >> 30;
  x *= 0x1d69e2a5u;
  x ^= x >> 16;
  return x;
}

__host__ __device__ __forceinline__ u64 unhash64(u64 x) {
  x ^= x >> 31 ^ x >> 62;
  x *= 0x319642b2d24d8ec3u;
  x ^= x >> 27 ^ x >> 54;
  x *= 0x96de1b173f119089u;
  x ^= x >> 30 ^ x >> 60;
  return x;
}

__host__ __device__ __forceinline__ u32 hashKey(u32 key) { return hash32(key); }
__host__ __device__ __forceinline__ u64 hashKey(u64 key) { return hash64(key); }
__host__ __device__ __forceinline__ u32 unhashKey(u32 hash) { return unhash32(hash); }
__host__ __device__ __forceinline__ u64 unhashKey(u64 hash) { return unhash64(hash); }

}  // namespace gsql
