// Theta words, counts and pairs against two loops.
#include "testing.h"

#include "../theta_count.cu"
#include "../theta_values.cu"
#include "../theta_words.cu"
#include "../theta_write.cu"

#include <algorithm>
#include <array>

const char* const kOps[] = {"=", "<>", "<", "<=", ">", ">="};

template <class T>
bool holds(int op, T a, T b) {
  switch (op) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
  }
}

// orderedOf is the place of a value in the order of 64-bit integers.
template <class T>
int64_t orderedOf(T v) {
  if constexpr (std::is_integral_v<T>) return v;
  if (v == 0) return 0;
  int64_t bits;
  memcpy(&bits, &v, 8);
  return bits < 0 ? -1 - (bits & INT64_MAX) : bits;
}

// Prepared is a conjunction as the loop takes it.
template <class Word>
struct Prepared {
  int columns;
  int64_t nOwner, nOther;
  Array<Word> lows, highs, others;
  Array<uint8_t> keepOwner, keepOther;
  Prepared(int columns, int64_t nOwner, int64_t nOther)
      : columns(columns), nOwner(nOwner), nOther(nOther), lows(columns * nOwner), highs(columns * nOwner), others(columns * nOther),
        keepOwner(nOwner), keepOther(nOther) {
    lows.fill(0);
    highs.fill(0xFF);
    keepOwner.fill(1);
    keepOther.fill(1);
  }
  template <class T>
  void column(const std::string& suffix, int c, const Array<T>& other, const uint8_t* valid, int64_t base, int64_t top, bool reversed) {
    if (nOther > 0) run("gsql_theta_words_" + suffix, 2, 256, 0, other.get(), valid, nOther, base, top, reversed, others.get() + c * nOther, keepOther.get());
  }
  template <class T>
  void owner(const std::string& suffix, int c, int op, const Array<T>& values, const uint8_t* valid, int64_t base, int64_t top, bool reversed) {
    run("gsql_theta_intervals_" + suffix, 2, 256, 0, values.get(), valid, nOwner, op, base, top, reversed, lows.get() + c * nOwner,
        highs.get() + c * nOwner, keepOwner.get());
  }
  std::vector<uint64_t> count(const std::string& form, int64_t otherPerBlock) {
    Zeros<> counts(nOwner);
    int64_t tiles = ceilDiv(nOwner, sizeof(Word) == 8 ? 1024 : 2048);
    run("gsql_theta_count_" + form, tiles * std::max<int64_t>(1, ceilDiv(nOther, otherPerBlock)), 256, 0, lows.get(), highs.get(),
        keepOwner.get(), nOwner, nOwner, others.get(), nOther, nOther, tiles, otherPerBlock, counts.get());
    return counts.host();
  }
};

template <class Word>
std::string formOf(const std::string& name) { return name + (sizeof(Word) == 8 ? "_u64" : "_u32"); }

// testOp counts the matches of one condition in every form that may serve it.
template <class T, class Word>
void testOp(const std::string& suffix, int op, const std::vector<T>& owner, const std::vector<T>& other, int64_t otherPerBlock) {
  std::vector<uint64_t> want(owner.size());
  for (size_t i = 0; i < owner.size(); i++)
    for (T o : other) want[i] += holds(op, owner[i], o);
  int64_t base = INT64_MAX, top = INT64_MIN;
  for (T o : other) base = std::min(base, orderedOf(o)), top = std::max(top, orderedOf(o));
  if (other.empty()) base = top = 0;
  uint64_t range = uint64_t(top) - uint64_t(base);
  if (sizeof(Word) == 4 && range >> 32 != 0) return;
  Array<T> a(owner), b(other);
  bool bound = op == 2 || op == 3 || op == 4 || op == 5, reversed = op == 4 || op == 5;
  Prepared<Word> p(1, owner.size(), other.size());
  p.column(suffix, 0, b, nullptr, base, top, reversed);
  p.owner(suffix, 0, op, a, nullptr, base, top, reversed);
  const std::string what = suffix + " owner " + kOps[op] + " other, ";
  expectEqual(p.count(formOf<Word>("intervals1"), otherPerBlock), want, what + "intervals");
  if (bound) expectEqual(p.count(formOf<Word>("bounds1"), otherPerBlock), want, what + "bounds");
  if (bound && sizeof(Word) == 4 && range >> 31 == 0) expectEqual(p.count("narrow", otherPerBlock), want, what + "narrow");
}

