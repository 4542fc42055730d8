// Units: the work of one block of a radix join, a chunk of build rows against a chunk of
// probe rows of the same partition.
#pragma once
#include "device.cuh"

namespace gsql {

constexpr int kUnitBuild = 3072;  // most build rows of a unit: its table fits shared memory

// Unit is a chunk pair. Rows are fewer than 2^31 a side.
struct alignas(16) Unit {
  u32 build, buildRows, probe, probeRows;  // first row and number of rows
};

}  // namespace gsql
