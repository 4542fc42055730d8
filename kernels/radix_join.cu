// Radix-partitioned hash join: the join of equal partitions, each within shared memory.
//
// Both sides come partitioned by the low bits of their keys' hashes, which stand in the
// keys' place (partition_pass.cu): equal hashes are equal keys, and are turned back into
// keys only where they leave. A block joins one unit (radix_units.cu). Matches are counted
// before they are written, so that a block takes room for them once and warps write whole
// lines: the result cache of Kaldewey et al. (DaMoN 2012, 4.3) without its copy.
//
// Bytes: both partitioned sides once, the output once.
#include "block.cuh"
#include "hash.cuh"
#include "units.cuh"

namespace gsql {

constexpr int kJoinThreads = 384;
constexpr int kJoinItems = 6;  // probe rows of a thread at a time
constexpr int kJoinHeads = 2048;
constexpr u32 kNoRow = 0xffff;

// JoinTable is a block's hash table. Chains link the build rows of a bucket.
template <class Key, class Value>
struct JoinTable {
  Key hashes[kUnitBuild];
  Value values[kUnitBuild];
  uint16_t next[kUnitBuild];
  u32 heads[kJoinHeads];
  __device__ __forceinline__ u32 after(u32 at, Key hash) const {
    do at = next[at];
    while (at != kNoRow && hashes[at] != hash);
    return at;
  }
};

// The sizes that launches ask for; abi.go has them too.
static_assert(sizeof(JoinTable<u32, u32>) == 38912, "b4b4");
static_assert(sizeof(JoinTable<u32, u64>) == 51200, "b4b8");
static_assert(sizeof(JoinTable<u64, u32>) == 51200, "b8b4");
static_assert(sizeof(JoinTable<u64, u64>) == 63488, "b8b8");

// JoinOutput is where rows go: capacity of them, in no order. Where nobody reads the keys,
// keys is 0. With a high column an 8-byte value's halves go to two columns. *total counts
// all rows, also those beyond capacity, which are not written: capacity 0 counts.
template <class Key, class Value>
struct JoinOutput {
  Key* keys;
  Value *build, *probe;
  u32 *buildHigh, *probeHigh;
  u64 capacity;
  u64* total;

  static __device__ __forceinline__ void put(Value* values, u32* high, u64 at, Value v) {
    if (sizeof(Value) == 8 && high != nullptr) {
      reinterpret_cast<u32*>(values)[at] = u32(v);
      high[at] = u32(u64(v) >> (sizeof(Value) == 8 ? 32 : 0));
    } else {
      values[at] = v;
    }
  }
  __device__ __forceinline__ void write(u64 at, Key hash, Value b, Value p) const {
    if (at >= capacity) return;
    if (keys != nullptr) keys[at] = unhashKey(hash);
    put(build, buildHigh, at, b);
    put(probe, probeHigh, at, p);
  }
};

// reserve takes room for all rows of the block, mine of them this thread's, and gives the
// first place of this warp's.
template <int kThreads>
__device__ __forceinline__ u64 reserve(u32 mine, u64* total) {
  constexpr u32 kWarps = kThreads / kWarp;
  using Firsts = u64[kWarps];
  SHARED(Firsts, firsts);
  u32 warpRows = warpFold(mine, [](u32 a, u32 b) { return a + b; });
  if (laneId() == 0) firsts[warpId()] = warpRows;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    u32 rows = laneId() < kWarps ? u32(firsts[laneId()]) : 0;
    u32 through = warpInclusive(rows);
    u64 first = 0;
    if (laneId() == kWarp - 1 && through != 0) first = atomicAdd(reinterpret_cast<ull*>(total), ull(through));
    first = __shfl_sync(kAllLanes, first, int(kWarp) - 1);
    if (laneId() < kWarps) firsts[laneId()] = first + through - rows;
  }
  __syncthreads();
  return firsts[warpId()];
}