template <class T, class Word>
void testType(const std::string& suffix) {
  for (int op = 0; op < 6; op++) {
    for (Shape shape : kShapes) {
      testOp<T, Word>(suffix, op, keysOf<T>(shape, 300, 1), keysOf<T>(shape, 203, 2), 64);
      testOp<T, Word>(suffix, op, keysOf<T>(Shape::kExtreme, 20, 1), keysOf<T>(shape, 203, 2), 64);
      testOp<T, Word>(suffix, op, keysOf<T>(shape, 300, 1), keysOf<T>(Shape::kSorted, 101, 2), 64);
    }
    testOp<T, Word>(suffix, op, keysOf<T>(Shape::kFew, 2049, 1), keysOf<T>(Shape::kFew, 2051, 2), 4096);
    testOp<T, Word>(suffix, op, keysOf<T>(Shape::kFew, 1, 1), keysOf<T>(Shape::kFew, 1, 2), 4);
    testOp<T, Word>(suffix, op, keysOf<T>(Shape::kFew, 1, 1), std::vector<T>{}, 4);
  }
}

// The words of the widest range that the narrow form allows, and one more.
void testNarrow() {
  for (int op = 2; op < 6; op++) {
    std::vector<int32_t> owner = {INT32_MIN, -1001, -1000, -999, 0, 2147482646, 2147482647, INT32_MAX}, other;
    std::mt19937_64 random(1);
    for (int i = 0; i < 300; i++) other.push_back(int32_t(random() % 2147483648u - 1000));
    other.push_back(-1000);
    other.push_back(2147482647);
    testOp<int32_t, uint32_t>("i32u32", op, owner, other, 2048);
    other.push_back(-1001);
    testOp<int32_t, uint32_t>("i32u32", op, owner, other, 2048);
  }
}

void testNegativeZero() {
  std::vector<double> zeros = {0.0, -0.0, 5e-324, -5e-324};
  for (int op = 0; op < 6; op++) testOp<double, uint64_t>("f64u64", op, zeros, {0.0, 5e-324, -5e-324}, 4);
}

// Pairs tests: a conjunction over several columns with NULLs, counted, scanned, written in windows.
struct Conjunction {
  int64_t nOwner, nOther;
  std::vector<std::vector<int32_t>> owner, other;  // a column each
  std::vector<std::vector<int>> ops;               // on each column of the other side
  std::vector<uint8_t> valid;                      // of the owner's first column
  Conjunction(int columns, int64_t nOwner, int64_t nOther, Shape shape) : nOwner(nOwner), nOther(nOther), valid(nOwner) {
    for (int c = 0; c < columns; c++) {
      owner.push_back(keysOf<int32_t>(shape, nOwner, 10 + c));
      other.push_back(keysOf<int32_t>(shape, nOther, 20 + c));
    }
    for (int64_t i = 0; i < nOwner; i++) valid[i] = i % 5 != 3;
  }
  bool matches(int64_t i, int64_t j) const {
    if (!valid[i]) return false;
    for (size_t c = 0; c < owner.size(); c++)
      for (int op : ops[c])
        if (!holds(op, owner[c][i], other[c][j])) return false;
    return true;
  }
};

template <class Word>
Prepared<Word>* prepare(const Conjunction& q, const std::string& suffix, bool reversed) {
  auto* p = new Prepared<Word>(int(q.owner.size()), q.nOwner, q.nOther);
  Array<uint8_t> valid(q.valid);
  for (size_t c = 0; c < q.owner.size(); c++) {
    Array<int32_t> a(q.owner[c]), b(q.other[c]);
    p->column(suffix, int(c), b, nullptr, INT32_MIN, INT32_MAX, reversed);
    for (int op : q.ops[c]) p->owner(suffix, int(c), op, a, c == 0 ? valid.get() : nullptr, INT32_MIN, INT32_MAX, reversed);
  }
  return p;
}

