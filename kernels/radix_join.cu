// Radix-partitioned hash join: the join of equal partitions, each within shared memory.
//
// Both sides come partitioned by the low bits of their keys' hashes, which stand in the
// keys' place (radix_pass.cu): equal hashes are equal keys, and are turned back into keys
// only where they leave. Large
// partitions are cut into chunks and all pairs of chunks joined, so that neither shared
// memory nor one block bounds a partition (He et al., Relational Joins on Graphics
// Processors, SIGMOD 2008, 4.3.2).
//
// Bytes: both partitioned sides once, the output once.
#include "block.cuh"
#include "hash.cuh"

namespace gsql {

constexpr int kJoinThreads = 512;
constexpr int kJoinBuild = 3072;   // build rows in shared memory
constexpr int kJoinProbe = 16384;  // probe rows of a block
constexpr int kJoinHeads = 2048;
constexpr int kJoinStage = 1280;  // output rows staged before they are written
constexpr u32 kNoRow = 0xffff;

// partitionBounds sets bounds[p], p <= partitions, to the first row of partition p, bits
// [low, low + log2 partitions), in hashes partitioned by them.
template <class Key>
__device__ void partitionBounds(const Key* hashes, i64 n, u32 low, i64 partitions, i64* bounds) {
  for (i64 p = globalThread(); p <= partitions; p += globalThreads()) {
    i64 first = 0, last = n;
    while (first < last) {
      i64 mid = first + (last - first) / 2;
      i64 partition = i64(u64(hashes[mid]) >> low) & (partitions - 1);
      if (partition < p) {
        first = mid + 1;
      } else {
        last = mid;
      }
    }
    bounds[p] = first;
  }
}

// chunksOf is how many pieces of size rows [bounds[p], bounds[p+1]) need.
__device__ __forceinline__ i64 chunksOf(const i64* bounds, i64 p, i64 size) {
  return (bounds[p + 1] - bounds[p] + size - 1) / size;
}

// Unit is the work of one block: a chunk pair of a partition.
struct alignas(16) Unit {
  u32 partition, buildChunk, probeChunk, unused;
};

// JoinShared is a block's workspace. Chains link the build rows of a bucket.
template <class Key, class Value>
struct JoinShared {
  Key hashes[kJoinBuild];
  Value values[kJoinBuild];
  uint16_t next[kJoinBuild];
  u32 heads[kJoinHeads];
  u32 staged;
  u64 outFirst;
  Key outHashes[kJoinStage];
  Value outBuild[kJoinStage], outProbe[kJoinStage];
};

// The sizes that launches ask for; abi.go has them too.
static_assert(sizeof(JoinShared<u32, u32>) == 54288, "b4b4");
static_assert(sizeof(JoinShared<u64, u32>) == 71696, "b8b4");
static_assert(sizeof(JoinShared<u64, u64>) == 94224, "b8b8");

// flushStage writes count staged rows to places of their own in the output. Beyond
// capacity nothing is written; *total counts on.
template <class Key, class Value>
__device__ __forceinline__ void flushStage(JoinShared<Key, Value>& s, u32 count, Key* keys, Value* build,
                                           Value* probe, u64 capacity, u64* total) {
  if (threadIdx.x == 0) s.outFirst = atomicAdd(reinterpret_cast<ull*>(total), ull(count));
  __syncthreads();
  for (u32 i = threadIdx.x; i < count; i += kJoinThreads) {
    u64 at = s.outFirst + i;
    if (at >= capacity) break;
    if (keys != nullptr) keys[at] = unhashKey(s.outHashes[i]);
    build[at] = s.outBuild[i];
    probe[at] = s.outProbe[i];
  }
  __syncthreads();
}

// joinUnits joins the unit of this block. Values are row numbers or a payload; hashShift
// skips the bits by which the sides were partitioned. Where nobody reads the keys,
// outKeys is 0. *total, at first 0, becomes the number of output rows, whose order is
// undefined; those beyond capacity are not written, so capacity 0 counts.
template <class Key, class Value>
__device__ void joinUnits(const Key* buildHashes, const Value* buildValues, const i64* buildBounds,
                          const Key* probeHashes, const Value* probeValues, const i64* probeBounds, const Unit* units,
                          u32 hashShift, Key* outKeys, Value* outBuild, Value* outProbe, u64 capacity, u64* total) {
  using Shared = JoinShared<Key, Value>;
  Shared& s = *reinterpret_cast<Shared*>(DYNAMIC_SHARED);
  Unit unit = units[blockIdx.x];
  i64 buildFirst = buildBounds[unit.partition] + i64(unit.buildChunk) * kJoinBuild;
  u32 buildCount = u32(min(i64(kJoinBuild), buildBounds[unit.partition + 1] - buildFirst));
  i64 probe = probeBounds[unit.partition] + i64(unit.probeChunk) * kJoinProbe;
  i64 probeLast = min(probe + kJoinProbe, probeBounds[unit.partition + 1]);
  auto bucketOf = [&](Key hash) { return u32(hash >> hashShift) % kJoinHeads; };

  for (u32 i = threadIdx.x; i < kJoinHeads; i += kJoinThreads) s.heads[i] = kNoRow;
  if (threadIdx.x == 0) s.staged = 0;
  __syncthreads();
  for (u32 i = threadIdx.x; i < buildCount; i += kJoinThreads) {
    Key hash = buildHashes[buildFirst + i];
    s.hashes[i] = hash;
    s.values[i] = buildValues[buildFirst + i];
    s.next[i] = uint16_t(atomicExch(&s.heads[bucketOf(hash)], i));
  }
  __syncthreads();

  // Rounds: every thread has a probe row and where its chain goes on; a round stages at
  // most one match a thread, so that kJoinStage - kJoinThreads staged rows leave room.
  bool has = false;
  Key hash = 0;
  Value value = 0;
  u32 at = kNoRow;
  i64 mine = probe + threadIdx.x;
  for (;;) {
    while (at == kNoRow) {
      has = mine < probeLast;
      if (!has) break;
      hash = probeHashes[mine];
      value = probeValues[mine];
      mine += kJoinThreads;
      at = s.heads[bucketOf(hash)];
    }
    while (at != kNoRow && s.hashes[at] != hash) at = s.next[at];
    bool match = at != kNoRow;
    u32 matching = __ballot_sync(kAllLanes, int(match));
    u32 place = 0;
    if (laneId() == 0 && matching != 0) place = atomicAdd(&s.staged, u32(__popc(matching)));
    place = __shfl_sync(kAllLanes, place, 0) + u32(__popc(matching & lanesBelow()));
    if (match) {
      s.outHashes[place] = hash;
      s.outBuild[place] = s.values[at];
      s.outProbe[place] = value;
      at = s.next[at];
    }
    __syncthreads();
    u32 staged = s.staged;
    bool more = __syncthreads_or(int(at != kNoRow || mine < probeLast)) != 0;
    if (staged > kJoinStage - kJoinThreads || !more) {
      if (threadIdx.x == 0) s.staged = 0;
      flushStage(s, staged, outKeys, outBuild, outProbe, capacity, total);
    }
    if (!more) return;
  }
}

}  // namespace gsql

