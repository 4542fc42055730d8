// Sixteen bytes at a time: the widest load a thread makes.
#pragma once
#include "device.cuh"

namespace gsql {

template <class T>
struct alignas(16) Pack {
  static constexpr int kItems = 16 / sizeof(T);
  T item[kItems];
};

// loadPack reads item i*kItems of p and its neighbours; p is aligned to 16 bytes.
template <class T>
__device__ __forceinline__ Pack<T> loadPack(const T* p) {
  return *reinterpret_cast<const Pack<T>*>(p);
}
template <class T>
__device__ __forceinline__ void storePack(T* p, const Pack<T>& v) {
  *reinterpret_cast<Pack<T>*>(p) = v;
}

}  // namespace gsql
