// Gather and scatter against loops.
#include "testing.h"

#include <algorithm>
#include <numeric>

#include "../gather.cu"

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

int main() {
  for (int64_t n : sizesAround(256, 3 * 256 * 4)) {
    testMap<uint8_t, int32_t>("b1i32", n);
    testMap<uint32_t, int32_t>("b4i32", n);
    testMap<uint64_t, int32_t>("b8i32", n);
    testMap<uint8_t, int64_t>("b1i64", n);
    testMap<uint32_t, int64_t>("b4i64", n);
    testMap<uint64_t, int64_t>("b8i64", n);
  }
  puts("ok");
}
