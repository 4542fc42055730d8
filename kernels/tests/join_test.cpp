// Hash joins and the radix join against a nested loop over sorted copies.
#include "testing.h"

#include <algorithm>
#include <tuple>

#include "../hash_build.cu"
#include "../hash_probe.cu"
#include "../radix_join.cu"

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// joinOf is the inner join as sorted (build row, probe row) pairs.
template <class Key>
Pairs joinOf(const std::vector<Key>& build, const std::vector<uint8_t>& buildValid, const std::vector<Key>& probe,
             const std::vector<uint8_t>& probeValid) {
  std::multimap<Key, int64_t> rows;
  for (size_t i = 0; i < build.size(); i++)
    if (buildValid.empty() || buildValid[i]) rows.emplace(build[i], i);
  Pairs pairs;
  for (size_t j = 0; j < probe.size(); j++) {
    if (!probeValid.empty() && !probeValid[j]) continue;
    auto [from, to] = rows.equal_range(probe[j]);
    for (; from != to; ++from) pairs.emplace_back(from->second, j);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expectPairs(Pairs got, const Pairs& want, const std::string& what) {
  std::sort(got.begin(), got.end());
  if (got != want) die(what + ": " + std::to_string(got.size()) + " pairs, want " + std::to_string(want.size()));
}

template <class Key>
struct Names;
template <>
struct Names<uint32_t> {
  static constexpr const char* suffix = "b4";
  using Row = int32_t;
};
template <>
struct Names<uint64_t> {
  static constexpr const char* suffix = "b8";
  using Row = int64_t;
};

// flagsOf makes validity bytes with some NULLs.
std::vector<uint8_t> flagsOf(int64_t n) {
  std::vector<uint8_t> flags(n);
  for (int64_t i = 0; i < n; i++) flags[i] = i % 11 != 3;
  return flags;
}

template <class Key>
void testHash(const std::vector<Key>& build, const std::vector<Key>& probe, bool nulls) {
  using Row = typename Names<Key>::Row;
  const std::string suffix = Names<Key>::suffix;
  int64_t nBuild = build.size(), nProbe = probe.size();
  // Nearly full, so that rows overflow into neighbours and around the end.
  uint64_t buckets = nBuild * 10 / 9 / (sizeof(Key) == 8 ? 2 : 4) + 1;
  auto buildValid = nulls ? flagsOf(nBuild) : std::vector<uint8_t>(), probeValid = nulls ? flagsOf(nProbe) : std::vector<uint8_t>();
  auto want = joinOf(build, buildValid, probe, probeValid);

  Array<Key> b(build), p(probe);
  Array<uint8_t> bv(buildValid), pv(probeValid), table(buckets * 32);
  table.fill(0xFF);
  const uint8_t* bValid = nulls ? bv.get() : nullptr;
  const uint8_t* pValid = nulls ? pv.get() : nullptr;
  int64_t half = nBuild / 2;  // two launches: a build side that arrives in pieces
  run("gsql_hash_build_" + suffix, 2, 256, 0, b.get(), bValid, half, 0, table.get(), buckets);
  run("gsql_hash_build_" + suffix, 2, 256, 0, b.get() + half, nulls ? bValid + half : nullptr, nBuild - half, half, table.get(), buckets);

  Array<uint32_t> counts(nProbe);
  run("gsql_hash_probe_count_" + suffix, 2, 256, 0, p.get(), pValid, nProbe, table.get(), buckets, counts.get());
  auto perRow = counts.host();
  std::vector<uint64_t> offsets(nProbe);
  uint64_t total = 0;
  for (int64_t i = 0; i < nProbe; i++) {
    offsets[i] = total;
    total += perRow[i];
  }
  if (total != want.size()) die("hash join counts " + std::to_string(total) + ", want " + std::to_string(want.size()));
  Array<uint64_t> offs(offsets);
  Array<Row> probeRows(total), buildRows(total);
  run("gsql_hash_probe_write_" + suffix, 2, 256, 0, p.get(), pValid, nProbe, 0, table.get(), buckets, offs.get(),
      probeRows.get(), buildRows.get());
  auto pr = probeRows.host(), br = buildRows.host();
  Pairs got;
  for (uint64_t i = 0; i < total; i++) got.emplace_back(br[i], pr[i]);
  expectPairs(got, want, "hash join");

  Array<Row> only(nProbe);
  run("gsql_hash_probe_unique_" + suffix, 2, 256, 0, p.get(), pValid, nProbe, table.get(), buckets, only.get());
  auto row = only.host();
  for (int64_t i = 0; i < nProbe; i++) {
    bool found = row[i] >= 0;
    if (found != (perRow[i] > 0) || (found && build[row[i]] != probe[i])) die("unique probe at " + std::to_string(i));
  }
}

template <class Key>
void testDirect(int64_t n, Key base) {
  std::vector<Key> build(n), probe;
  for (int64_t i = 0; i < n; i++) build[i] = base + Key((i * 7919) % n);
  for (int64_t i = -5; i < n + 5; i++) probe.push_back(base + Key(i));
  const std::string suffix = Names<Key>::suffix;
  Array<Key> b(build), p(probe);
  Array<int32_t> table(n), rows(probe.size());
  Zeros<> duplicates(1);
  table.fill(0xFF);
  run("gsql_direct_build_" + suffix, 2, 256, 0, b.get(), nullptr, n, 0, table.get(), base, duplicates.get());
  run("gsql_direct_probe_" + suffix, 2, 256, 0, p.get(), nullptr, int64_t(probe.size()), table.get(), base, n, rows.get());
  expectEqual(duplicates.host(), {uint64_t(0)}, "duplicates");
  auto got = rows.host();
  for (size_t i = 0; i < probe.size(); i++) {
    bool inside = i >= 5 && int64_t(i) < n + 5;
    if (inside ? build[got[i]] != probe[i] : got[i] != -1) die("direct probe at " + std::to_string(i));
  }
  run("gsql_direct_build_" + suffix, 1, 256, 0, b.get(), nullptr, 1, 0, table.get(), base, duplicates.get());
  expectEqual(duplicates.host(), {uint64_t(1)}, "duplicates of a second row");
}

// partitioned orders rows by the low bits of the keys' hash, as radix_pass.cu does.
template <class Key>
std::vector<uint32_t> partitioned(const std::vector<Key>& keys, uint64_t partitions) {
  std::vector<uint32_t> rows(keys.size());
  for (size_t i = 0; i < rows.size(); i++) rows[i] = i;
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return (gsql::hashKey(keys[a]) & (partitions - 1)) < (gsql::hashKey(keys[b]) & (partitions - 1));
  });
  return rows;
}

