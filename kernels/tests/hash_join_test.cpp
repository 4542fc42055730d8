// Hash tables, direct tables and runs against a map, with tables nearly full.
#include "testing.h"

#include <algorithm>

#include "../expand.cu"
#include "../hash_aggregate.cu"
#include "../hash_build.cu"
#include "../hash_pairs.cu"
#include "../hash_runs.cu"

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

template <class Key>
const char* bitsOf() { return sizeof(Key) == 8 ? "b8" : "b4"; }

// joinOf is the inner join as sorted (build row, probe row) pairs.
template <class Key>
Pairs joinOf(const std::vector<Key>& build, const std::vector<uint8_t>& buildValid, const std::vector<Key>& probe,
             const std::vector<uint8_t>& probeValid) {
  std::multimap<Key, int64_t> rows;
  for (size_t i = 0; i < build.size(); i++)
    if (buildValid[i]) rows.emplace(build[i], i);
  Pairs pairs;
  for (size_t j = 0; j < probe.size(); j++) {
    if (!probeValid[j]) continue;
    auto [from, to] = rows.equal_range(probe[j]);
    for (; from != to; ++from) pairs.emplace_back(from->second, j);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expectPairs(const std::vector<int32_t>& build, const std::vector<int32_t>& probe, const Pairs& want, const std::string& what) {
  Pairs got;
  for (size_t i = 0; i < want.size(); i++) got.emplace_back(build[i], probe[i]);
  std::sort(got.begin(), got.end());
  if (got != want) die(what + ": other pairs than the " + std::to_string(want.size()) + " wanted");
}

// flagsOf makes validity bytes with some NULLs.
std::vector<uint8_t> flagsOf(int64_t n) {
  std::vector<uint8_t> flags(n);
  for (int64_t i = 0; i < n; i++) flags[i] = i % 11 != 3;
  return flags;
}

// Side is a column of keys with NULLs on the device.
template <class Key>
struct Side {
  std::vector<Key> host;
  std::vector<uint8_t> flags;
  Array<Key> keys;
  Array<uint8_t> valid;
  explicit Side(const std::vector<Key>& k) : host(k), flags(flagsOf(k.size())), keys(k), valid(flags) {}
  int64_t n() const { return host.size(); }
};

// bucketsFor leaves few free slots, so that rows overflow into neighbours and around the end.
template <class Key>
uint64_t bucketsFor(int64_t rows) { return rows * 10 / 9 / (sizeof(Key) == 8 ? 2 : 4) + 1; }

// testUnique joins where the build keys are unique; Repeat adds one that is not.
template <class Key>
void testUnique(const Side<Key>& build, const Side<Key>& probe, bool repeats) {
  const std::string bits = bitsOf<Key>();
  uint64_t buckets = bucketsFor<Key>(build.n());
  Array<uint8_t> table((buckets + 1) * 32);
  table.fill(0xFF);
  Zeros<> duplicates(1), count(1);
  int64_t half = build.n() / 2;  // two launches: a build side that arrives in pieces
  for (auto [from, n] : {std::pair(int64_t(0), half), std::pair(half, build.n() - half)})
    run("gsql_hash_build_" + bits, 2, 256, 0, build.keys.get() + from, 0, from, n, build.valid.get(), nullptr, 0, table.get(), buckets, duplicates.get());
  if ((duplicates.host()[0] != 0) != repeats) die("duplicates of " + std::to_string(build.n()) + " keys");
  if (repeats) return;
  auto want = joinOf(build.host, build.flags, probe.host, probe.flags);
  Array<int32_t> probeRows(probe.n()), buildRows(probe.n());
  if (probe.n() > 0)
    run("gsql_hash_pairs_" + bits, ceilDiv(probe.n(), 1024), 256, 0, probe.keys.get(), probe.valid.get(), 0, probe.n(), table.get(), buckets, probeRows.get(), buildRows.get(), count.get());
  expectEqual(count.host(), {uint64_t(want.size())}, "hash pairs");
  expectPairs(buildRows.host(), probeRows.host(), want, "hash pairs");

  std::vector<int64_t> values(build.n());
  int64_t sum = 0;
  for (size_t i = 0; i < values.size(); i++) values[i] = int64_t(i) * 3 - 1000;
  for (auto [b, p] : want) sum += values[b];
  Array<int64_t> column(values);
  Zeros<> parts(2 * 6);
  run("gsql_hash_aggregate_" + bits + "i64", 2, 256, 0, probe.keys.get(), probe.valid.get(), probe.n(), table.get(), buckets, nullptr, column.get(), nullptr, 2, 0, parts.get());
  auto words = parts.host();
  expectEqual<uint64_t>({words[5] + words[11], words[0] + words[6]}, {want.size(), uint64_t(sum)}, "rows and sum");
}

// testRuns joins over runs of rows sorted by hash, the output cut into three.
template <class Key>
void testRuns(const Side<Key>& build, const Side<Key>& probe) {
  const std::string bits = bitsOf<Key>();
  std::vector<int32_t> order;
  for (int64_t i = 0; i < build.n(); i++)
    if (build.flags[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return gsql::hashKey(build.host[a]) < gsql::hashKey(build.host[b]); });
  std::vector<Key> hashes;
  for (int32_t r : order) hashes.push_back(gsql::hashKey(build.host[r]));
  uint64_t buckets = bucketsFor<Key>(order.size());
  Array<uint8_t> table((buckets + 1) * 32);
  table.fill(0xFF);
  Array<Key> sorted(hashes);
  Array<int32_t> rows(order);
  Array<uint32_t> lengths(order.size()), starts(probe.n()), counts(probe.n());
  run("gsql_hash_runs_build_" + bits, 2, 256, 0, sorted.get(), int64_t(order.size()), 0, table.get(), buckets, lengths.get());
  run("gsql_hash_runs_find_" + bits, 2, 256, 0, probe.keys.get(), probe.valid.get(), probe.n(), table.get(), buckets, lengths.get(), starts.get(), counts.get());
  std::vector<uint64_t> offsets;
  uint64_t total = 0;
  for (uint32_t c : counts.host()) {
    offsets.push_back(total);
    total += c;
  }
  auto want = joinOf(build.host, build.flags, probe.host, probe.flags);
  if (total != want.size()) die("runs have " + std::to_string(total) + " pairs, want " + std::to_string(want.size()));
  Array<uint64_t> firsts(offsets);
  Array<int32_t> probeRows(total), buildRows(total);
  uint64_t cuts[] = {0, total / 3, total / 3 * 2, total};
  for (int c = 0; c < 3; c++) {
    uint64_t from = cuts[c], to = cuts[c + 1];
    if (from < to)
      run("gsql_expand_pairs", ceilDiv(to - from, 2048), 256, 0, firsts.get(), starts.get(), probe.n(), 0, rows.get(), from, to, probeRows.get() + from, buildRows.get() + from);
  }
  expectPairs(buildRows.host(), probeRows.host(), want, "runs");
}

template <class Key>
void testDirect(int64_t n, Key base) {
  std::vector<Key> build(n), probe;
  for (int64_t i = 0; i < n; i++) build[i] = base + Key((i * 7919) % n);
  for (int64_t i = -5; i < n + 5; i++) probe.push_back(base + Key(i));
  const std::string bits = bitsOf<Key>();
  Side<Key> b(build), p(probe);
  Array<uint32_t> table(n);
  table.fill(0xFF);
  Zeros<> inserted(1), set(1), count(1);
  run("gsql_direct_build_" + bits, 2, 256, 0, b.keys.get(), 0, n, b.valid.get(), nullptr, 0, table.get(), base, n, inserted.get());
  run("gsql_direct_count", 2, 256, 0, table.get(), n, set.get());
  Array<int32_t> probeRows(p.n()), buildRows(p.n());
  run("gsql_direct_pairs_" + bits, ceilDiv(p.n(), 2048), 256, 0, p.keys.get(), p.valid.get(), 0, p.n(), table.get(), base, n, probeRows.get(), buildRows.get(), count.get());
  auto want = joinOf(b.host, b.flags, p.host, p.flags);
  expectEqual(inserted.host(), {uint64_t(std::count(b.flags.begin(), b.flags.end(), 1))}, "inserted");
  expectEqual(set.host(), inserted.host(), "entries");
  expectEqual(count.host(), {uint64_t(want.size())}, "direct pairs");
  expectPairs(buildRows.host(), probeRows.host(), want, "direct pairs");
}

template <class Key>
void testType() {
  // Unique keys with the one that is the mark of free slots where it is a hash.
  auto unique = [](int64_t n) {
    auto keys = keysOf<Key>(Shape::kSorted, n, 1);
    if (n > 20) keys[20] = gsql::unhashKey(Key(~Key(0)));
    return keys;
  };
  for (auto [nBuild, nProbe] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {0, 40}, {33, 255}, {257, 1025}, {700, 3000}}) {
    testUnique<Key>(Side<Key>(unique(nBuild)), Side<Key>(unique(nProbe)), false);
    for (Shape shape : kShapes) {
      bool many = shape == Shape::kEqual || shape == Shape::kFew || shape == Shape::kExtreme;
      Side<Key> build(keysOf<Key>(shape, many ? std::min<int64_t>(nBuild, 40) : nBuild, 1));
      Side<Key> probe(keysOf<Key>(shape, many ? std::min<int64_t>(nProbe, 300) : nProbe, 1));
      if (many && nBuild > 30) testUnique<Key>(build, probe, true);
      testRuns<Key>(build, probe);
    }
  }
  testDirect<Key>(1003, Key(-500));
}

int main() {
  testType<uint32_t>();
  testType<uint64_t>();
  puts("ok");
}
