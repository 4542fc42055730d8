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

// Items a thread, by the larger of key and value: chosen by bench/gpu.
template <class Key, class Value>
struct PassItems {
  static constexpr int kValue = sizeof(Key) == 8 || sizeof(Value) == 8 ? 12 : 22;
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
template <class Key, class Value, int kThreads, int kItems>
struct PassShared {
  i64 destination[kBins];  // where a bin's first row goes, less its place in the tile
  union {
    u32 counts[kThreads / int(kWarp)][kBins];
    Key keys[kThreads * kItems];
    Value values[kThreads * kItems];
  };
};

// loadTile reads a thread's items of the tile, warp by warp in order. What lies past the
// end is left alone.
template <bool kWhole, int kItems, class T>
__device__ __forceinline__ void loadTile(T (&items)[kItems], const T* in, int first, int valid) {
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = first + k * int(kWarp);
    if (kWhole || at < valid) items[k] = __ldcs(&in[at]);
  }
}

// passTile moves one tile; kWhole: none of it lies past the end of the input.
template <bool kWhole, int kThreads, int kItems, class Key, class Value>
__device__ __forceinline__ void passTile(PassShared<Key, Value, kThreads, kItems>& s, const Key* keysIn, const Value* valuesIn,
                                         Key* keysOut, Value* valuesOut, i64 tile, int valid, const u64* firsts,
                                         u64* states, u32 shift, u32 mask, ByOrder<Key> order) {
  auto digitOf = [&](Key key) { return u32(order(key) >> shift) & mask; };
  int first = int(warpId()) * kItems * int(kWarp) + int(laneId());
  u32* warpCounts = s.counts[warpId()];

  Key keys[kItems];
  loadTile<kWhole>(keys, keysIn, first, valid);
  // What lies past the end comes last: the highest digit, later than any row.
  auto digitAt = [&](int k) { return kWhole || first + k * int(kWarp) < valid ? digitOf(keys[k]) : u32(kBins - 1); };
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    atomicAdd(&warpCounts[digitAt(k)], 1u);
  }
  __syncthreads();

  // Thread b < 256 owns bin b: warps' counts become starts, the sum is published early.
  u32 bin = threadIdx.x, binCount = 0;
  if (bin < kBins) {
#pragma unroll
    for (int w = 0; w < kThreads / int(kWarp); w++) {
      u32 c = s.counts[w][bin];
      s.counts[w][bin] = binCount;
      binCount += c;
    }
    storeVolatile(&states[tile * kBins + bin], (tile == 0 ? kPrefixSum : kTileSum) | binCount);
  }
  u32 total;
  u32 binStart = blockExclusive<u32, kThreads>(binCount, total);
  if (bin < kBins) {
#pragma unroll
    for (int w = 0; w < kThreads / int(kWarp); w++) s.counts[w][bin] += binStart;
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
  loadTile<kWhole>(values, valuesIn, first, valid);
  if (bin < kBins) {
    u64 before = tile == 0 ? 0 : binPrefix(states, tile, bin, binCount);
    s.destination[bin] = i64(firsts[bin] + before) - i64(binStart);
  }
  __syncthreads();

  Packed<kItems, 8> digits;
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = int(threadIdx.x) + k * kThreads;
    Key key = s.keys[at];
    u32 digit = digitOf(key);
    digits.set(k, digit);
    if (kWhole || at < valid) keysOut[s.destination[digit] + at] = key;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) s.values[ranks.get(k)] = values[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; k++) {
    int at = int(threadIdx.x) + k * kThreads;
    if (kWhole || at < valid) valuesOut[s.destination[digits.get(k)] + at] = s.values[at];
  }
}

// radixPass moves pairs so that those of a lower digit come first and equal ones keep
// their order. The digit is (order(key) >> shift) & mask, mask at most 255. firsts has
// the digit values' first positions; scratch is 1 + tiles*256 words of zeros.
template <int kThreads, int kItems, class Key, class Value>
__device__ void radixPass(const Key* keysIn, const Value* valuesIn, Key* keysOut, Value* valuesOut, i64 n,
                          const u64* firsts, u64* scratch, u32 shift, u32 mask, ByOrder<Key> order) {
  constexpr int kTile = kThreads * kItems;
  using Shared = PassShared<Key, Value, kThreads, kItems>;
  SHARED(Shared, s);
  u32* warpCounts = s.counts[warpId()];
  for (u32 b = laneId(); b < kBins; b += kWarp) warpCounts[b] = 0;
  i64 tile = takeTicket(scratch);
  i64 start = tile * kTile;
  if (start + kTile <= n) {
    passTile<true, kThreads, kItems>(s, keysIn + start, valuesIn + start, keysOut, valuesOut, tile, kTile, firsts, scratch + 1,
                          shift, mask, order);
  } else {
    passTile<false, kThreads, kItems>(s, keysIn + start, valuesIn + start, keysOut, valuesOut, tile, int(n - start), firsts,
                           scratch + 1, shift, mask, order);
  }
}

}  // namespace gsql

#define RADIX_PASS(key, value, suffix)                                                                          \
  KERNEL((384, 2), gsql_radix_pass_##suffix, const key* keysIn, const value* valuesIn, key* keysOut,            \
         value* valuesOut, int64_t n, const uint64_t* firsts, uint64_t* scratch, uint64_t shift, uint64_t mask, \
         uint64_t flip, uint64_t floating) {                                                                    \
    gsql::radixPass<gsql::kPassThreads, gsql::PassItems<key, value>::kValue>(                                  \
        keysIn, valuesIn, keysOut, valuesOut, n, firsts, scratch, uint32_t(shift), uint32_t(mask),              \
        gsql::ByOrder<key>(flip, floating));                                                                    \
  }
RADIX_PASS(uint32_t, uint32_t, b4b4)
RADIX_PASS(uint32_t, uint64_t, b4b8)
RADIX_PASS(uint64_t, uint32_t, b8b4)
RADIX_PASS(uint64_t, uint64_t, b8b8)
#undef RADIX_PASS
