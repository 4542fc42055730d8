// The kernels against CUB and against the bars: run.sh builds and runs it.
#include "measure.h"

#include <cub/cub.cuh>

#include "../../kernels/hash_build.cu"
#include "../../kernels/hash_probe.cu"
#include "../../kernels/radix_histogram.cu"
#include "../../kernels/radix_join.cu"
#include "../../kernels/radix_pass.cu"
#include "../../kernels/reduce.cu"
#include "../../kernels/scan.cu"
#include "../../kernels/select.cu"
#include "../../kernels/theta_count.cu"
#include "../../kernels/weighted.cu"

using gsql::hash32;
using gsql::hash64;

int sms = 132;

// Keys of the i-th row: any function of i; the seed varies the columns.
template <class Key>
__host__ __device__ Key randomKey(uint64_t i, uint64_t seed) { return Key(hash64(i * 0x9e3779b97f4a7c15u + seed)); }
// Unique sparse keys of a build side.
__host__ __device__ inline uint32_t uniqueKey(uint32_t i) { return hash32(i ^ 0x5bd1e995u); }
__host__ __device__ inline uint64_t uniqueKey(uint64_t i) { return hash64(i ^ 0x5bd1e9955bd1e995u); }

template <class T, class F>
__global__ void fillKernel(T* p, int64_t n, F f) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads()) p[i] = f(i);
}
template <class T, class F>
void fillWith(Array<T>& a, F f) { fillKernel<<<4 * sms, 256>>>(a.get(), int64_t(a.size()), f); }

// countWhere counts the i for which f holds: verification on the device.
template <class F>
__global__ void countKernel(int64_t n, unsigned long long* count, F f) {
  unsigned long long mine = 0;
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads()) mine += f(i) ? 1 : 0;
  atomicAdd(count, mine);
}
template <class F>
uint64_t countWhere(int64_t n, F f) {
  Zeros<unsigned long long> count(1);
  countKernel<<<4 * sms, 256>>>(n, count.get(), f);
  return count.host()[0];
}
template <class F>
void verify(const std::string& what, int64_t n, F wrong) {
  uint64_t bad = countWhere(n, wrong);
  if (bad != 0) die(what + ": " + std::to_string(bad) + " wrong of " + std::to_string(n));
}

// timeCub gives CUB its temporary storage once and times the calls.
template <class F>
double timeCub(F call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Array<uint8_t> temp(bytes);
  return medianOf([&] { call(temp.get(), bytes); });
}

void benchCopy() {
  int64_t n = int64_t(1) << 31;
  Array<uint8_t> a(n), b(n);
  fillWith(a, [] __device__(int64_t i) { return uint8_t(hash64(i)); });
  double ms = medianOf([&] { cudaMemcpyAsync(b.get(), a.get(), n, cudaMemcpyDeviceToDevice); });
  copyRate = 2.0 * n / ms * 1e3;
  add("device copy 2 GiB", ms, 2.0 * n, "B", 0, 0);
}

template <class T>
void benchScan(const std::string& suffix) {
  int64_t n = int64_t(1) << 27, tiles = ceilDiv(n, sizeof(T) == 8 ? 16384 : 32768);
  Array<T> in(n), out(n), want(n);
  fillWith(in, [] __device__(int64_t i) { return T(hash64(i) % 8); });
  Array<uint64_t> total(1), scratch(1 + tiles);
  double ours = medianOf([&] {
    cudaMemsetAsync(scratch.get(), 0, scratch.size() * 8);
    start("gsql_scan_exclusive_" + suffix, tiles, 1024, 0, in.get(), out.get(), n, total.get(), scratch.get());
  });
  double cub = timeCub([&](void* t, size_t& b) { cub::DeviceScan::ExclusiveSum(t, b, in.get(), want.get(), n); });
  verify("scan", n, [o = out.get(), w = want.get()] __device__(int64_t i) { return o[i] != w[i]; });
  add("scan exclusive " + suffix + " 2^27", ours, n, "items", 2.0 * n * sizeof(T), cub);
}

