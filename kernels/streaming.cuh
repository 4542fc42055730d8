// Loads and stores of data that one launch touches once: they leave the caches first.
#pragma once
#include "vector.cuh"

namespace gsql {

template <class T>
__device__ __forceinline__ Pack<T> loadStreaming(const T* p) {
  uint4 words = __ldcs(reinterpret_cast<const uint4*>(p));
  Pack<T> v;
  memcpy(&v, &words, sizeof(v));
  return v;
}
template <class T>
__device__ __forceinline__ void storeStreaming(T* p, const Pack<T>& v) {
  uint4 words;
  memcpy(&words, &v, sizeof(v));
  __stcs(reinterpret_cast<uint4*>(p), words);
}

}  // namespace gsql
