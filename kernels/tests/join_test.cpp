// The radix join against a nested loop over sorted copies.
#include "testing.h"

#include <algorithm>
#include <tuple>

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
  testRadixType<uint32_t, uint32_t>();
  testRadixType<uint64_t, uint32_t>();
  testRadixType<uint64_t, uint64_t>();
  puts("ok");
}
