// What the kernels of radix partitions share: tiles of rows within one partition.
#pragma once
#include "hash.cuh"
#include "radix.cuh"

namespace gsql {

constexpr int kPartitionThreads = 512;

// Tile is the rows [first, first + rows) of one partition of the level above. Tiles
// beyond the last one have no rows.
struct alignas(16) Tile {
  i64 first;
  u32 rows, partition;
};

// KeyOnly stands for the value type where only keys are moved.
struct KeyOnly {};

}  // namespace gsql
