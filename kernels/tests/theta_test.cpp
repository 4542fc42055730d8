// Theta counts and weighted sums against two loops.
#include "testing.h"

#include "../theta_count.cu"
#include "../weighted.cu"

template <class T>
bool matches(const std::string& op, T low, T high, T other) {
  if (op == "lt") return low < other;
  if (op == "le") return low <= other;
  if (op == "gt") return low > other;
  if (op == "ge") return low >= other;
  if (op == "eq") return low == other;
  if (op == "ne") return low != other;
  return low <= other && other <= high;
}

template <class T>
void testCount(const std::string& op, const std::string& suffix, const std::vector<T>& owner, const std::vector<T>& other,
               int64_t otherPerBlock) {
  int64_t nOwner = owner.size(), nOther = other.size();
  std::vector<T> high(owner.rbegin(), owner.rend());
  std::vector<uint64_t> want(nOwner);
  for (int64_t i = 0; i < nOwner; i++)
    for (T o : other) want[i] += matches(op, owner[i], high[i], o);
  Array<T> a(owner), h(high), b(other);
  Zeros<> counts(nOwner);
  int64_t tiles = ceilDiv(nOwner, 2048);
  run("gsql_theta_count_" + op + "_" + suffix, tiles * std::max<int64_t>(1, ceilDiv(nOther, otherPerBlock)), 256, 0,
      a.get(), h.get(), nOwner, b.get(), nOther, tiles, otherPerBlock, counts.get());
  expectEqual(counts.host(), want, op + " " + suffix);
}

template <class T>
void testType(const std::string& suffix) {
  for (auto op : {"lt", "le", "gt", "ge", "eq", "ne", "covers"}) {
    for (Shape shape : kShapes) testCount(op, suffix, keysOf<T>(shape, 300, 1), keysOf<T>(shape, 203, 2), 64);
    testCount(op, suffix, keysOf<T>(Shape::kFew, 2049, 1), keysOf<T>(Shape::kFew, 2051, 2), 4096);
    testCount(op, suffix, keysOf<T>(Shape::kFew, 1, 1), keysOf<T>(Shape::kFew, 1, 2), 4);
    testCount(op, suffix, keysOf<T>(Shape::kFew, 1, 1), std::vector<T>{}, 4);
  }
}

void testNarrow() {
  // The widest keys that the narrow forms allow: distances up to 2^31 - 1.
  std::vector<int32_t> owner, other;
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; i++) {
    owner.push_back(int32_t(random() % 2147483648u) - 1000);
    other.push_back(int32_t(random() % 2147483648u) - 1000);
  }
  for (auto* keys : {&owner, &other}) {
    keys->push_back(-1000);
    keys->push_back(2147482647);
  }
  int64_t n = owner.size();
  for (std::string op : {"lt", "gt"}) {
    std::vector<uint64_t> want(n);
    for (int64_t i = 0; i < n; i++)
      for (int32_t o : other) want[i] += matches(op, owner[i], 0, o);
    Array<int32_t> a(owner), b(other);
    Zeros<> counts(n);
    run("gsql_theta_count_" + op + "_narrow", 1, 256, 0, a.get(), a.get(), n, b.get(), n, 1, 2048, counts.get());
    expectEqual(counts.host(), want, op + " narrow");
  }
}

template <class T>
void testWeightedInteger(const std::string& suffix, Shape shape, int64_t n) {
  auto values = keysOf<T>(shape, n, 3);
  std::vector<uint64_t> counts(n);
  std::mt19937_64 random(n);
  __int128 want = 0;
  for (int64_t i = 0; i < n; i++) {
    counts[i] = random() % (uint64_t(1) << 40);
    want += __int128(values[i]) * counts[i];
  }
  int64_t blocks = 3;
  Array<T> v(values);
  Array<uint64_t> c(counts), parts(2 * blocks);
  run("gsql_weighted_sum_" + suffix, blocks, 256, 0, v.get(), c.get(), n, parts.get());
  auto halves = parts.host();
  __int128 got = 0;
  for (int64_t b = 0; b < blocks; b++) got += (__int128(int64_t(halves[2 * b + 1])) << 64) + halves[2 * b];
  if (got != want) die("weighted sum " + suffix);
}

void testWeightedDouble() {
  int64_t n = 1000;
  auto values = keysOf<double>(Shape::kSorted, n, 3);
  std::vector<uint64_t> counts(n);
  double want = 0;
  for (int64_t i = 0; i < n; i++) want += values[i] * (counts[i] = i % 7);
  Array<double> v(values), parts(3);
  Array<uint64_t> c(counts);
  run("gsql_weighted_sum_f64", 3, 256, 0, v.get(), c.get(), n, parts.get());
  auto got = parts.host();
  if (got[0] + got[1] + got[2] != want) die("weighted sum f64");
}

int main() {
  testType<int32_t>("i32");
  testType<int64_t>("i64");
  testType<double>("f64");
  testNarrow();
  for (Shape shape : kShapes)
    for (int64_t n : {1, 255, 256, 257, 5000}) {
      testWeightedInteger<int32_t>("i32", shape, n);
      testWeightedInteger<int64_t>("i64", shape, n);
    }
  testWeightedDouble();
  puts("ok");
}