// Pairs are output rows, to be compared in any order but as often as they are.
using Pairs = std::vector<std::array<uint32_t, 3>>;

void expectSame(Pairs got, Pairs want, const std::string& what) {
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  if (got != want) die(what + ": " + std::to_string(got.size()) + " pairs, want " + std::to_string(want.size()) + " or others");
}

// testPairs writes all windows of the output. Two of the other side's columns are carried
// in the form that writes values.
template <class Word>
void testPairs(const Conjunction& q, const std::string& suffix, uint64_t window, bool reversed, const std::string& form = "intervals") {
  Prepared<Word>* p = prepare<Word>(q, suffix, reversed);
  Pairs want;
  std::vector<uint64_t> wantCounts(q.nOwner), offsets(1);
  for (int64_t i = 0; i < q.nOwner; i++) {
    for (int64_t j = 0; j < q.nOther; j++)
      if (q.matches(i, j)) wantCounts[i]++, want.push_back({uint32_t(i + 7), uint32_t(1000 + 3 * j), 0});
    offsets.push_back(offsets[i] + wantCounts[i]);
  }
  std::string columns = std::to_string(q.owner.size()), where = suffix + ", " + columns + " columns";
  expectEqual(p->count(formOf<Word>(form + columns), 1024), wantCounts, "conjunction " + where);
  std::vector<uint32_t> rows(q.nOther);
  for (int64_t j = 0; j < q.nOther; j++) rows[j] = uint32_t(3 * j);
  Array<uint32_t> otherRows(rows);
  Array<uint64_t> places(offsets);
  uint64_t total = offsets.back();
  Pairs got;
  for (uint64_t from = 0; from < total; from += window) {
    uint64_t to = std::min(total, from + window);
    Array<uint32_t> left(to - from), right(to - from);
    run("gsql_theta_write_" + formOf<Word>("intervals" + columns), ceilDiv(q.nOwner, 32), 256, 0, p->lows.get(), p->highs.get(), q.nOwner,
        q.nOwner, p->others.get(), q.nOther, q.nOther, places.get(), from, to, 7, left.get(), otherRows.get(), 1000, right.get());
    auto l = left.host(), r = right.host();
    for (size_t i = 0; i < l.size(); i++) got.push_back({l[i], r[i], 0});
  }
  expectSame(got, want, where + ", windows of " + std::to_string(window));
  delete p;
}

void testConjunctions() {
  const std::vector<std::vector<int>> ops = {{3}, {1}, {2, 5}, {4}};
  for (int columns = 1; columns <= 4; columns++) {
    for (Shape shape : {Shape::kFew, Shape::kEqual, Shape::kExtreme}) {
      Conjunction q(columns, 333, 217, shape);
      q.ops.assign(ops.begin(), ops.begin() + columns);
      for (uint64_t window : {uint64_t(1) << 30, uint64_t(1000), uint64_t(997)}) {
        testPairs<uint32_t>(q, "i32u32", window, false);
        testPairs<uint64_t>(q, "i32u64", window, false);
      }
    }
  }
  // Bounds alone, upwards and downwards; two on one column; sizes past a tile.
  for (bool reversed : {false, true}) {
    int least = reversed ? 5 : 3, less = reversed ? 4 : 2;
    Conjunction q(2, 70, 5000, Shape::kRandom);
    q.ops = {{least}, {less, least}};
    testPairs<uint32_t>(q, "i32u32", 3000, reversed, "bounds");
    testPairs<uint64_t>(q, "i32u64", 1 << 20, reversed, "bounds");
  }
  // A window in the middle of one row's output.
  Conjunction q(1, 1, 3000, Shape::kEqual);
  q.ops = {{0}};
  testPairs<uint32_t>(q, "i32u32", 100, false);
}

