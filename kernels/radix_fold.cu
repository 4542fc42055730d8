// Aggregates over a radix join without its output.
//
// The side that is aggregated is the probe side and carries its values through the
// partition; of the other side only the keys matter. A block's table holds each key of
// a unit's build rows once, with how many rows have it, so that a probe row costs one
// search however many partners it has.
//
// Bytes: both partitioned sides once; nothing is written.
#include "block.cuh"
#include "partition.cuh"
#include "units.cuh"
#include "vector.cuh"

#include <limits>

namespace gsql {

constexpr int kFoldThreads = 512;
constexpr int kFoldItems = 4;  // probe rows of a thread at a time
constexpr int kFoldSlots = 4096;
static_assert(kFoldSlots > kUnitBuild, "a free slot ends a search");

// FoldTable is open addressing over hashes, with how many more rows than one have each. A
// slot is free while it holds a value that is no hash of this partition.
template <class Key>
struct FoldTable {
  Key hashes[kFoldSlots];
  u32 more[kFoldSlots];
};
// The sizes that launches ask for; abi.go has them too.
static_assert(sizeof(FoldTable<u32>) == 32768, "b4");
static_assert(sizeof(FoldTable<u64>) == 49152, "b8");

__device__ __forceinline__ u32 exchangeIf(u32* p, u32 expected, u32 v) { return atomicCAS(p, expected, v); }
__device__ __forceinline__ u64 exchangeIf(u64* p, u64 expected, u64 v) {
  return atomicCAS(reinterpret_cast<ull*>(p), ull(expected), ull(v));
}

template <class Key>
__device__ __forceinline__ u32 slotOf(Key hash, u32 hashShift) { return u32(hash >> hashShift) % kFoldSlots; }

// clearTable makes all slots free, by stores of 16 bytes.
template <class Key>
__device__ __forceinline__ void clearTable(FoldTable<Key>& s, Key free) {
  Pack<Key> hashes;
  Pack<u32> zeros;
#pragma unroll
  for (int k = 0; k < Pack<Key>::kItems; k++) hashes.item[k] = free;
#pragma unroll
  for (int k = 0; k < Pack<u32>::kItems; k++) zeros.item[k] = 0;
  for (u32 i = threadIdx.x * Pack<Key>::kItems; i < kFoldSlots; i += kFoldThreads * Pack<Key>::kItems)
    storePack(&s.hashes[i], hashes);
  for (u32 i = threadIdx.x * Pack<u32>::kItems; i < kFoldSlots; i += kFoldThreads * Pack<u32>::kItems)
    storePack(&s.more[i], zeros);
}

// Results are what all blocks add to, at first zeros: kRows, the number of joined rows;
// for integers kSum..kSum+2, digits of the sum of base 2^32 in a 64-bit word each, the
// last one signed; for doubles their sum in kSum; kMin and kMax, the extremes as words in
// the order of unsigned numbers, the minimum's complement, so that both are maxima.
enum Result { kRows, kSum, kMin = kSum + 3, kMax };

__device__ __forceinline__ u64 ordered(i64 v) { return u64(v) ^ u64(1) << 63; }
__device__ __forceinline__ u64 ordered(f64 v) {
  u64 bits;
  memcpy(&bits, &v, sizeof bits);
  return bits >> 63 ? ~bits : bits | u64(1) << 63;
}

template <class T, class F>
__device__ __forceinline__ void foldInto(u64* result, T mine, F combine) {
  T all = blockFold<T, kFoldThreads>(mine, T(0), combine);
  if (threadIdx.x != 0) return;
  if constexpr (std::is_same_v<T, f64>) {
    atomicAdd(reinterpret_cast<f64*>(result), all);
  } else {
    atomicAdd(reinterpret_cast<ull*>(result), ull(all));
  }
}

__device__ __forceinline__ void extremeInto(u64* result, u64 mine) {
  u64 all = blockFold<u64, kFoldThreads>(mine, 0, [](u64 a, u64 b) { return a > b ? a : b; });
  if (threadIdx.x == 0) atomicMax(reinterpret_cast<ull*>(result), ull(all));
}

// Accumulator is a thread's share of the results.
template <class Value>
struct Accumulator {
  static constexpr bool kDouble = std::is_same_v<Value, f64>;
  using Total = std::conditional_t<kDouble, f64, __int128>;
  // Products of 4-byte values with partners add up to less than 2^63 within a unit.
  using Part = std::conditional_t<sizeof(Value) == 4, i64, Total>;
  u64 rows = 0;
  Total sum = 0;
  Part unitSum = 0;
  u32 unitRows = 0;  // a thread has 32 rows of a unit, with 3072 partners each at most
  Value low = std::numeric_limits<Value>::max(), high = std::numeric_limits<Value>::lowest();
  __device__ __forceinline__ void add(Value value, u32 partners) {
    if (partners == 0) return;
    unitRows += partners;
    unitSum += Part(value) * Part(partners);
    low = value < low ? value : low;
    high = high < value ? value : high;
  }
  __device__ __forceinline__ void endUnit() {
    rows += unitRows;
    sum += unitSum;
    unitRows = 0;
    unitSum = 0;
  }
  __device__ __forceinline__ void give(u64* results) const {
    auto plus = [](auto a, auto b) { return a + b; };
    using Wide = std::conditional_t<kDouble, f64, i64>;
    foldInto(&results[kRows], rows, plus);
    if constexpr (kDouble) {
      foldInto(&results[kSum], sum, plus);
    } else {
      foldInto(&results[kSum], u64(u32(sum)), plus);
      foldInto(&results[kSum + 1], u64(u32(sum >> 32)), plus);
      foldInto(&results[kSum + 2], u64(sum >> 64), plus);
    }
    extremeInto(&results[kMin], rows == 0 ? 0 : ~ordered(Wide(low)));
    extremeInto(&results[kMax], rows == 0 ? 0 : ordered(Wide(high)));
  }
};
template <>
struct Accumulator<KeyOnly> {
  u64 rows = 0;
  __device__ __forceinline__ void add(KeyOnly, u32 partners) { rows += partners; }
  __device__ __forceinline__ void endUnit() {}
  __device__ __forceinline__ void give(u64* results) const {
    foldInto(&results[kRows], rows, [](u64 a, u64 b) { return a + b; });
  }
};

// countBuild fills the block's table with the keys of the unit's build rows.
template <class Key>
__device__ __forceinline__ void countBuild(FoldTable<Key>& s, const Key* hashes, u32 rows, Key free, u32 hashShift) {
  constexpr int kItems = kUnitBuild / kFoldThreads;
  Key hash[kItems], held[kItems];
  auto inside = [&](int k) { return threadIdx.x + u32(k) * kFoldThreads < rows; };
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (inside(k)) hash[k] = hashes[threadIdx.x + k * kFoldThreads];
  }
  clearTable(s, free);
  __syncthreads();
  // All first tries of a thread are under way before one is looked at.
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (inside(k)) held[k] = exchangeIf(&s.hashes[slotOf(hash[k], hashShift)], free, hash[k]);
  }
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    if (!inside(k)) break;
    u32 at = slotOf(hash[k], hashShift);
    while (held[k] != free && held[k] != hash[k]) {
      at = (at + 1) % kFoldSlots;
      held[k] = exchangeIf(&s.hashes[at], free, hash[k]);
    }
    if (held[k] == hash[k]) atomicAdd(&s.more[at], 1u);
  }
}