void benchReduceSelect() {
  int64_t n = int64_t(1) << 28, blocks = sms * 8;
  Array<int32_t> in(n);
  fillWith(in, [] __device__(int64_t i) { return int32_t(hash64(i)); });
  Array<int64_t> parts(blocks), result(1), want(1);
  double ours = medianOf([&] {
    start("gsql_reduce_sum_i32", blocks, 256, 0, in.get(), parts.get(), n);
    start("gsql_reduce_sum_i64", 1, 256, 0, parts.get(), result.get(), blocks);
  });
  double cub = timeCub([&](void* t, size_t& b) {
    cub::DeviceReduce::Reduce(t, b, in.get(), want.get(), n, gsql::Sum<int64_t>(), int64_t(0));
  });
  if (result.host() != want.host()) die("reduce");
  add("reduce sum i32 2^28", ours, n, "items", 0.5 * 2 * n * 4, cub);

  int64_t m = int64_t(1) << 27, tiles = ceilDiv(m, 4096);
  Array<uint32_t> values(m), kept(m), keptCub(m);
  Array<uint8_t> flags(m);
  fillWith(values, [] __device__(int64_t i) { return uint32_t(hash64(i)); });
  fillWith(flags, [] __device__(int64_t i) { return uint8_t(hash64(i + 77) & 1); });
  Array<uint64_t> count(1), countCub(1), scratch(1 + tiles);
  ours = medianOf([&] {
    cudaMemsetAsync(scratch.get(), 0, scratch.size() * 8);
    start("gsql_select_values_b4", tiles, 256, 0, values.get(), flags.get(), kept.get(), m, count.get(), scratch.get());
  });
  cub = timeCub([&](void* t, size_t& b) { cub::DeviceSelect::Flagged(t, b, values.get(), flags.get(), keptCub.get(), countCub.get(), m); });
  if (count.host() != countCub.host()) die("select count");
  verify("select", count.host()[0], [a = kept.get(), b = keptCub.get()] __device__(int64_t i) { return a[i] != b[i]; });
  add("select b4 by flags 2^27, half kept", ours, m, "items", m * (4 + 1 + 2.0), cub);
}

// Radix holds the buffers of a sort or partition of n pairs.
template <class Key, class Value>
struct Radix {
  int64_t n, tiles;
  Array<Key> keys, other;
  Array<Value> values, otherValues;
  Array<uint64_t> counts, scratch;
  explicit Radix(int64_t n)
      : n(n), tiles(ceilDiv(n, 384 * gsql::PassItems<Key, Value>::kValue)), keys(n), other(n), values(n), otherValues(n),
        counts(8 * 256), scratch(1 + tiles * 256) {}
  // order runs all passes over bits [low, high) of in; the result is in keys, values after
  // an even number of passes and otherwise in other, otherValues.
  void order(const std::string& kind, const Key* in, const Value* valuesIn, unsigned low, unsigned high) {
    const std::string k = sizeof(Key) == 8 ? "b8" : "b4", v = sizeof(Value) == 8 ? "b8" : "b4";
    unsigned digits = (high - low + 7) / 8;
    cudaMemsetAsync(counts.get(), 0, digits * 2048);
    start("gsql_" + kind + "_histogram_" + k, sms * 8, 256, digits * 4096, in, n, counts.get(), low, high, 0, 0);
    start("gsql_radix_offsets", digits, 256, 0, counts.get());
    for (unsigned d = 0; d < digits; d++) {
      bool toOther = d % 2 == 0;
      cudaMemsetAsync(scratch.get(), 0, scratch.size() * 8);
      unsigned bits = std::min(8u, high - low - 8 * d);
      const Key* from = d == 0 ? in : toOther ? keys.get() : other.get();
      const Value* valuesFrom = d == 0 ? valuesIn : toOther ? values.get() : otherValues.get();
      Key* to = toOther ? other.get() : keys.get();
      Value* valuesTo = toOther ? otherValues.get() : values.get();
      if (kind == "partition" && d == 0) {
        start("gsql_partition_pass_" + k + v, tiles, 384, 0, from, valuesFrom, to, valuesTo, n, counts.get(),
              scratch.get(), low, (1u << bits) - 1);
      } else {
        start("gsql_radix_pass_" + k + v, tiles, 384, 0, from, valuesFrom, to, valuesTo, n, counts.get() + d * 256,
              scratch.get(), low + 8 * d, (1u << bits) - 1, 0, 0);
      }
    }
  }
};

