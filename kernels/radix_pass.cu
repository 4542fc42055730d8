// One pass of a radix sort or partition: a stable scatter of pairs by one digit.
//
// Adinets, Merrill: Onesweep (arXiv:2206.01784). Keys are ranked within a tile by warp
// matches, tiles learn their places by decoupled look-back for each digit value, and rows
// leave through shared memory in digit order, so that writes coalesce.
//
// Bytes: every key and value read once and written once.
#include "block.cuh"
#include "lookback.cuh"
#include "radix.cuh"

namespace gsql {

constexpr int kPassThreads = 384;
constexpr int kPassWarps = kPassThreads / int(kWarp);

// Items a thread, by the larger of key and value: what 40 KiB of shared memory stage.
template <class Key, class Value>
struct PassItems {
  static constexpr int kValue = sizeof(Key) == 8 || sizeof(Value) == 8 ? 12 : 22;
};

// Packed is kItems small numbers, several to a register.
template <int kItems, int kBits>
struct Packed {
  static constexpr int kPerWord = 32 / kBits;
  u32 words[(kItems + kPerWord - 1) / kPerWord];
  __device__ __forceinline__ void set(int i, u32 v) {
    u32& word = words[i / kPerWord];
    word = i % kPerWord == 0 ? v : word | v << (i % kPerWord * kBits);
  }
  __device__ __forceinline__ u32 get(int i) const {
    return words[i / kPerWord] >> (i % kPerWord * kBits) & ((1u << kBits) - 1);
  }
};

// matchDigit is the lanes whose digit equals this lane's, by one ballot a bit.
__device__ __forceinline__ u32 matchDigit(u32 digit) {
  u32 same = kAllLanes;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    u32 set = __ballot_sync(kAllLanes, int(digit >> bit & 1));
    same &= digit >> bit & 1 ? set : ~set;
  }
  return same;
}

// PassShared is a tile's workspace: counts until all rows are ranked, then the rows.
template <class Key, class Value, int kItems>
struct PassShared {
  i64 destination[kBins];  // where a bin's first row goes, less its place in the tile
  union {
    u32 counts[kPassWarps][kBins];
    Key keys[kPassThreads * kItems];
    Value values[kPassThreads * kItems];
  };
};

// radixPass moves pairs so that those of a lower digit come first and equal ones keep
// their order. The digit is (transform(key) >> shift) & mask, mask at most 255. firsts has
// the digit values' first positions; scratch is 1 + tiles*256 words of zeros.
template <class Key, class Value, class Transform, int kItems>
__device__ void radixPass(const Key* keysIn, const Value* valuesIn, Key* keysOut, Value* valuesOut, i64 n,
                          const u64* firsts, u64* scratch, u32 shift, u32 mask, Transform transform) {
  constexpr int kTile = kPassThreads * kItems;
  using Shared = PassShared<Key, Value, kItems>;
  SHARED(Shared, s);
  u64* states = scratch + 1;
  auto digitOf = [&](Key key) { return u32(transform(key) >> shift) & mask; };

  u32* warpCounts = s.counts[warpId()];
  for (u32 b = laneId(); b < kBins; b += kWarp) warpCounts[b] = 0;
  i64 tile = takeTicket(scratch);
  i64 tileStart = tile * kTile;
  int valid = int(min(i64(kTile), n - tileStart));
  int first = int(warpId()) * kItems * int(kWarp) + int(laneId());

  Key keys[kItems];
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = first + k * int(kWarp);
    if (at < valid) keys[k] = __ldcs(&keysIn[tileStart + at]);
  }
  // What lies past the end comes last: the highest digit, later than any row.
  auto digitAt = [&](int k) { return first + k * int(kWarp) < valid ? digitOf(keys[k]) : u32(kBins - 1); };
#pragma unroll
  for (int k = 0; k < kItems; k++) atomicAdd(&warpCounts[digitAt(k)], 1u);
  __syncthreads();

  // Thread b < 256 owns bin b: warps' counts become starts, the sum is published early.
  u32 bin = threadIdx.x, binCount = 0;
  if (bin < kBins) {
#pragma unroll
    for (int w = 0; w < kPassWarps; w++) {
      u32 c = s.counts[w][bin];
      s.counts[w][bin] = binCount;
      binCount += c;
    }
    storeVolatile(&states[tile * kBins + bin], (tile == 0 ? kPrefixSum : kTileSum) | binCount);
  }
  u32 total;
  u32 binStart = blockExclusive<u32, kPassThreads>(binCount, total);
  if (bin < kBins) {
#pragma unroll
    for (int w = 0; w < kPassWarps; w++) s.counts[w][bin] += binStart;
  }
  __syncthreads();

  // Rank: a lane's place among the tile's rows in digit order.
  Packed<kItems, 16> ranks;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    u32 digit = digitAt(k);
    u32 same = matchDigit(digit);
    u32 leader = kWarp - 1 - u32(__clz(int(same)));
    u32 start = 0;
    if (laneId() == leader) start = atomicAdd(&warpCounts[digit], u32(__popc(same)));
    ranks.set(k, __shfl_sync(kAllLanes, start, int(leader)) + u32(__popc(same & lanesBelow())));
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) s.keys[ranks.get(k)] = keys[k];

  Value values[kItems];
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = first + k * int(kWarp);
    if (at < valid) values[k] = __ldcs(&valuesIn[tileStart + at]);
  }
  if (bin < kBins) {
    u64 before = tile == 0 ? 0 : binPrefix(states, tile, bin, binCount);
    s.destination[bin] = i64(firsts[bin] + before) - i64(binStart);
  }
  __syncthreads();

  Packed<kItems, 8> digits;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = int(threadIdx.x) + k * kPassThreads;
    Key key = s.keys[at];
    u32 digit = digitOf(key);
    digits.set(k, digit);
    if (at < valid) keysOut[s.destination[digit] + at] = key;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) s.values[ranks.get(k)] = values[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = int(threadIdx.x) + k * kPassThreads;
    if (at < valid) valuesOut[s.destination[digits.get(k)] + at] = s.values[at];
  }
}

}  // namespace gsql

#define PASS(key, value, transform, name)                                                                     \
  KERNEL((384, 2), name, const key* keysIn, const value* valuesIn, key* keysOut, value* valuesOut, int64_t n,      \
         const uint64_t* firsts, uint64_t* scratch, uint64_t shift, uint64_t mask, uint64_t flip,             \
         uint64_t floating) {                                                                                 \
    gsql::radixPass<key, value, gsql::transform<key>, gsql::PassItems<key, value>::kValue>(                   \
        keysIn, valuesIn, keysOut, valuesOut, n, firsts, scratch, uint32_t(shift), uint32_t(mask),            \
        gsql::transform<key>(flip, floating));                                                                \
  }

PASS(uint32_t, uint32_t, ByOrder, gsql_radix_pass_b4b4)
PASS(uint32_t, uint64_t, ByOrder, gsql_radix_pass_b4b8)
PASS(uint64_t, uint32_t, ByOrder, gsql_radix_pass_b8b4)
PASS(uint64_t, uint64_t, ByOrder, gsql_radix_pass_b8b8)
PASS(uint32_t, uint32_t, ByHash, gsql_partition_pass_b4b4)
PASS(uint32_t, uint64_t, ByHash, gsql_partition_pass_b4b8)
PASS(uint64_t, uint32_t, ByHash, gsql_partition_pass_b8b4)
PASS(uint64_t, uint64_t, ByHash, gsql_partition_pass_b8b8)
#undef PASS
