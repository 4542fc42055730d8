// The quality that joins and partitions need of a hash function: distribution over
// buckets, low bits and high bits alike, avalanche, few collisions among neighbours.
#include "testing.h"

#include <bit>
#include <cmath>
#include <functional>

#include "../hash.cu"

// Inputs as keys of tables are: counting, strided, multiples of powers of two, random.
template <class Key>
Key input(int kind, uint64_t i) {
  switch (kind) {
    case 0: return Key(i);
    case 1: return Key(i * 1000);
    case 2: return Key(i) << (sizeof(Key) * 4);
    default: return Key(i * i * 2654435761u + i);
  }
}

// chiSquare compares the counts of equally likely buckets with their mean: the result
// is about normal, with mean 0 and deviation 1, for a random function.
double chiSquare(const std::vector<uint32_t>& counts, double n) {
  double mean = n / counts.size(), sum = 0;
  for (uint32_t c : counts) sum += (c - mean) * (c - mean) / mean;
  double freedom = counts.size() - 1;
  return (sum - freedom) / std::sqrt(2 * freedom);
}

template <class Key>
double worstDistribution(const std::function<Key(Key)>& hash, int kind) {
  constexpr int kBits = 8, kKeys = 1 << 16;
  double worst = 0;
  for (unsigned shift = 0; shift + kBits <= sizeof(Key) * 8; shift += kBits) {
    std::vector<uint32_t> counts(1 << kBits);
    for (uint64_t i = 0; i < kKeys; i++) counts[(hash(input<Key>(kind, i)) >> shift) & ((1 << kBits) - 1)]++;
    worst = std::max(worst, chiSquare(counts, kKeys));
  }
  return worst;
}

// worstAvalanche flips each input bit of many keys; each output bit should flip half the
// time. Returns the largest distance from one half.
template <class Key>
double worstAvalanche(const std::function<Key(Key)>& hash) {
  constexpr unsigned kBits = sizeof(Key) * 8, kKeys = 4096;
  double worst = 0;
  for (unsigned in = 0; in < kBits; in++) {
    std::vector<unsigned> flips(kBits);
    std::mt19937_64 random(in);
    for (unsigned i = 0; i < kKeys; i++) {
      Key key = Key(random());
      Key changed = hash(key) ^ hash(key ^ (Key(1) << in));
      for (unsigned out = 0; out < kBits; out++) flips[out] += unsigned(changed >> out & 1);
    }
    for (unsigned f : flips) worst = std::max(worst, std::fabs(double(f) / kKeys - 0.5));
  }
  return worst;
}

// A random function passes these bounds but for one run in many thousands: six
// deviations of the statistics above (the distribution's lower end is open: counting
// keys may spread better than chance).
constexpr double kMostChi = 6, kMostBias = 6 * 0.5 / 64;

template <class Key>
void testQuality(const std::string& name, const std::function<Key(Key)>& hash) {
  for (int kind = 0; kind < 4; kind++) {
    double chi = worstDistribution(hash, kind);
    if (chi > kMostChi) die(name + ": distribution of inputs " + std::to_string(kind) + ": " + std::to_string(chi));
  }
  double bias = worstAvalanche(hash);
  if (bias > kMostBias) die(name + ": avalanche bias " + std::to_string(bias));
}

// The harness must reject what is known to be bad, or it proves nothing.
void testHarness() {
  std::function<uint32_t(uint32_t)> xorFold = [](uint32_t x) { return x ^ std::rotl(x, 16); };
  std::function<uint32_t(uint32_t)> multiply = [](uint32_t x) { return x * 2654435761u; };
  if (worstAvalanche(xorFold) <= kMostBias) die("the harness accepts a XOR fold's avalanche");
  if (worstDistribution(multiply, 2) <= kMostChi) die("the harness accepts a product's low bits");
}

template <class Key>
void testColumn(const std::string& suffix) {
  auto keys = keysOf<Key>(Shape::kRandom, 1000, 5);
  std::vector<Key> want;
  for (Key k : keys) want.push_back(gsql::hashKey(k));
  Array<Key> in(keys), out(keys.size());
  run("gsql_hash_keys_" + suffix, 2, 256, 0, in.get(), out.get(), int64_t(keys.size()));
  expectEqual(out.host(), want, "hash column " + suffix);
}

int main() {
  // The published test value of SplitMix64's first output for the seed 0.
  if (gsql::hash64(0x9e3779b97f4a7c15u) != 0xe220a8397b1dcdafu) die("hash64 is not SplitMix64's finaliser");
  std::mt19937_64 random(9);
  for (int i = 0; i < 100000; i++) {
    uint64_t x = random();
    if (gsql::unhash32(gsql::hash32(uint32_t(x))) != uint32_t(x) || gsql::unhash64(gsql::hash64(x)) != x) die("the inverse is none");
  }
  testHarness();
  testQuality<uint32_t>("hash32", [](uint32_t x) { return gsql::hash32(x); });
  testQuality<uint64_t>("hash64", [](uint64_t x) { return gsql::hash64(x); });
  testColumn<uint32_t>("b4");
  testColumn<uint64_t>("b8");
  puts("ok");
}