template <class Key, class Value>
void benchSort(const std::string& name) {
  int64_t n = int64_t(1) << 27;
  Array<Key> in(n);
  Array<Value> rows(n);
  fillWith(in, [] __device__(int64_t i) { return randomKey<Key>(i, 1); });
  fillWith(rows, [] __device__(int64_t i) { return Value(i); });
  Radix<Key, Value> r(n);
  double ours = medianOf([&] { r.order("radix", in.get(), rows.get(), 0, sizeof(Key) * 8); });
  verify("sort " + name, n - 1, [k = r.keys.get(), v = r.values.get(), in = in.get()] __device__(int64_t i) {
    return in[v[i]] != k[i] || k[i] > k[i + 1] || (k[i] == k[i + 1] && v[i] >= v[i + 1]);
  });
  double cub = timeCub([&](void* t, size_t& b) {
    cub::DeviceRadixSort::SortPairs(t, b, in.get(), r.keys.get(), rows.get(), r.values.get(), n);
  });
  add("sort " + name + " pairs 2^27", ours, n, "pairs", (2.0 * sizeof(Key) * (sizeof(Key) + sizeof(Value)) + sizeof(Key)) * n, cub);

  double pass = medianOf([&] { r.order("radix", in.get(), rows.get(), 0, 8); });
  verify("pass " + name, n - 1, [k = r.other.get(), v = r.otherValues.get(), in = in.get()] __device__(int64_t i) {
    return in[v[i]] != k[i] || (k[i] & 255) > (k[i + 1] & 255);
  });
  double cubPass = timeCub([&](void* t, size_t& b) {
    cub::DeviceRadixSort::SortPairs(t, b, in.get(), r.keys.get(), rows.get(), r.values.get(), n, 0, 8);
  });
  add("partition pass " + name + " 2^27, 8 bits", pass, n, "pairs", (2.0 * (sizeof(Key) + sizeof(Value)) + sizeof(Key)) * n, cubPass);
  double hashed = medianOf([&] { r.order("partition", in.get(), rows.get(), 0, 8); });
  add("partition pass by hash " + name + " 2^27", hashed, n, "pairs", (2.0 * (sizeof(Key) + sizeof(Value)) + sizeof(Key)) * n, cubPass);
}

// Variants of the pass: items a thread and resident blocks, to choose the policy by.
#define VARIANT(key, value, items, resident)                                                                          \
  KERNEL((384, resident), variant_##key##_##value##_##items##_##resident, const key* keysIn, const value* valuesIn,  \
         key* keysOut, value* valuesOut, int64_t n, const uint64_t* firsts, uint64_t* scratch) {                     \
    gsql::radixPass<false, key, value, items>(keysIn, valuesIn, keysOut, valuesOut, n, firsts, scratch, \
                                                           0, 255, gsql::ByOrder<key>(0, 0));                        \
  }
VARIANT(uint32_t, uint32_t, 22, 2)
VARIANT(uint32_t, uint32_t, 18, 2)
VARIANT(uint32_t, uint32_t, 16, 2)
VARIANT(uint32_t, uint32_t, 14, 3)
VARIANT(uint32_t, uint32_t, 12, 3)
VARIANT(uint32_t, uint32_t, 10, 4)
VARIANT(uint64_t, uint64_t, 12, 2)
VARIANT(uint64_t, uint64_t, 10, 2)
VARIANT(uint64_t, uint64_t, 9, 3)
VARIANT(uint64_t, uint64_t, 7, 4)
#undef VARIANT

