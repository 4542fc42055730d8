// Sort-merge join, its expansion and its counts against two loops.
#include "testing.h"

#include <algorithm>

#include "../merge_expand.cu"
#include "../merge_join.cu"
#include "../merge_path.cu"
#include "../sorted_check.cu"

constexpr int64_t kTile = gsql::kMergeTile;
using Pairs = std::vector<std::pair<int32_t, int32_t>>;

// Sides are two sorted columns, with row numbers unless they are in row order.
template <class T>
struct Sides {
  std::string suffix;
  std::vector<T> a, b;
  bool rows;
  std::vector<int32_t> rowsOf(size_t n) const {
    std::vector<int32_t> r(n);
    for (size_t i = 0; i < n; i++) r[i] = int32_t(rows ? n - 1 - i + 5 : i);
    return r;
  }
  // wanted is the pairs in the order in which the kernels write them.
  Pairs wanted() const {
    Pairs pairs;
    auto ra = rowsOf(a.size()), rb = rowsOf(b.size());
    for (size_t j = 0; j < b.size(); j++) {
      auto [from, to] = std::equal_range(a.begin(), a.end(), b[j]);
      for (auto p = from; p != to; ++p) pairs.emplace_back(ra[p - a.begin()], rb[j]);
    }
    return pairs;
  }
};

void expectPairs(const Pairs& got, const Pairs& want, const std::string& what) {
  if (got.size() != want.size()) die(what + ": " + std::to_string(got.size()) + " pairs, want " + std::to_string(want.size()));
  for (size_t i = 0; i < got.size(); i++)
    if (got[i] != want[i]) die(what + ": pair " + std::to_string(i) + " of " + std::to_string(got.size()));
}

Pairs pairsOf(const Array<int32_t>& left, const Array<int32_t>& right, int64_t n) {
  auto l = left.host(), r = right.host();
  Pairs pairs;
  for (int64_t i = 0; i < n; i++) pairs.emplace_back(l[i], r[i]);
  return pairs;
}

// testJoin joins with room for capacity pairs and writes the rest by windows.
template <class T>
void testJoin(const Sides<T>& q, int64_t capacity, const std::string& what) {
  int64_t na = q.a.size(), nb = q.b.size(), tiles = ceilDiv(na + nb, kTile);
  Pairs want = q.wanted(), got;
  int64_t total = want.size();
  capacity = std::min(capacity, total);
  Array<T> a(q.a), b(q.b);
  Array<int32_t> aRows(q.rowsOf(na)), bRows(q.rowsOf(nb));
  const int32_t *ra = q.rows ? aRows.get() : nullptr, *rb = q.rows ? bRows.get() : nullptr;
  Array<int64_t> splits(tiles + 1), runs(tiles + 1);
  run("gsql_merge_splits_" + q.suffix, 1, 256, 0, a.get(), na, b.get(), nb, splits.get(), runs.get(), tiles);
  Zeros<> state(1 + tiles), totals(2);
  Array<int32_t> left(capacity), right(capacity);
  run("gsql_merge_join_" + q.suffix, tiles, 256, 0, a.get(), ra, na, b.get(), rb, nb, splits.get(), runs.get(), state.get(),
      left.get(), right.get(), capacity, totals.get());
  auto counts = totals.host();
  if (int64_t(counts[0]) != total) die(what + ": a total of " + std::to_string(counts[0]) + ", want " + std::to_string(total));
  auto expand = [&](int64_t from, int64_t to, int64_t least, Array<int32_t>& l, Array<int32_t>& r) {
    run("gsql_merge_expand_" + q.suffix, ceilDiv(to - from, gsql::kExpandPairs), 256, 0, a.get(), ra, na, b.get(), rb, nb,
        splits.get(), runs.get(), state.get() + 1, tiles, from, to, least, l.get(), r.get());
  };
  if (counts[1] > 0 && capacity > 0) expand(0, capacity, kTile, left, right);
  got = pairsOf(left, right, capacity);
  for (int64_t from = capacity; from < total; from += std::max<int64_t>(capacity, 1000)) {
    int64_t to = std::min(total, from + std::max<int64_t>(capacity, 1000));
    Array<int32_t> l(to - from), r(to - from);
    expand(from, to, 0, l, r);
    Pairs part = pairsOf(l, r, to - from);
    got.insert(got.end(), part.begin(), part.end());
  }
  expectPairs(got, want, what);
  Array<uint64_t> partners(nb);
  std::vector<uint64_t> wantPartners(nb);
  for (int64_t j = 0; j < nb; j++) wantPartners[j] = std::upper_bound(q.a.begin(), q.a.end(), q.b[j]) - std::lower_bound(q.a.begin(), q.a.end(), q.b[j]);
  run("gsql_merge_counts_" + q.suffix, tiles, 256, 0, a.get(), na, b.get(), nb, splits.get(), runs.get(), partners.get());
  expectEqual(partners.host(), wantPartners, what + ", counts");
}

