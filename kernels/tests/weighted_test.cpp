// Aggregates from counts against plain loops.
#include "testing.h"

#include "../weighted.cu"

struct Want {
  __int128 sum = 0;
  double sumF = 0;
  uint64_t count = 0;
};

template <class T>
void test(const std::string& suffix, Shape shape, int64_t n, int validPercent, uint64_t maxCount) {
  constexpr bool kFloating = std::is_floating_point_v<T>;
  auto values = keysOf<T>(shape, n, 3);
  std::vector<uint64_t> counts(n);
  std::vector<uint8_t> valid(n);
  std::mt19937_64 random(n);
  Want want;
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
  for (int64_t i = 0; i < n; i++) {
    counts[i] = random() % 3 == 0 ? 0 : random() % maxCount;
    valid[i] = int(random() % 100) < validPercent;
    if (!valid[i] || counts[i] == 0) continue;
    if constexpr (kFloating) want.sumF += values[i] * counts[i];
    else want.sum += __int128(values[i]) * counts[i];
    want.count += counts[i];
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  int64_t blocks = 3;
  Array<T> v(values);
  Array<uint8_t> f(valid);
  Array<uint64_t> c(counts), parts(5 * blocks), result(5);
  run("gsql_weighted_parts_" + suffix, blocks, 256, 0, v.get(), validPercent == 100 ? nullptr : f.get(), c.get(), n, parts.get());
  run(std::string("gsql_weighted_fold_") + (kFloating ? "f64" : "i64"), 1, 256, 0, parts.get(), blocks, result.get());
  auto got = result.host();
  const std::string what = "aggregates from counts " + suffix;
  if (got[2] != want.count) die(what + ": count");
  if constexpr (kFloating) {
    double sum, gotLow, gotHigh;
    memcpy(&sum, &got[0], 8);
    memcpy(&gotLow, &got[3], 8);
    memcpy(&gotHigh, &got[4], 8);
    if (std::abs(sum - want.sumF) > 1e-9 * std::abs(want.sumF)) die(what + ": sum");
    if (want.count > 0 && (gotLow != low || gotHigh != high)) die(what + ": bounds");
  } else {
    if ((__int128(int64_t(got[1])) << 64) + got[0] != want.sum) die(what + ": sum");
    if (want.count > 0 && (int64_t(got[3]) != low || int64_t(got[4]) != high)) die(what + ": bounds");
  }
}

int main() {
  for (int64_t n : {1, 255, 256, 257, 5000})
    for (int percent : {0, 60, 100}) {
      for (Shape shape : kShapes) {
        test<int32_t>("i32", shape, n, percent, uint64_t(1) << 40);
        test<int64_t>("i64", shape, n, percent, uint64_t(1) << 40);
      }
      test<double>("f64", Shape::kSorted, n, percent, 7);
      test<double>("f64", Shape::kRandom, n, percent, 1000);
    }
  puts("ok");
}