// Offsets beyond 2^31 and 2^32: the window lies there although only few rows are real.
void testFarWindows() {
  int64_t n = 40, nOther = 100;
  for (uint64_t start : {uint64_t(0), (uint64_t(1) << 31) - 50, (uint64_t(1) << 32) - 50, uint64_t(1) << 40}) {
    Conjunction q(1, n, nOther, Shape::kEqual);
    q.valid.assign(n, 1);
    q.ops = {{0}};
    Prepared<uint32_t>* p = prepare<uint32_t>(q, "i32u32", false);
    std::vector<uint64_t> offsets;
    for (int64_t i = 0; i <= n; i++) offsets.push_back(start + i * nOther);
    Array<uint64_t> places(offsets);
    for (uint64_t skipped : {0, 1, 150, 3999}) {
      uint64_t from = start + skipped, to = std::min(start + n * nOther, from + 1234);
      Array<uint32_t> left(to - from), right(to - from);
      run("gsql_theta_write_intervals1_u32", ceilDiv(n, 32), 256, 0, p->lows.get(), p->highs.get(), n, n, p->others.get(), nOther, nOther,
          places.get(), from, to, 0, left.get(), nullptr, 0, right.get());
      auto l = left.host();
      for (uint64_t i = from; i < to; i++)
        if (l[i - from] != (i - start) / nOther) die("far window at " + std::to_string(i));
      // Each of a row's others once.
      auto r = right.host();
      std::map<uint32_t, std::vector<uint32_t>> others;
      for (uint64_t i = 0; i < l.size(); i++) others[l[i]].push_back(r[i]);
      for (auto& [row, matched] : others) {
        std::sort(matched.begin(), matched.end());
        if (std::adjacent_find(matched.begin(), matched.end()) != matched.end()) die("a pair twice");
        if (matched.back() >= nOther) die("a row that is not there");
      }
    }
    delete p;
  }
}

void testValues() {
  Conjunction q(1, 200, 300, Shape::kRandom);
  q.ops = {{4}};
  Prepared<uint32_t>* p = prepare<uint32_t>(q, "i32u32", false);
  auto payload = keysOf<uint32_t>(Shape::kRandom, 300, 5);
  std::vector<uint64_t> offsets(1);
  Pairs want, got;
  for (int64_t i = 0; i < q.nOwner; i++) {
    uint64_t count = 0;
    for (int64_t j = 0; j < q.nOther; j++)
      if (q.matches(i, j)) count++, want.push_back({uint32_t(q.owner[0][i]), uint32_t(q.other[0][j]), payload[j]});
    offsets.push_back(offsets.back() + count);
  }
  std::vector<uint32_t> keys(q.other[0].begin(), q.other[0].end()), mine(q.owner[0].begin(), q.owner[0].end());
  Array<uint32_t> a(mine), b(keys), x(payload), outA(offsets.back()), outB(offsets.back()), outX(offsets.back());
  Array<uint64_t> places(offsets);
  run("gsql_theta_values_intervals1_u32", ceilDiv(q.nOwner, 32), 256, 0, p->lows.get(), p->highs.get(), q.nOwner, q.nOwner, p->others.get(),
      q.nOther, q.nOther, places.get(), 0, offsets.back(), a.get(), outA.get(), b.get(), outB.get(), x.get(), outX.get());
  auto ga = outA.host(), gb = outB.host(), gx = outX.host();
  for (size_t i = 0; i < ga.size(); i++) got.push_back({ga[i], gb[i], gx[i]});
  expectSame(got, want, "values");
  delete p;
}

void testCuts() {
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i <= 1000; i++) offsets.push_back(i * i);
  Array<uint64_t> in(offsets), out(12);
  run("gsql_theta_cuts", 1, 256, 0, in.get(), 1000, 96, out.get(), 12);
  auto got = out.host();
  for (uint64_t i = 0; i < 12; i++)
    if (uint64_t at = std::min<uint64_t>(96 * i, 1000); got[i] != at * at) die("cuts");
}

int main() {
  testType<int32_t, uint32_t>("i32u32");
  testType<int32_t, uint64_t>("i32u64");
  testType<int64_t, uint32_t>("i64u32");
  testType<int64_t, uint64_t>("i64u64");
  testType<double, uint64_t>("f64u64");
  testNarrow();
  testNegativeZero();
  testConjunctions();
  testFarWindows();
  testValues();
  testCuts();
  puts("ok");
}
