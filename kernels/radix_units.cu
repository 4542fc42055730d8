// The list of a radix join's units.
//
// Partitions larger than shared memory are cut into chunks, and all pairs of chunks are
// joined, each once (He et al., Relational Joins on Graphics Processors, SIGMOD 2008,
// 4.3.2), so that neither shared memory nor one block bounds a partition.
//
// Bytes: the bounds of all partitions and the units: kilobytes a million rows.
#include "units.cuh"

namespace gsql {

__device__ __forceinline__ i64 chunksOf(const i64* bounds, i64 p, i64 size) {
  return (bounds[p + 1] - bounds[p] + size - 1) / size;
}

// chunkOf is the i-th chunk of partition p: its first row, and in rows how many there are.
__device__ __forceinline__ u32 chunkOf(const i64* bounds, i64 p, i64 i, i64 size, u32& rows) {
  i64 first = bounds[p] + i * size;
  rows = u32(min(size, bounds[p + 1] - first));
  return u32(first);
}

// partOf is the part-th of parts nearly equal pieces of rows from first on.
__device__ __forceinline__ u32 partOf(u32 first, u32& rows, u64 part, u64 parts) {
  u64 from = rows * part / parts, to = rows * (part + 1) / parts;
  rows = u32(to - from);
  return first + u32(from);
}

}  // namespace gsql

// gsql_radix_units_count sets counts[p] to how many units partition p has.
KERNEL((256), gsql_radix_units_count, const int64_t* buildBounds, const int64_t* probeBounds, int64_t partitions,
       int64_t probeChunk, uint64_t* counts) {
  for (int64_t p = gsql::globalThread(); p < partitions; p += gsql::globalThreads())
    counts[p] = uint64_t(gsql::chunksOf(buildBounds, p, gsql::kUnitBuild) * gsql::chunksOf(probeBounds, p, probeChunk));
}

// gsql_radix_units_write lists the n units from the first-th on; offsets[p] is the number
// of partition p's first one. Units of a build chunk are neighbours.
KERNEL((256), gsql_radix_units_write, const int64_t* buildBounds, const int64_t* probeBounds, int64_t partitions,
       int64_t probeChunk, const uint64_t* offsets, int64_t first, int64_t n, void* units) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads()) {
    uint64_t unit = uint64_t(first + i);
    int64_t low = 0, high = partitions;
    while (high - low > 1) {
      int64_t mid = low + (high - low) / 2;
      (offsets[mid] <= unit ? low : high) = mid;
    }
    int64_t within = int64_t(unit - offsets[low]), probes = gsql::chunksOf(probeBounds, low, probeChunk);
    gsql::Unit u;
    u.build = gsql::chunkOf(buildBounds, low, within / probes, gsql::kUnitBuild, u.buildRows);
    u.probe = gsql::chunkOf(probeBounds, low, within % probes, probeChunk, u.probeRows);
    static_cast<gsql::Unit*>(units)[i] = u;
  }
}

// gsql_radix_units_cut cuts each of n units into parts units by its probe rows or, with
// byBuild, by its build rows. Some have no rows.
KERNEL((256), gsql_radix_units_cut, const void* units, int64_t n, int64_t parts, uint64_t byBuild, void* out) {
  for (int64_t i = gsql::globalThread(); i < n * parts; i += gsql::globalThreads()) {
    gsql::Unit u = static_cast<const gsql::Unit*>(units)[i / parts];
    if (byBuild != 0) {
      u.build = gsql::partOf(u.build, u.buildRows, uint64_t(i % parts), uint64_t(parts));
    } else {
      u.probe = gsql::partOf(u.probe, u.probeRows, uint64_t(i % parts), uint64_t(parts));
    }
    static_cast<gsql::Unit*>(out)[i] = u;
  }
}
