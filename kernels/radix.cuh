// What the radix kernels share: how a key becomes a digit.
#pragma once
#include "device.cuh"

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

// Packed is kItems small numbers, several to a register.
template <int kItems, int kBits>
struct Packed {
  static constexpr int kPerWord = 32 / kBits;
  u32 words[(kItems + kPerWord - 1) / kPerWord];
  __device__ __forceinline__ void set(int i, u32 v) {
    u32& word = words[i / kPerWord];
    word = i % kPerWord == 0 ? v : word | v << (i % kPerWord * kBits);
  }
  __device__ __forceinline__ u32 get(int i) const {
    return words[i / kPerWord] >> (i % kPerWord * kBits) & ((1u << kBits) - 1);
  }
};

}  // namespace gsql