template <class T>
void testShapes(const std::string& suffix) {
  for (Shape shapeA : kShapes)
    for (Shape shapeB : kShapes)
      for (auto [na, nb] : std::vector<std::pair<int64_t, int64_t>>{{0, 5}, {5, 0}, {1, 1}, {300, 200}, {900, kTile - 900}, {30, 4000}, {4001, 50}}) {
        Sides<T> q{suffix, keysOf<T>(shapeA, na, 1), keysOf<T>(shapeB, nb, 2), na % 2 == 0};
        std::sort(q.a.begin(), q.a.end());
        std::sort(q.b.begin(), q.b.end());
        testJoin(q, na == 300 ? 777 : int64_t(1) << 40, suffix + " " + std::to_string(int(shapeA)) + " x " + std::to_string(int(shapeB)) + ", " + std::to_string(na) + " x " + std::to_string(nb));
      }
}

// testRuns has runs of given lengths on both sides, which cross tiles at all places.
void testRuns() {
  for (auto [runA, runB] : std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {4, 1}, {3, 5}, {60, 70}, {5000, 3}, {3, 5000}, {1, 9000}, {9000, 1}, {300, 300}})
    for (int64_t capacity : {int64_t(0), int64_t(999), int64_t(20000), int64_t(1) << 40}) {
      Sides<int32_t> q{"i32", {}, {}, runA % 2 == 0};
      for (int key = 0; int(q.a.size()) < 10000 && int(q.b.size()) < 10000 && int64_t(key) * runA * runB < 300000; key++) {
        q.a.insert(q.a.end(), key % 7 == 3 ? 1 : runA, 3 * key);
        q.b.insert(q.b.end(), key % 5 == 3 ? 1 : runB, key % 11 == 5 ? 3 * key + 1 : 3 * key);
        if (key % 4 == 0) q.b.push_back(3 * key + 2);
      }
      std::sort(q.b.begin(), q.b.end());
      testJoin(q, capacity, "runs of " + std::to_string(runA) + " x " + std::to_string(runB) + ", room for " + std::to_string(capacity));
    }
}

template <class T>
void testSortedCheck(const std::string& suffix) {
  for (int64_t n : {1, 2, 3, 5, 17, 1023, 1024, 1025, 9000})
    for (int64_t descent : {int64_t(-1), int64_t(1), n / 2, n - 1}) {
      if (descent == 0 || descent >= n) continue;
      std::vector<T> keys(n);
      for (int64_t i = 0; i < n; i++) keys[i] = T(i / 2 - 100);
      if (descent > 0) keys[descent] = keys[descent - 1] - T(1);
      Array<T> in(keys);
      Zeros<> unsorted(1);
      run("gsql_sorted_check_" + suffix, 3, 256, 0, in.get(), n, unsorted.get());
      if ((unsorted.host()[0] != 0) != (descent > 0)) die("sorted check of " + std::to_string(n) + ", descent at " + std::to_string(descent));
    }
}

int main() {
  testShapes<int32_t>("i32");
  testShapes<int64_t>("i64");
  testShapes<double>("f64");
  testRuns();
  testSortedCheck<int32_t>("i32");
  testSortedCheck<int64_t>("i64");
  testSortedCheck<double>("f64");
  puts("ok");
}