template <class Key, class Value>
void benchVariant(const std::string& types, int items, int resident) {
  int64_t n = int64_t(1) << 27, tiles = ceilDiv(n, 384 * items);
  Array<Key> in(n), out(n);
  Array<Value> rows(n), rowsOut(n);
  fillWith(in, [] __device__(int64_t i) { return randomKey<Key>(i, 1); });
  fillWith(rows, [] __device__(int64_t i) { return Value(i); });
  Zeros<> counts(256);
  Array<uint64_t> scratch(1 + tiles * 256);
  start(std::string("gsql_radix_histogram_b") + (sizeof(Key) == 8 ? "8" : "4"), sms * 8, 256, 4096, in.get(), n, counts.get(), 0, 8, 0, 0);
  start("gsql_radix_offsets", 1, 256, 0, counts.get());
  std::string name = "variant_" + types + "_" + std::to_string(items) + "_" + std::to_string(resident);
  double ms = medianOf([&] {
    cudaMemsetAsync(scratch.get(), 0, scratch.size() * 8);
    start(name, tiles, 384, 0, in.get(), rows.get(), out.get(), rowsOut.get(), n, counts.get(), scratch.get());
  });
  add("pass alone, " + types + ": " + std::to_string(items) + " items, " + std::to_string(resident) + " blocks", ms, n, "pairs",
      2.0 * (sizeof(Key) + sizeof(Value)) * n, 0);
}

void benchTheta(const std::string& entry, double selectivity, bool narrow) {
  int64_t nOwner = 500000, nOther = 450000;
  // owner < other with the wanted probability: both uniform over ranges that overlap.
  double shift = selectivity == 0.5 ? 0 : selectivity < 0.5 ? 1 - std::sqrt(2 * selectivity) : -(1 - std::sqrt(2 * (1 - selectivity)));
  int64_t width = narrow ? 1000000000 : 2000000000;
  std::vector<int32_t> owner(nOwner), other(nOther);
  std::mt19937_64 random(7);
  for (auto& v : owner) v = int32_t(int64_t(random() % width) + int64_t(shift * width / 2) - width / 2);
  for (auto& v : other) v = int32_t(int64_t(random() % width) - int64_t(shift * width / 2) - width / 2);
  auto sorted = other;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int32_t> payload(nOwner);
  uint64_t wantCount = 0;
  __int128 wantSum = 0;
  for (int64_t i = 0; i < nOwner; i++) {
    payload[i] = int32_t(random());
    uint64_t matches = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), owner[i]);
    wantCount += matches;
    wantSum += __int128(payload[i]) * matches;
  }
  Array<int32_t> a(owner), b(other), x(payload);
  Array<uint64_t> counts(nOwner), parts(2 * sms);
  Array<int64_t> countParts(sms), count(1);
  int64_t tiles = ceilDiv(nOwner, 2048), chunk = 16384, chunks = ceilDiv(nOther, chunk);
  auto join = [&] {
    cudaMemsetAsync(counts.get(), 0, nOwner * 8);
    start(entry, tiles * chunks, 256, 0, a.get(), a.get(), nOwner, b.get(), nOther, tiles, chunk, counts.get());
  };
  double countMs = medianOf([&] {
    join();
    start("gsql_reduce_sum_i64", sms, 256, 0, counts.get(), countParts.get(), nOwner);
    start("gsql_reduce_sum_i64", 1, 256, 0, countParts.get(), count.get(), sms);
  });
  if (uint64_t(count.host()[0]) != wantCount) die("theta count");
  double sumMs = medianOf([&] {
    join();
    start("gsql_weighted_sum_i32", sms, 256, 0, x.get(), counts.get(), nOwner, parts.get());
  });
  auto halves = parts.host();
  __int128 sum = 0;
  for (int b = 0; b < sms; b++) sum += (__int128(int64_t(halves[2 * b + 1])) << 64) + halves[2 * b];
  if (sum != wantSum) die("theta sum");
  char what[64];
  snprintf(what, sizeof what, "%s, %.1f of 500K x 450K", entry.c_str(), double(wantCount) / nOwner / nOther);
  add(std::string("COUNT ") + what, countMs, double(nOwner) * nOther, "pairs", 0, 0, 9000);
  add(std::string("SUM ") + what, sumMs, double(nOwner) * nOther, "pairs", 0, 0, 5500);
}

