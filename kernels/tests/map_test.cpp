// Gather, scatter and sorted search against loops.
#include "testing.h"

#include <algorithm>
#include <numeric>

#include "../gather.cu"
#include "../merge_path.cu"

template <class T, class Row>
void testMap(const std::string& suffix, int64_t n) {
  std::mt19937_64 random(n);
  std::vector<T> in(n);
  for (auto& v : in) v = T(random());
  std::vector<Row> map(n);
  std::iota(map.begin(), map.end(), Row(0));
  std::shuffle(map.begin(), map.end(), random);
  for (int64_t i = 0; i < n; i += 7) map[i] = -1;
  std::vector<T> gathered(n), scattered(n, T(9));
  for (int64_t i = 0; i < n; i++) {
    gathered[i] = map[i] < 0 ? T(0) : in[map[i]];
    if (map[i] >= 0) scattered[map[i]] = in[i];
  }
  Array<T> input(in), out(n), target(std::vector<T>(n, T(9)));
  Array<Row> rows(map);
  run("gsql_gather_rows_" + suffix, 3, 256, 0, input.get(), rows.get(), out.get(), n);
  expectEqual(out.host(), gathered, "gather " + suffix);
  run("gsql_scatter_rows_" + suffix, 3, 256, 0, input.get(), rows.get(), target.get(), n);
  expectEqual(target.host(), scattered, "scatter " + suffix);
}

template <class T>
void testSearch(const std::string& suffix, Shape shapeA, Shape shapeB, int64_t na, int64_t nb) {
  auto a = keysOf<T>(shapeA, na, 1), b = keysOf<T>(shapeB, nb, 2);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Array<T> as(a), bs(b);
  for (bool ties : {false, true}) {
    std::vector<int64_t> want(nb);
    for (int64_t j = 0; j < nb; j++)
      want[j] = (ties ? std::upper_bound(a.begin(), a.end(), b[j]) : std::lower_bound(a.begin(), a.end(), b[j])) - a.begin();
    Array<int64_t> places(nb);
    run("gsql_merge_search_" + suffix, ceilDiv(na + nb, 2048), 256, 0, as.get(), na, bs.get(), nb, places.get(), int(ties));
    expectEqual(places.host(), want, "sorted search " + suffix);
  }
}

int main() {
  for (int64_t n : sizesAround(256, 3 * 256 * 4)) {
    testMap<uint8_t, int32_t>("b1i32", n);
    testMap<uint32_t, int32_t>("b4i32", n);
    testMap<uint64_t, int32_t>("b8i32", n);
    testMap<uint8_t, int64_t>("b1i64", n);
    testMap<uint32_t, int64_t>("b4i64", n);
    testMap<uint64_t, int64_t>("b8i64", n);
  }
  for (Shape a : kShapes)
    for (Shape b : kShapes)
      for (auto [na, nb] : std::vector<std::pair<int64_t, int64_t>>{{0, 5}, {1, 1}, {2047, 1}, {2049, 2047}, {300, 5000}, {5000, 300}}) {
        testSearch<int32_t>("i32", a, b, na, nb);
        testSearch<int64_t>("i64", a, b, na, nb);
        testSearch<double>("f64", a, b, na, nb);
      }
  puts("ok");
}
