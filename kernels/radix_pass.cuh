// One pass of a radix sort or partition: a stable scatter of pairs by one digit.
//
// Adinets, Merrill: Onesweep (arXiv:2206.01784). Keys are ranked within a tile by warp
// matches, tiles learn their places by decoupled look-back for each digit value, and rows
// leave through shared memory in digit order, so that writes coalesce.
//
// Bytes: every key and value read once and written once.
#pragma once
#include "block.cuh"
#include "lookback.cuh"
#include "radix.cuh"

namespace gsql {

// A tile is 8192 rows: chosen by measurement, as many as registers and shared memory have room
// for, because each costs a look back and ends a run of every bin.
constexpr int kPassThreads = 256;
constexpr int kPassItems = 32;
constexpr int kPassTile = kPassThreads * kPassItems;
static_assert(kPassThreads == kBins, "thread b owns bin b");

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
template <class Key, class Value>
struct PassShared {
  i64 destination[kBins];  // where a bin's first row goes, less its place in the tile
  union {
    u32 counts[kPassThreads / int(kWarp)][kBins];
    Key keys[kPassTile];
    Value values[kPassTile];
  };
};

// loadTile reads a thread's items of the tile, warp by warp in order. What lies past the
// end is left alone.
template <bool kWhole, class T>
__device__ __forceinline__ void loadTile(T (&items)[kPassItems], const T* in, int first, int valid) {
#pragma unroll
  for (int k = 0; k < kPassItems; k++) {
    int at = first + k * int(kWarp);
    if (kWhole || at < valid) items[k] = in[at];
  }
}

// passTile moves one tile; kWhole: none of it lies past the end of the input.
template <bool kWhole, class Key, class Value>
__device__ __forceinline__ void passTile(PassShared<Key, Value>& s, const Key* keysIn, const Value* valuesIn,
                                         Key* keysOut, Value* valuesOut, i64 tile, int valid, const u64* firsts,
                                         u32* states, u32 shift, u32 mask, ByOrder<Key> order) {
  auto digitOf = [&](Key key) { return u32(order(key) >> shift) & mask; };
  int first = int(warpId()) * kPassItems * int(kWarp) + int(laneId());
  u32* warpCounts = s.counts[warpId()];

  Key keys[kPassItems];
  loadTile<kWhole>(keys, keysIn, first, valid);
  // What lies past the end comes last: the highest digit, later than any row.
  auto digitAt = [&](int k) { return kWhole || first + k * int(kWarp) < valid ? digitOf(keys[k]) : u32(kBins - 1); };
#pragma unroll
  for (int k = 0; k < kPassItems; k++) {
    atomicAdd(&warpCounts[digitAt(k)], 1u);
  }
  __syncthreads();

  // Thread b owns bin b: warps' counts become starts, the sum is published early.
  u32 bin = threadIdx.x, binCount = 0;
#pragma unroll
  for (int w = 0; w < kPassThreads / int(kWarp); w++) {
    u32 c = s.counts[w][bin];
    s.counts[w][bin] = binCount;
    binCount += c;
  }
  publishBin(states, tile, bin, binCount);
  u32 total;
  u32 binStart = blockExclusive<u32, kPassThreads>(binCount, total);
#pragma unroll
  for (int w = 0; w < kPassThreads / int(kWarp); w++) s.counts[w][bin] += binStart;
  __syncthreads();

  // Rank: a lane's place among the tile's rows in digit order.
  Packed<kPassItems, 16> ranks;
#pragma unroll
  for (int k = 0; k < kPassItems; k++) {
    u32 digit = digitAt(k);
    u32 same = matchDigit(digit);
    u32 leader = kWarp - 1 - u32(__clz(int(same)));
    u32 start = 0;
    if (laneId() == leader) start = atomicAdd(&warpCounts[digit], u32(__popc(same)));
    ranks.set(k, __shfl_sync(kAllLanes, start, int(leader)) + u32(__popc(same & lanesBelow())));
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPassItems; k++) s.keys[ranks.get(k)] = keys[k];

  Value values[kPassItems];
  loadTile<kWhole>(values, valuesIn, first, valid);
  s.destination[bin] = i64(firsts[bin] + binPrefix(states, tile, bin, binCount)) - i64(binStart);
  __syncthreads();

  Packed<kPassItems, 8> digits;
#pragma unroll
  for (int k = 0; k < kPassItems; k++) {
    int at = int(threadIdx.x) + k * kPassThreads;
    Key key = s.keys[at];
    u32 digit = digitOf(key);
    digits.set(k, digit);
    if (kWhole || at < valid) keysOut[s.destination[digit] + at] = key;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPassItems; k++) s.values[ranks.get(k)] = values[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kPassItems; k++) {
    int at = int(threadIdx.x) + k * kPassThreads;
    if (kWhole || at < valid) valuesOut[s.destination[digits.get(k)] + at] = s.values[at];
  }
}

// radixPass moves pairs so that those of a lower digit come first and equal ones keep
// their order. The digit is (order(key) >> shift) & mask, mask at most 255. firsts has
// the digit values' first positions; scratch is zeros: a word and 256 words of 32 bits a
// tile; n is below 2^32 - 2^15.
template <class Key, class Value>
__device__ void radixPass(const Key* keysIn, const Value* valuesIn, Key* keysOut, Value* valuesOut, i64 n,
                          const u64* firsts, u64* scratch, u32 shift, u32 mask, ByOrder<Key> order) {
  auto& s = *reinterpret_cast<PassShared<Key, Value>*>(DYNAMIC_SHARED);
  u32* warpCounts = s.counts[warpId()];
  for (u32 b = laneId(); b < kBins; b += kWarp) warpCounts[b] = 0;
  i64 tile = takeTicket(scratch);
  u32* states = reinterpret_cast<u32*>(scratch + 1);
  i64 start = tile * kPassTile;
  if (start + kPassTile <= n) {
    passTile<true>(s, keysIn + start, valuesIn + start, keysOut, valuesOut, tile, kPassTile, firsts, states, shift, mask,
                   order);
  } else {
    passTile<false>(s, keysIn + start, valuesIn + start, keysOut, valuesOut, tile, int(n - start), firsts, states, shift,
                    mask, order);
  }
}

// The dynamic shared memory that launches ask for; abi.go has it too.
template <class Key, class Value>
constexpr size_t kPassBytes = sizeof(PassShared<Key, Value>);
static_assert(kPassBytes<u32, u32> == 34816, "b4b4");
static_assert(kPassBytes<u32, u64> == 67584, "b4b8");
static_assert(kPassBytes<u64, u32> == 67584, "b8b4");
static_assert(kPassBytes<u64, u64> == 67584, "b8b8");

}  // namespace gsql

// RADIX_PASS defines an entry: blocks is how many are resident. Each has a file of its own, because
// the driver takes more than a second for it at its first use.
#define RADIX_PASS(key, value, blocks, suffix)                                                                  \
  KERNEL((256, blocks), gsql_radix_pass_##suffix, const key* keysIn, const value* valuesIn, key* keysOut,       \
         value* valuesOut, int64_t n, const uint64_t* firsts, uint64_t* scratch, uint64_t shift, uint64_t mask, \
         uint64_t flip, uint64_t floating) {                                                                    \
    gsql::radixPass(keysIn, valuesIn, keysOut, valuesOut, n, firsts, scratch, uint32_t(shift), uint32_t(mask),  \
                    gsql::ByOrder<key>(flip, floating));                                                        \
  }