template <class Key, class Value>
void testRadix(const std::vector<Key>& build, const std::vector<Key>& probe, int64_t partitions) {
  const std::string suffix = Names<Key>::suffix, both = suffix + (sizeof(Value) == 8 ? "b8" : "b4");
  auto side = [&](const std::vector<Key>& keys) {
    auto rows = partitioned(keys, partitions);
    std::vector<Key> ordered;
    for (auto r : rows) ordered.push_back(gsql::hashKey(keys[r]));
    return std::pair(ordered, std::vector<Value>(rows.begin(), rows.end()));
  };
  auto [buildKeys, buildRows] = side(build);
  auto [probeKeys, probeRows] = side(probe);
  Array<Key> bk(buildKeys), pk(probeKeys);
  Array<Value> bv(buildRows), pv(probeRows);
  Array<int64_t> bb(partitions + 1), pb(partitions + 1);
  run("gsql_partition_bounds_" + suffix, 1, 256, 0, bk.get(), int64_t(build.size()), 0, partitions, bb.get());
  run("gsql_partition_bounds_" + suffix, 1, 256, 0, pk.get(), int64_t(probe.size()), 0, partitions, pb.get());
  Array<uint64_t> counts(partitions);
  run("gsql_radix_units_count", 1, 256, 0, bb.get(), pb.get(), partitions, counts.get());
  std::vector<uint64_t> offsets;
  uint64_t units = 0;
  for (uint64_t c : counts.host()) {
    offsets.push_back(units);
    units += c;
  }
  auto want = joinOf(build, {}, probe, {});
  Array<uint64_t> offs(offsets);
  Array<uint8_t> list(units * 16);
  run("gsql_radix_units_write", 1, 256, 0, bb.get(), pb.get(), partitions, offs.get(), list.get());
  // Once to count, as where nothing is known of the output, once to write.
  for (uint64_t capacity : {uint64_t(0), uint64_t(want.size())}) {
    Array<Key> outKeys(capacity);
    Array<Value> outBuild(capacity), outProbe(capacity);
    Zeros<> total(1);
    if (units > 0)
      run("gsql_radix_join_" + both, units, 512, sizeof(gsql::JoinShared<Key, Value>), bk.get(), bv.get(), bb.get(), pk.get(),
          pv.get(), pb.get(), list.get(), 16, outKeys.get(), outBuild.get(), outProbe.get(), capacity, total.get());
    expectEqual(total.host(), {uint64_t(want.size())}, "radix join's rows");
    if (capacity == 0) continue;
    auto k = outKeys.host();
    auto b = outBuild.host(), p = outProbe.host();
    Pairs got;
    for (uint64_t i = 0; i < capacity; i++) {
      got.emplace_back(b[i], p[i]);
      if (k[i] != probe[p[i]]) die("radix join's keys");
    }
    expectPairs(got, want, "radix join");
  }
}

template <class Key>
void testType() {
  for (auto [nBuild, nProbe] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {0, 40}, {33, 255}, {257, 1025}, {700, 3000}}) {
    for (Shape shape : kShapes)
      for (bool nulls : {false, true}) {
        bool many = shape == Shape::kEqual || shape == Shape::kFew || shape == Shape::kExtreme;
        testHash(keysOf<Key>(shape, many ? std::min<int64_t>(nBuild, 40) : nBuild, 1), keysOf<Key>(shape, many ? std::min<int64_t>(nProbe, 300) : nProbe, 1), nulls);
      }
  }
  testDirect<Key>(1000, Key(-500));
}

template <class Key, class Value>
void testRadixType() {
  for (Shape shape : kShapes) {
    bool many = shape == Shape::kEqual || shape == Shape::kFew || shape == Shape::kExtreme;
    testRadix<Key, Value>(keysOf<Key>(shape, many ? 150 : 9000, 1), keysOf<Key>(shape, many ? 300 : 20000, 1), 4);
  }
  testRadix<Key, Value>(keysOf<Key>(Shape::kEqual, 3073, 1), keysOf<Key>(Shape::kSorted, 17000, 1), 1);
  testRadix<Key, Value>({}, keysOf<Key>(Shape::kSorted, 10, 1), 2);
}

int main() {
  testType<uint32_t>();
  testType<uint64_t>();
  testRadixType<uint32_t, uint32_t>();
  testRadixType<uint64_t, uint32_t>();
  testRadixType<uint64_t, uint64_t>();
  puts("ok");
}