// foldProbe folds up to kFoldItems rows of each thread, left rows of the block.
template <class Key, class Value>
__device__ __forceinline__ void foldProbe(const FoldTable<Key>& s, const Key* hashes, const Value* values, u32 left,
                                          Key free, u32 hashShift, Accumulator<Value>& mine) {
  Key hash[kFoldItems], held[kFoldItems];
  Value value[kFoldItems];
  auto inside = [&](int k) { return threadIdx.x + u32(k) * kFoldThreads < left; };
#pragma unroll
  for (int k = 0; k < kFoldItems; k++) {
    if (inside(k)) hash[k] = hashes[threadIdx.x + k * kFoldThreads];
  }
  if constexpr (!std::is_same_v<Value, KeyOnly>) {
#pragma unroll
    for (int k = 0; k < kFoldItems; k++) {
      if (inside(k)) value[k] = values[threadIdx.x + k * kFoldThreads];
    }
  }
#pragma unroll
  for (int k = 0; k < kFoldItems; k++) held[k] = inside(k) ? s.hashes[slotOf(hash[k], hashShift)] : free;
#pragma unroll
  for (int k = 0; k < kFoldItems; k++) {
    if (!inside(k)) break;
    u32 at = slotOf(hash[k], hashShift);
    while (held[k] != free && held[k] != hash[k]) {
      at = (at + 1) % kFoldSlots;
      held[k] = s.hashes[at];
    }
    mine.add(value[k], held[k] == hash[k] ? s.more[at] + 1 : 0);
  }
}

// foldUnits folds n units into the results. The sides are partitioned by one bit at
// least, so that the complement of one of a partition's hashes is none of them.
template <class Key, class Value>
__device__ void foldUnits(const Key* buildHashes, const Key* probeHashes, const Value* probeValues, const Unit* units,
                          i64 n, u32 hashShift, u64* results) {
  auto& s = *reinterpret_cast<FoldTable<Key>*>(DYNAMIC_SHARED);
  Accumulator<Value> mine;
  for (i64 u = blockIdx.x; u < n; u += gridDim.x) {
    Unit unit = units[u];
    Key free = Key(~buildHashes[unit.build]);
    countBuild(s, buildHashes + unit.build, unit.buildRows, free, hashShift);
    __syncthreads();
    for (u32 base = 0; base < unit.probeRows; base += kFoldThreads * kFoldItems) {
      i64 first = i64(unit.probe) + base;
      foldProbe(s, probeHashes + first, probeValues + first, unit.probeRows - base, free, hashShift, mine);
    }
    mine.endUnit();
    __syncthreads();
  }
  mine.give(results);
}

}  // namespace gsql

#define RADIX_FOLD(key, value, suffix)                                                                            \
  KERNEL((512, 3), gsql_radix_fold_##suffix, const key* buildHashes, const key* probeHashes,                        \
         const void* probeValues, const void* units, int64_t n, uint64_t hashShift, uint64_t* results) {          \
    gsql::foldUnits<key, value>(buildHashes, probeHashes, static_cast<const value*>(probeValues),                 \
                                static_cast<const gsql::Unit*>(units), n, uint32_t(hashShift), results);          \
  }

RADIX_FOLD(uint32_t, gsql::KeyOnly, b4)
RADIX_FOLD(uint64_t, gsql::KeyOnly, b8)
RADIX_FOLD(uint32_t, int32_t, b4i32)
RADIX_FOLD(uint32_t, int64_t, b4i64)
RADIX_FOLD(uint32_t, double, b4f64)
RADIX_FOLD(uint64_t, int32_t, b8i32)
RADIX_FOLD(uint64_t, int64_t, b8i64)
RADIX_FOLD(uint64_t, double, b8f64)
#undef RADIX_FOLD
