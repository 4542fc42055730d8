// Stores of data that the launch does not touch again: they leave the caches first.
#pragma once
#include "vector.cuh"

namespace gsql {

template <class T>
__device__ __forceinline__ void storeStreaming(T* p, const Pack<T>& v) {
  uint4 words;
  memcpy(&words, &v, sizeof(v));
  __stcs(reinterpret_cast<uint4*>(p), words);
}

}  // namespace gsql
