// Radix histogram and sort against std::stable_sort.
#include "testing.h"

#include <algorithm>
#include <numeric>

#include "../radix_histogram.cu"
#include "../radix_pass_b4b4.cu"
#include "../radix_pass_b4b8.cu"
#include "../radix_pass_b8b4.cu"
#include "../radix_pass_b8b8.cu"

// radix runs all passes over bits [low, high) and returns keys and values in their order.
template <class Key, class Value>
std::pair<std::vector<Key>, std::vector<Value>> radix(const std::vector<Key>& keys, const std::vector<Value>& values, unsigned low, unsigned high,
                                                      uint64_t flip, bool floating) {
  int64_t n = keys.size();
  const std::string k = sizeof(Key) == 8 ? "b8" : "b4", v = sizeof(Value) == 8 ? "b8" : "b4";
  int64_t tiles = ceilDiv(n, gsql::kPassThreads * gsql::kPassItems);
  unsigned digits = (high - low + 7) / 8;
  Zeros<> counts(digits * 256);
  Array<Key> keysA(keys), keysB(n);
  Array<Value> valuesA(values), valuesB(n);
  Key *kIn = keysA.get(), *kOut = keysB.get();
  Value *vIn = valuesA.get(), *vOut = valuesB.get();
  run("gsql_radix_histogram_" + k, 2, 256, digits * 4096, kIn, n, counts.get(), low, high, flip, int(floating));
  run("gsql_radix_offsets", digits, 256, 0, counts.get());
  for (unsigned d = 0; d < digits; d++) {
    Zeros<> scratch(1 + tiles * 128);
    unsigned shift = low + 8 * d, bits = std::min(8u, high - shift);
    run("gsql_radix_pass_" + k + v, tiles, gsql::kPassThreads, gsql::kPassBytes<Key, Value>, kIn, vIn, kOut, vOut, n, counts.get() + d * 256, scratch.get(), shift,
        (1u << bits) - 1, flip, int(floating));
    std::swap(kIn, kOut);
    std::swap(vIn, vOut);
  }
  return digits % 2 == 0 ? std::pair(keysA.host(), valuesA.host()) : std::pair(keysB.host(), valuesB.host());
}

// testSort sorts keys of the SQL type T, carried as the unsigned Key, with row numbers.
template <class T, class Key, class Value>
void testSort(const std::vector<T>& keys, bool descending, const std::string& what) {
  static_assert(sizeof(T) == sizeof(Key));
  int64_t n = keys.size();
  std::vector<Key> bits(n);
  memcpy(bits.data(), keys.data(), n * sizeof(T));
  std::vector<Value> rows(n);
  std::iota(rows.begin(), rows.end(), Value(0));
  uint64_t flip = std::is_signed_v<T> ? uint64_t(1) << (sizeof(T) * 8 - 1) : 0;
  if (descending) flip = ~flip;
  auto [gotKeys, gotRows] = radix(bits, rows, 0, sizeof(Key) * 8, flip, std::is_floating_point_v<T>);
  std::vector<Value> want = rows;
  std::stable_sort(want.begin(), want.end(), [&](Value a, Value b) {
    return descending ? keys[b] < keys[a] : keys[a] < keys[b];
  });
  expectEqual(gotRows, want, what + " rows");
  for (int64_t i = 0; i < n; i++)
    if (gotKeys[i] != bits[want[i]]) die(what + " keys at " + std::to_string(i));
}

template <class T, class Key, class Value>
void testSorts(const std::string& what) {
  int64_t tile = 384 * (sizeof(Key) == 8 || sizeof(Value) == 8 ? 12 : 22);
  for (int64_t n : {int64_t(1), int64_t(33), int64_t(385), tile, tile + 1})
    testSort<T, Key, Value>(keysOf<T>(Shape::kRandom, n, n), n % 2 == 0, what);
  for (Shape shape : kShapes)
    for (bool descending : {false, true})
      testSort<T, Key, Value>(keysOf<T>(shape, tile + tile / 2, 7), descending, what);
}

int main() {
  testSorts<uint32_t, uint32_t, uint32_t>("u32/32");
  testSorts<int32_t, uint32_t, uint32_t>("i32/32");
  testSorts<float, uint32_t, uint32_t>("f32/32");
  testSorts<int32_t, uint32_t, uint64_t>("i32/64");
  testSorts<int64_t, uint64_t, uint32_t>("i64/32");
  testSorts<int64_t, uint64_t, uint64_t>("i64/64");
  testSorts<double, uint64_t, uint32_t>("f64/32");
  testSort<int32_t, uint32_t, uint32_t>(keysOf<int32_t>(Shape::kRandom, 5 * 384 * 22 + 100, 3), false, "several tiles");
  puts("ok");
}