// Hash join of 2^24 unique build rows with 2^28 probe rows, all of which match.
void benchHash(bool dense, double load) {
  int64_t nBuild = int64_t(1) << 24, nProbe = int64_t(1) << 28;
  uint64_t buckets = uint64_t(nBuild / load / 4) + 1;
  Array<uint32_t> build(nBuild), probe(nProbe);
  fillWith(build, [=] __device__(int64_t i) { uint32_t k = uint32_t(i * 48271 % nBuild); return dense ? k : uniqueKey(k); });
  fillWith(probe, [=] __device__(int64_t i) { uint32_t k = uint32_t(hash64(i) % nBuild); return dense ? k : uniqueKey(k); });
  Array<uint8_t> table(dense ? nBuild * 4 : buckets * 32);
  Array<int32_t> rows(nProbe);
  Zeros<> duplicates(1);
  auto work = [&](bool probes) {
    cudaMemsetAsync(table.get(), 0xFF, table.size());
    if (dense) {
      start("gsql_direct_build_b4", sms * 8, 256, 0, build.get(), nullptr, nBuild, 0, table.get(), 0, duplicates.get());
      if (probes) start("gsql_direct_probe_b4", sms * 8, 256, 0, probe.get(), nullptr, nProbe, table.get(), 0, nBuild, rows.get());
    } else {
      start("gsql_hash_build_b4", sms * 8, 256, 0, build.get(), nullptr, nBuild, 0, table.get(), buckets);
      if (probes) start("gsql_hash_probe_unique_b4", sms * 8, 256, 0, probe.get(), nullptr, nProbe, table.get(), buckets, rows.get());
    }
  };
  const std::string kind = dense ? "direct" : "hash, load " + std::to_string(load).substr(0, 4) + ",";
  add(kind + " build alone 2^24", medianOf([&] { work(false); }), nBuild, "rows", 0, 0);
  double ms = medianOf([&] { work(true); });
  verify(kind + " join", nProbe, [b = build.get(), p = probe.get(), r = rows.get()] __device__(int64_t i) { return r[i] < 0 || b[r[i]] != p[i]; });
  add(kind + " join b 2^24 x 2^28, 4-byte keys, row map", ms, nBuild + nProbe, "tuples", nBuild * 4.0 + nProbe * 8.0, 0, dense ? 61 : 36);
}

