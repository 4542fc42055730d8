// What the radix kernels share: how a key becomes a digit.
#pragma once
#include "hash.cuh"

namespace gsql {

constexpr int kBins = 256;

// ByOrder cuts digits from the key's place in the order asked for. flip is XORed on the
// key's bits, which makes any order of integers that of unsigned numbers: 0 for
// unsigned ascending, the sign bit for signed, all ones more for descending. Floating
// point numbers (IEEE 754) also turn their negative values around: -0.0 before 0.0.
template <class Key>
struct ByOrder {
  Key flip;
  bool floating;
  __device__ __forceinline__ ByOrder(u64 flip, u64 floating) : flip(Key(flip)), floating(floating != 0) {}
  __device__ __forceinline__ Key operator()(Key key) const {
    constexpr Key kSign = Key(1) << (sizeof(Key) * 8 - 1);
    if (floating && (key & kSign)) key ^= kSign - 1;
    return key ^ flip;
  }
};

// ByHash cuts digits from the key's hash: partitions for joins and groups.
template <class Key>
struct ByHash {
  __device__ __forceinline__ ByHash(u64, u64) {}
  __device__ __forceinline__ Key operator()(Key key) const { return hashKey(key); }
};

}  // namespace gsql