// buildTable fills the block's table with the unit's build rows. All loads of a thread
// are in flight before the first is used.
template <int kThreads, class Key, class Value>
__device__ __forceinline__ void buildTable(JoinTable<Key, Value>& s, const Key* hashes, const Value* values,
                                           const Unit& unit, u32 hashShift) {
  constexpr int kItems = kUnitBuild / kThreads;
  Key hash[kItems];
  Value value[kItems];
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    u32 i = threadIdx.x + u32(k) * kThreads;
    if (i < unit.buildRows) {
      hash[k] = hashes[i64(unit.build) + i];
      value[k] = values[i64(unit.build) + i];
    }
  }
  for (u32 i = threadIdx.x; i < kJoinHeads; i += kThreads) s.heads[i] = kNoRow;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    u32 i = threadIdx.x + u32(k) * kThreads;
    if (i >= unit.buildRows) break;
    s.hashes[i] = hash[k];
    s.values[i] = value[k];
    s.next[i] = uint16_t(atomicExch(&s.heads[u32(hash[k] >> hashShift) % kJoinHeads], i));
  }
}

// joinUnits joins the unit of this block. Values are row numbers or a payload; hashShift
// skips the bits by which the sides were partitioned.
template <int kThreads, int kItems, class Key, class Value>
__device__ void joinUnits(const Key* buildHashes, const Value* buildValues, const Key* probeHashes,
                          const Value* probeValues, const Unit* units, u32 hashShift, JoinOutput<Key, Value> out) {
  auto& s = *reinterpret_cast<JoinTable<Key, Value>*>(DYNAMIC_SHARED);
  Unit unit = units[blockIdx.x];
  if (unit.buildRows == 0 || unit.probeRows == 0) return;
  buildTable<kThreads>(s, buildHashes, buildValues, unit, hashShift);

  for (u32 base = 0; base < unit.probeRows; base += kThreads * kItems) {
    const i64 first = i64(unit.probe) + base + threadIdx.x;
    const u32 left = unit.probeRows - base;
    auto inside = [&](int k) { return threadIdx.x + u32(k) * kThreads < left; };
    Key hash[kItems];
    Value value[kItems];
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      if (inside(k)) hash[k] = probeHashes[first + k * kThreads];
    }
    if (base == 0) __syncthreads();

    u32 found[kItems], rows = 0, several = 0;
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      u32 at = inside(k) ? s.heads[u32(hash[k] >> hashShift) % kJoinHeads] : kNoRow, matches = 0;
      if (at != kNoRow && s.hashes[at] != hash[k]) at = s.after(at, hash[k]);
      found[k] = at;
      for (; at != kNoRow; at = s.after(at, hash[k])) matches++;
      rows += matches;
      several |= u32(matches > 1) << k;
    }
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      if (found[k] != kNoRow) value[k] = probeValues[first + k * kThreads];
    }
    u64 place = reserve<kThreads>(rows, out.total);
#pragma unroll
    for (int k = 0; k < kItems; k++) {
      u32 at = found[k];
      for (;;) {
        u32 matching = __ballot_sync(kAllLanes, int(at != kNoRow));
        if (matching == 0) break;
        if (at != kNoRow) {
          out.write(place + u32(__popc(matching & lanesBelow())), hash[k], s.values[at], value[k]);
          at = several >> k & 1 ? s.after(at, hash[k]) : kNoRow;
        }
        place += u32(__popc(matching));
      }
    }
  }
}

}  // namespace gsql

#define RADIX_JOIN(key, value, suffix, resident)                                                                             \
  KERNEL((384, resident), gsql_radix_join_##suffix, const key* buildHashes, const value* buildValues,                        \
         const key* probeHashes, const value* probeValues, const void* units, uint64_t hashShift, key* outKeys,     \
         value* outBuild, uint32_t* outBuildHigh, value* outProbe, uint32_t* outProbeHigh, uint64_t capacity,       \
         uint64_t* total) {                                                                                         \
    gsql::joinUnits<gsql::kJoinThreads, gsql::kJoinItems>(                                                          \
        buildHashes, buildValues, probeHashes, probeValues, static_cast<const gsql::Unit*>(units),                  \
        uint32_t(hashShift),                                                                                        \
        gsql::JoinOutput<key, value>{outKeys, outBuild, outProbe, outBuildHigh, outProbeHigh, capacity, total});    \
  }

RADIX_JOIN(uint32_t, uint32_t, b4b4, 4)
RADIX_JOIN(uint32_t, uint64_t, b4b8, 3)
RADIX_JOIN(uint64_t, uint32_t, b8b4, 3)
RADIX_JOIN(uint64_t, uint64_t, b8b8, 3)
#undef RADIX_JOIN