// Radix join of n x n rows with unique build keys; matchPercent of the probe rows match.
template <class Key, class Value>
void benchRadixJoin(const std::string& name, int64_t n, unsigned bits, int matchPercent, double bar) {
  const std::string k = sizeof(Key) == 8 ? "b8" : "b4", kv = k + (sizeof(Value) == 8 ? "b8" : "b4");
  int64_t partitions = int64_t(1) << bits;
  Array<Key> buildKeys(n), probeKeys(n), outKeys(n);
  Array<Value> buildValues(n), probeValues(n), outBuild(n), outProbe(n);
  fillWith(buildKeys, [=] __device__(int64_t i) { return uniqueKey(Key(i)); });
  fillWith(probeKeys, [=] __device__(int64_t i) {
    uint64_t h = hash64(i + 12345);
    return uniqueKey(Key(h % n + (int64_t(h >> 40) % 100 < matchPercent ? 0 : n)));
  });
  fillWith(buildValues, [] __device__(int64_t i) { return Value(i); });
  fillWith(probeValues, [] __device__(int64_t i) { return Value(i); });
  uint64_t want = countWhere(n, [=] __device__(int64_t i) { return int64_t(hash64(i + 12345) >> 40) % 100 < matchPercent; });
  Radix<Key, Value> b(n), p(n);
  Array<int64_t> bb(partitions + 1), pb(partitions + 1);
  int64_t maxUnits = 4 * partitions + 2 * ceilDiv(n, gsql::kJoinProbe), scanTiles = ceilDiv(partitions, 16384);
  Array<uint64_t> counts(partitions), offsets(partitions), units(1), scratch(1 + scanTiles), total(1);
  Array<uint8_t> list(maxUnits * 16);
  auto partition = [&] {
    b.order("partition", buildKeys.get(), buildValues.get(), 0, bits);
    p.order("partition", probeKeys.get(), probeValues.get(), 0, bits);
  };
  uint64_t unitCount = 0;
  auto work = [&] {
    partition();
    start("gsql_partition_bounds_" + k, ceilDiv(partitions, 256), 256, 0, b.keys.get(), n, 0, partitions, bb.get());
    start("gsql_partition_bounds_" + k, ceilDiv(partitions, 256), 256, 0, p.keys.get(), n, 0, partitions, pb.get());
    start("gsql_radix_units_count", ceilDiv(partitions, 256), 256, 0, bb.get(), pb.get(), partitions, counts.get());
    cudaMemsetAsync(scratch.get(), 0, scratch.size() * 8);
    start("gsql_scan_exclusive_u64", scanTiles, 1024, 0, counts.get(), offsets.get(), partitions, units.get(), scratch.get());
    start("gsql_radix_units_write", ceilDiv(partitions, 256), 256, 0, bb.get(), pb.get(), partitions, offsets.get(), list.get());
    cudaMemcpy(&unitCount, units.get(), 8, cudaMemcpyDeviceToHost);
    if (int64_t(unitCount) > maxUnits) die("too many units");
    cudaMemsetAsync(total.get(), 0, 8);
    start("gsql_radix_join_" + kv, unitCount, 512, sizeof(gsql::JoinShared<Key, Value>), b.keys.get(), b.values.get(), bb.get(), p.keys.get(),
          p.values.get(), pb.get(), list.get(), bits, outKeys.get(), outBuild.get(), outProbe.get(), uint64_t(n), total.get());
  };
  add("radix join " + name + ": partitions alone", medianOf(partition), 2.0 * n, "tuples", 0, 0);
  double ms = medianOf(work);
  if (total.host()[0] != want) die("radix join " + name + " has " + std::to_string(total.host()[0]) + " rows, want " + std::to_string(want));
  // Every output row is a true pair, and each probe row comes at most once.
  Zeros<uint8_t> seen(n);
  verify("radix join " + name, want, [ok = outKeys.get(), ob = outBuild.get(), op = outProbe.get(), pk = probeKeys.get(), s = seen.get()] __device__(int64_t i) {
    bool right = uniqueKey(Key(ob[i])) == ok[i] && pk[op[i]] == ok[i] && s[op[i]] == 0;
    s[op[i]] = 1;
    return !right;
  });
  double row = sizeof(Key) + sizeof(Value);
  add("radix join " + name, ms, 2.0 * n, "tuples", 2 * n * row * 5 + 2 * n * sizeof(Key) + want * (row + sizeof(Value)), 0, bar);
}

int main(int argc, char** argv) {
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  benchCopy();
  benchScan<uint32_t>("u32");
  benchScan<uint64_t>("u64");
  benchReduceSelect();
  benchSort<uint32_t, uint32_t>("32/32");
  benchSort<uint64_t, uint64_t>("64/64");
  benchSort<uint64_t, uint32_t>("64/32");
  for (auto [items, resident] : std::vector<std::pair<int, int>>{{22, 2}, {18, 2}, {16, 2}, {14, 3}, {12, 3}, {10, 4}}) benchVariant<uint32_t, uint32_t>("uint32_t_uint32_t", items, resident);
  for (auto [items, resident] : std::vector<std::pair<int, int>>{{12, 2}, {10, 2}, {9, 3}, {7, 4}}) benchVariant<uint64_t, uint64_t>("uint64_t_uint64_t", items, resident);
  for (double selectivity : {0.1, 0.5, 0.9}) {
    benchTheta("gsql_theta_count_lt_i32", selectivity, false);
    benchTheta("gsql_theta_count_lt_narrow", selectivity, true);
  }
  for (double load : {0.5, 0.67, 0.8}) benchHash(false, load);
  benchHash(true, 1);
  benchRadixJoin<uint32_t, uint32_t>("a 2^27 x 2^27, 4/4 bytes", int64_t(1) << 27, 16, 100, 27);
  benchRadixJoin<uint32_t, uint32_t>("e3: a, 3 % match", int64_t(1) << 27, 16, 3, 44);
  benchRadixJoin<uint64_t, uint64_t>("c 2^26 x 2^26, 8/8 bytes", int64_t(1) << 26, 15, 100, 17);
  writeReport(argc > 1 ? argv[1] : "results");
}
