// The device functions that the kernels use.
#pragma once

template <class T>
inline uint64_t emuBits(T v) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
inline T emuValue(uint64_t bits) {
  T v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
inline unsigned emuLane() { return emu::machine.thread->index % 32; }

inline void __syncthreads() { emu::barrier(false); }
inline int __syncthreads_or(int predicate) { return emu::barrier(predicate != 0); }
inline void __syncwarp(unsigned mask = ~0u) { emu::exchange(mask, emu::WarpOp::kSync, 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T>
inline T __shfl_sync(unsigned mask, T v, int source) {
  return emuValue<T>(emu::exchange(mask, emu::WarpOp::kShuffle, emuBits(v))[source & 31]);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T v, unsigned delta) {
  const uint64_t* all = emu::exchange(mask, emu::WarpOp::kShuffle, emuBits(v));
  unsigned lane = emuLane();
  return lane < delta ? v : emuValue<T>(all[lane - delta]);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T v, unsigned delta) {
  const uint64_t* all = emu::exchange(mask, emu::WarpOp::kShuffle, emuBits(v));
  unsigned lane = emuLane();
  return lane + delta > 31 ? v : emuValue<T>(all[lane + delta]);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T v, int with) {
  return emuValue<T>(emu::exchange(mask, emu::WarpOp::kShuffle, emuBits(v))[(emuLane() ^ with) & 31]);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const uint64_t* all = emu::exchange(mask, emu::WarpOp::kBallot, predicate != 0);
  unsigned result = 0;
  for (unsigned l = 0; l < 32; l++)
    if ((mask >> l & 1) && all[l] == 1) result |= 1u << l;
  unsigned base = emu::machine.thread->index / 32 * 32, threads = emu::machine.block->threads.size();
  return base + 32 > threads ? result & ((1u << (threads - base)) - 1) : result;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
template <class T>
inline unsigned __match_any_sync(unsigned mask, T v) {
  const uint64_t* all = emu::exchange(mask, emu::WarpOp::kMatch, emuBits(v));
  unsigned result = 0;
  for (unsigned l = 0; l < 32; l++)
    if ((mask >> l & 1) && all[l] == emuBits(v)) result |= 1u << l;
  return result;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned v) {
  const uint64_t* all = emu::exchange(mask, emu::WarpOp::kReduce, v);
  unsigned sum = 0;
  for (unsigned l = 0; l < 32; l++)
    if (mask >> l & 1) sum += unsigned(all[l]);
  return sum;
}

template <class T>
inline T atomicAdd(T* p, std::type_identity_t<T> v) {
  T old = *p;
  *p = old + v;
  return old;
}
template <class T>
inline T atomicMin(T* p, std::type_identity_t<T> v) {
  T old = *p;
  *p = std::min(old, v);
  return old;
}
template <class T>
inline T atomicMax(T* p, std::type_identity_t<T> v) {
  T old = *p;
  *p = std::max(old, v);
  return old;
}
template <class T>
inline T atomicOr(T* p, std::type_identity_t<T> v) {
  T old = *p;
  *p = old | v;
  return old;
}
template <class T>
inline T atomicExch(T* p, std::type_identity_t<T> v) {
  T old = *p;
  *p = v;
  return old;
}
template <class T>
inline T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  T old = *p;
  if (old == expected) *p = v;
  return old;
}

inline uint64_t __umul64hi(uint64_t a, uint64_t b) { return uint64_t((unsigned __int128)a * b >> 64); }
inline long long __double_as_longlong(double v) { return emuValue<long long>(emuBits(v)); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
template <class T>
inline T __ldg(const T* p) { return *p; }
template <class T>
inline T __ldcs(const T* p) { return *p; }
template <class T>
inline void __stcs(T* p, T v) { *p = v; }
template <class T>
inline T min(T a, T b) { return b < a ? b : a; }
template <class T>
inline T max(T a, T b) { return a < b ? b : a; }
