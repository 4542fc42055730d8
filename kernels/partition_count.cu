// The first half of a level of a radix partition: the level above is cut into tiles, and
// the rows of each new partition are counted.
//
// Bytes: every key read once.
#include "block.cuh"
#include "partition.cuh"

namespace gsql {

constexpr int kTilesThreads = 256;
// Tiles that a block counts one after another, so that it adds to global counts less often.
constexpr int kCountTiles = 4;

// partitionTiles cuts partitions [bounds[p], bounds[p+1]), or where bounds is 0 one of n
// rows, into tiles of at most tileRows rows; room is how many there is space for, at least rows/tileRows + partitions. Each
// block finds the first tile of every partition by itself and writes its share; it has
// 4 bytes of dynamic shared memory a partition.
__device__ inline void partitionTiles(const i64* bounds, i64 n, i64 partitions, i64 tileRows, Tile* tiles,
                                      i64 room) {
  auto bound = [&](i64 p) { return bounds == nullptr ? p * n : bounds[p]; };
  u32* firsts = reinterpret_cast<u32*>(DYNAMIC_SHARED);
  u32 before = 0;
  for (i64 base = 0; base < partitions; base += kTilesThreads) {
    i64 p = base + threadIdx.x;
    u32 count = p < partitions ? u32((bound(p + 1) - bound(p) + tileRows - 1) / tileRows) : 0;
    u32 total;
    u32 first = before + blockExclusive<u32, kTilesThreads>(count, total);
    if (p < partitions) firsts[p] = first;
    before += total;
  }
  __syncthreads();
  for (i64 t = globalThread(); t < room; t += globalThreads()) {
    Tile tile{0, 0, 0};
    if (t < i64(before)) {
      // The last partition whose first tile is not beyond t: empty ones lie before it.
      i64 low = 0, high = partitions;
      while (high - low > 1) {
        i64 mid = low + (high - low) / 2;
        (i64(firsts[mid]) <= t ? low : high) = mid;
      }
      tile.first = bound(low) + (t - i64(firsts[low])) * tileRows;
      tile.rows = u32(min(tileRows, bound(low + 1) - tile.first));
      tile.partition = u32(low);
    }
    tiles[t] = tile;
  }
}

// flushCounts adds a block's counts to those of a partition and clears them.
__device__ __forceinline__ void flushCounts(u32* local, u64* counts) {
  __syncthreads();
  for (u32 b = threadIdx.x; b < kBins; b += kPartitionThreads) {
    if (local[b] != 0) atomicAdd(reinterpret_cast<ull*>(&counts[b]), ull(local[b]));
    local[b] = 0;
  }
  __syncthreads();
}

// partitionCount adds to counts[(p << bits) + d] how many rows of partition p have the
// digit d, bits [shift, shift + bits) of the hash; hashed tells that hashes stand in the
// keys' place already.
template <class Key>
__device__ void partitionCount(const Key* keys, const Tile* tiles, i64 room, bool hashed, u32 shift, u32 bits,
                               u64* counts) {
  constexpr int kBatch = 32 / int(sizeof(Key));
  using Counts = u32[kBins];
  SHARED(Counts, local);
  for (u32 b = threadIdx.x; b < kBins; b += kPartitionThreads) local[b] = 0;
  __syncthreads();
  u32 mask = (1u << bits) - 1, partition = 0;
  bool counted = false;
  i64 last = min((i64(blockIdx.x) + 1) * kCountTiles, room);
  for (i64 t = i64(blockIdx.x) * kCountTiles; t < last; t++) {
    Tile tile = tiles[t];
    if (tile.rows == 0) break;
    if (counted && tile.partition != partition) flushCounts(local, counts + (u64(partition) << bits));
    partition = tile.partition;
    counted = true;
    const Key* in = keys + tile.first;
    for (u32 at = threadIdx.x; at < tile.rows; at += kBatch * kPartitionThreads) {
      Key batch[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; k++) {
        u32 i = at + u32(k) * kPartitionThreads;
        batch[k] = i < tile.rows ? in[i] : Key(0);
      }
#pragma unroll
      for (int k = 0; k < kBatch; k++) {
        if (at + u32(k) * kPartitionThreads >= tile.rows) break;
        Key hash = hashed ? batch[k] : hashKey(batch[k]);
        atomicAdd(&local[u32(hash >> shift) & mask], 1u);
      }
    }
  }
  if (counted) flushCounts(local, counts + (u64(partition) << bits));
}

}  // namespace gsql

KERNEL((256), gsql_partition_tiles, const int64_t* bounds, int64_t n, int64_t partitions, int64_t tileRows,
       void* tiles, int64_t room) {
  gsql::partitionTiles(bounds, n, partitions, tileRows, static_cast<gsql::Tile*>(tiles), room);
}

#define PARTITION_COUNT(key, suffix)                                                                            \
  KERNEL((512), gsql_partition_count_##suffix, const key* keys, const void* tiles, int64_t room, uint64_t hashed, \
         uint64_t shift, uint64_t bits, uint64_t* counts) {                                                     \
    gsql::partitionCount(keys, static_cast<const gsql::Tile*>(tiles), room, hashed != 0, uint32_t(shift),       \
                         uint32_t(bits), counts);                                                               \
  }
PARTITION_COUNT(uint32_t, b4)
PARTITION_COUNT(uint64_t, b8)
#undef PARTITION_COUNT
