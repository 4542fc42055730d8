// Radix partitions, and the radix join and fold over them, against plain loops.
#include "testing.h"

#include <algorithm>
#include <tuple>

#include "../partition_count.cu"
#include "../partition_pass.cu"
#include "../radix_fold.cu"
#include "../radix_join.cu"
#include "../radix_units.cu"

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// joinOf is the inner join as sorted (build row, probe row) pairs.
template <class Key>
Pairs joinOf(const std::vector<Key>& build, const std::vector<Key>& probe) {
  std::multimap<Key, int64_t> rows;
  for (size_t i = 0; i < build.size(); i++) rows.emplace(build[i], i);
  Pairs pairs;
  for (size_t j = 0; j < probe.size(); j++) {
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

template <class T>
std::string bytesOf() { return sizeof(T) == 8 ? "b8" : "b4"; }

// Side is rows partitioned by the low bits of their keys' hashes in two levels; values are
// row numbers.
template <class Key, class Value>
struct Side {
  int64_t n;
  std::vector<Key> keys;
  Array<Key> hashes, between;
  Array<Value> rows, rowsBetween;
  Zeros<> first, second;  // a word, bound 0, a cursor a partition

  Side(const std::vector<Key>& keys, unsigned bits)
      : n(keys.size()), keys(keys), hashes(n), between(n), rows(n), rowsBetween(n), first(2 + (1u << bits / 2)), second(2 + (1u << bits)) {
    Array<Key> in(keys);
    level(in.get(), nullptr, between.get(), rowsBetween.get(), nullptr, 1, first, 0, bits / 2);
    level(between.get(), rowsBetween.get(), hashes.get(), rows.get(), reinterpret_cast<int64_t*>(first.get() + 1), 1 << bits / 2,
          second, bits / 2, bits - bits / 2);
  }
  int64_t* bounds() { return reinterpret_cast<int64_t*>(second.get() + 1); }

  void level(const Key* in, const Value* values, Key* out, Value* valuesOut, const int64_t* above, int64_t parents,
             Zeros<>& cursors, unsigned shift, unsigned bits) {
    int64_t tileRows = gsql::kPartitionThreads * gsql::PartitionItems<Key, Value>::kValue, room = n / tileRows + parents;
    Array<gsql::Tile> tiles(room);
    run("gsql_partition_tiles", 2, 256, parents * 4, above, n, parents, tileRows, tiles.get(), room);
    run("gsql_partition_count_" + bytesOf<Key>(), ceilDiv(room, gsql::kCountTiles), 512, 0, in, tiles.get(), room, shift > 0,
        shift, bits, cursors.get() + 2);
    auto words = cursors.host();
    uint64_t before = 0;
    for (size_t p = 2; p < words.size(); p++) {
      uint64_t count = words[p];
      words[p] = before;
      before += count;
    }
    if (int64_t(before) != n) die("a partition counts " + std::to_string(before) + " of " + std::to_string(n) + " rows");
    cursors.set(words);
    run("gsql_partition_pass_" + bytesOf<Key>() + bytesOf<Value>(), room, 512, gsql::kSplitBytes<Key, Value>, in, values, nullptr, 0,
        out, valuesOut, tiles.get(), cursors.get() + 2, shift > 0, shift, bits);
  }

  // check wants every row once and its hash's partition to be where it lies.
  void check(unsigned bits) {
    auto h = hashes.host();
    auto r = rows.host();
    auto b = second.host();
    std::vector<bool> seen(n);
    unsigned low = bits / 2, high = bits - low;
    for (size_t p = 0; p < size_t(1) << bits; p++) {
      for (uint64_t i = b[1 + p]; i < b[2 + p]; i++) {
        if (seen[r[i]] || h[i] != gsql::hashKey(keys[r[i]])) die("partitioned rows");
        seen[r[i]] = true;
        if (((h[i] & ((1u << low) - 1)) << high | (h[i] >> low & ((1u << high) - 1))) != p) die("a row's partition");
      }
    }
    if (b[1] != 0 || int64_t(b.back()) != n) die("bounds of partitions");
  }
};

template <class Key, class Value>
void testJoin(const std::vector<Key>& build, const std::vector<Key>& probe, unsigned bits, int64_t probeChunk) {
  Side<Key, Value> b(build, bits), p(probe, bits);
  b.check(bits);
  p.check(bits);
  int64_t partitions = int64_t(1) << bits;
  Array<uint64_t> counts(partitions);
  run("gsql_radix_units_count", 1, 256, 0, b.bounds(), p.bounds(), partitions, probeChunk, counts.get());
  std::vector<uint64_t> offsets;
  int64_t n = 0;
  for (uint64_t c : counts.host()) {
    offsets.push_back(n);
    n += c;
  }
  auto want = joinOf(build, probe);
  Array<uint64_t> offs(offsets);
  // Units in two ranges, each cut in two by its probe rows and in three by its build rows.
  Array<gsql::Unit> list(n), halves(2 * n), sixths(6 * n);
  if (n > 0) {
    for (auto [from, to] : {std::pair(int64_t(0), n / 2), std::pair(n / 2, n)})
      run("gsql_radix_units_write", 1, 256, 0, b.bounds(), p.bounds(), partitions, probeChunk, offs.get(), from, to - from,
          list.get() + from);
    run("gsql_radix_units_cut", 1, 256, 0, list.get(), n, 2, 0, halves.get());
    run("gsql_radix_units_cut", 1, 256, 0, halves.get(), 2 * n, 3, 1, sixths.get());
  }
  Zeros<> results(6);
  // Without room, as where nothing is known of the output; into room enough; in small units.
  for (int way = 0; way < 3 && n > 0; way++) {
    uint64_t capacity = way == 0 ? 0 : want.size();
    Array<Key> outKeys(capacity);
    Array<Value> outBuild(capacity), outProbe(capacity);
    Zeros<> total(1);
    run("gsql_radix_join_" + bytesOf<Key>() + bytesOf<Value>(), way == 2 ? 6 * n : n, 384, sizeof(gsql::JoinTable<Key, Value>),
        b.hashes.get(), b.rows.get(), p.hashes.get(), p.rows.get(), way == 2 ? sixths.get() : list.get(), bits, outKeys.get(),
        outBuild.get(), nullptr, outProbe.get(), nullptr, capacity, total.get());
    expectEqual(total.host(), {uint64_t(want.size())}, "radix join's rows");
    auto k = outKeys.host();
    auto br = outBuild.host(), pr = outProbe.host();
    Pairs got;
    for (uint64_t i = 0; i < capacity; i++) {
      got.emplace_back(br[i], pr[i]);
      if (k[i] != probe[pr[i]]) die("radix join's keys");
    }
    if (capacity > 0) expectPairs(got, want, "radix join");
  }
  // The sum of the partners' row numbers, of the bits of the value that are signed.
  if (n > 0)
    run("gsql_radix_fold_" + bytesOf<Key>() + (sizeof(Value) == 8 ? "i64" : "i32"), 3, 512, sizeof(gsql::FoldTable<Key>),
        b.hashes.get(), p.hashes.get(), p.rows.get(), list.get(), n, bits, results.get());
  uint64_t sum = 0;
  for (auto& pair : want) sum += pair.second;
  auto r = results.host();
  if (r[0] != want.size() || r[1] + (r[2] << 32) != sum) die("radix fold");
}

template <class Key, class Value>
void testType() {
  for (Shape shape : kShapes) {
    bool many = shape == Shape::kEqual || shape == Shape::kFew || shape == Shape::kExtreme;
    testJoin<Key, Value>(keysOf<Key>(shape, many ? 150 : 9000, 1), keysOf<Key>(shape, many ? 300 : 20000, 1), 3, 4000);
  }
  testJoin<Key, Value>(keysOf<Key>(Shape::kEqual, 3073, 1), keysOf<Key>(Shape::kSorted, 17000, 1), 2, 16384);
  testJoin<Key, Value>({}, keysOf<Key>(Shape::kSorted, 10, 1), 2, 100);
}

int main() {
  testType<uint32_t, uint32_t>();
  testType<uint32_t, uint64_t>();
  testType<uint64_t, uint32_t>();
  testType<uint64_t, uint64_t>();
  puts("ok");
}