#define BOUNDS(key, suffix)                                                                                   \
  KERNEL((256), gsql_partition_bounds_##suffix, const key* hashes, int64_t n, uint64_t low, int64_t partitions, \
         int64_t* bounds) {                                                                                   \
    gsql::partitionBounds(hashes, n, uint32_t(low), partitions, bounds);                                        \
  }
#define RADIX_JOIN(key, value, suffix)                                                                               \
  KERNEL((512, 2), gsql_radix_join_##suffix, const key* buildHashes, const value* buildValues,                         \
         const int64_t* buildBounds, const key* probeHashes, const value* probeValues, const int64_t* probeBounds,     \
         const void* units, uint64_t hashShift, key* outKeys, value* outBuild, value* outProbe, uint64_t capacity,   \
         uint64_t* total) {                                                                                          \
    gsql::joinUnits(buildHashes, buildValues, buildBounds, probeHashes, probeValues, probeBounds,                        \
                    static_cast<const gsql::Unit*>(units), uint32_t(hashShift), outKeys, outBuild, outProbe,         \
                    capacity, total);                                                                                \
  }

BOUNDS(uint32_t, b4)
BOUNDS(uint64_t, b8)
RADIX_JOIN(uint32_t, uint32_t, b4b4)
RADIX_JOIN(uint64_t, uint32_t, b8b4)
RADIX_JOIN(uint64_t, uint64_t, b8b8)
#undef BOUNDS
#undef RADIX_JOIN

// gsql_radix_units_count sets counts[p] to how many units partition p needs.
KERNEL((256), gsql_radix_units_count, const int64_t* buildBounds, const int64_t* probeBounds, int64_t partitions,
       uint64_t* counts) {
  for (int64_t p = gsql::globalThread(); p < partitions; p += gsql::globalThreads())
    counts[p] = uint64_t(gsql::chunksOf(buildBounds, p, gsql::kJoinBuild) * gsql::chunksOf(probeBounds, p, gsql::kJoinProbe));
}

// gsql_radix_units_write lists the units, those of partition p from offsets[p] on.
KERNEL((256), gsql_radix_units_write, const int64_t* buildBounds, const int64_t* probeBounds, int64_t partitions,
       const uint64_t* offsets, void* units) {
  for (int64_t p = gsql::globalThread(); p < partitions; p += gsql::globalThreads()) {
    auto* unit = static_cast<gsql::Unit*>(units) + offsets[p];
    uint32_t builds = uint32_t(gsql::chunksOf(buildBounds, p, gsql::kJoinBuild));
    uint32_t probes = uint32_t(gsql::chunksOf(probeBounds, p, gsql::kJoinProbe));
    for (uint32_t b = 0; b < builds; b++)
      for (uint32_t q = 0; q < probes; q++) *unit++ = gsql::Unit{uint32_t(p), b, q, 0};
  }
}
