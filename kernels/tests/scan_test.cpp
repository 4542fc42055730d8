// Scan, reduce and select against loops.
#include "testing.h"

#include "../reduce.cu"
#include "../scan.cu"
#include "../select.cu"

template <class In, class Out>
void testScan(const std::string& suffix, int64_t n) {
  std::mt19937_64 random(n);
  std::vector<In> in(n);
  for (auto& v : in) v = In(random() % 1000);
  std::vector<Out> want(n);
  uint64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    want[i] = Out(sum);
    sum += in[i];
  }
  int64_t tiles = ceilDiv(n, gsql::kScanThreads * gsql::ScanItems<In>::kValue);
  Array<In> input(in);
  Array<Out> output(n);
  Array<uint64_t> total(1);
  Zeros<> scratch(1 + tiles);
  run("gsql_scan_exclusive_" + suffix, tiles, gsql::kScanThreads, 0, input.get(), output.get(), n, total.get(), scratch.get());
  expectEqual(output.host(), want, "scan " + suffix);
  expectEqual(total.host(), {sum}, "total of scan " + suffix);
}

// Sums past 2^32 in 64 bits.
void testLargeSums() {
  int64_t n = 50000;
  std::vector<uint64_t> in(n, uint64_t(1) << 45), want(n);
  for (int64_t i = 0; i < n; i++) want[i] = uint64_t(i) << 45;
  Array<uint64_t> input(in), output(n), total(1);
  int64_t tiles = ceilDiv(n, gsql::kScanThreads * gsql::ScanItems<uint64_t>::kValue);
  Zeros<> scratch(1 + tiles);
  run("gsql_scan_exclusive_u64", tiles, gsql::kScanThreads, 0, input.get(), output.get(), n, total.get(), scratch.get());
  expectEqual(output.host(), want, "scan of large numbers");
}

template <class In, class Out>
void testReduce(const std::string& suffix, const std::vector<In>& in) {
  int64_t n = in.size();
  Out sum = 0, low = in[0], high = in[0];
  for (In v : in) {
    sum = Out(uint64_t(0)) + sum + Out(v);
    low = std::min(low, Out(v));
    high = std::max(high, Out(v));
  }
  const std::string last = std::is_same_v<Out, double> ? "f64" : "i64";
  Array<In> input(in);
  for (auto [op, want] : std::vector<std::pair<std::string, Out>>{{"sum", sum}, {"min", low}, {"max", high}}) {
    int64_t blocks = 5;
    Array<Out> parts(blocks), result(1);
    run("gsql_reduce_" + op + "_" + suffix, blocks, 256, 0, input.get(), parts.get(), n);
    run("gsql_reduce_" + op + "_" + last, 1, 256, 0, parts.get(), result.get(), blocks);
    expectEqual(result.host(), {want}, op + " " + suffix);
  }
}

template <class Row>
void testSelect(const std::string& suffix, int64_t n, unsigned keepPercent) {
  std::mt19937_64 random(n);
  std::vector<uint8_t> flags(n);
  std::vector<uint64_t> values(n), wantValues;
  std::vector<Row> wantRows;
  for (int64_t i = 0; i < n; i++) {
    values[i] = random();
    flags[i] = random() % 100 < keepPercent ? 1 + random() % 255 : 0;
    if (flags[i] == 0) continue;
    wantRows.push_back(Row(i));
    wantValues.push_back(values[i]);
  }
  int64_t tiles = ceilDiv(n, 4096);
  Array<uint8_t> f(flags);
  Array<uint64_t> v(values), kept(wantValues.size()), count(1);
  Array<Row> rows(wantRows.size());
  Zeros<> scratch(1 + tiles), scratch2(1 + tiles);
  run("gsql_select_rows_" + suffix, tiles, 256, 0, f.get(), rows.get(), n, count.get(), scratch.get());
  expectEqual(rows.host(), wantRows, "selected rows");
  expectEqual(count.host(), {uint64_t(wantRows.size())}, "count of selected rows");
  run("gsql_select_values_b8", tiles, 256, 0, v.get(), f.get(), kept.get(), n, count.get(), scratch2.get());
  expectEqual(kept.host(), wantValues, "selected values");
}

int main() {
  for (int64_t n : sizesAround(256, 4096)) {
    testScan<uint32_t, uint32_t>("u32", n);
    testScan<uint32_t, uint64_t>("u32u64", n);
    testScan<uint64_t, uint64_t>("u64", n);
    for (unsigned percent : {0, 3, 50, 100}) {
      testSelect<int32_t>("i32", n, percent);
      testSelect<int64_t>("i64", n, percent);
    }
    for (Shape shape : kShapes) {
      testReduce<int32_t, int64_t>("i32", keysOf<int32_t>(shape, n, n));
      if (shape != Shape::kExtreme) testReduce<int64_t, int64_t>("i64", keysOf<int64_t>(shape == Shape::kRandom ? Shape::kFew : shape, n, n));
      if (shape != Shape::kRandom && shape != Shape::kExtreme) testReduce<double, double>("f64", keysOf<double>(shape, n, n));
    }
  }
  for (int64_t n : {16384, 16385, 32767, 32768, 32769, 100000}) { // tiles of a scan
    testScan<uint32_t, uint32_t>("u32", n);
    testScan<uint32_t, uint64_t>("u32u64", n);
    testScan<uint64_t, uint64_t>("u64", n);
  }
  testLargeSums();
  puts("ok");
}
