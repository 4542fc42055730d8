// Counts of all digits of all keys in one pass, and the digits' first positions.
//
// Bytes: every key read once.
#include "block.cuh"
#include "radix.cuh"
#include "vector.cuh"

namespace gsql {

constexpr int kHistogramThreads = 256;
// Copies of each counter, so that equal keys of a warp do not all meet at one address.
constexpr int kCopies = 4;

// countDigits adds to counts[d*256 + v] how many keys have the value v in digit d. Digit
// d is bits [low + 8d, low + 8d + 8) of the key's place in the order, those from high on read as 0.
// counts starts as zeros; the block has digits * 4 KiB of dynamic shared memory.
template <class Key>
__device__ void countDigits(const Key* keys, i64 n, u64* counts, u32 low, u32 high, ByOrder<Key> order, u32* local) {
  constexpr int kItems = Pack<Key>::kItems;
  u32 digits = (high - low + 7) / 8;
  for (u32 i = threadIdx.x; i < digits * kBins * kCopies; i += kHistogramThreads) local[i] = 0;
  __syncthreads();
  Key mask = high >= sizeof(Key) * 8 ? ~Key(0) : (Key(1) << high) - 1;
  u32 copy = laneId() % kCopies;
  auto count = [&](Key key) {
    Key bits = (order(key) & mask) >> low;
    for (u32 d = 0; d < digits; d++) {
      atomicAdd(&local[(d * kBins + u32(bits & 255)) * kCopies + copy], 1u);
      bits = sizeof(Key) > 1 ? Key(bits >> 8) : Key(0);
    }
  };
  i64 packs = n / kItems;
  for (i64 p = globalThread(); p < packs; p += 2 * globalThreads()) {
    i64 q = p + globalThreads();
    Pack<Key> a = loadPack(keys + p * kItems);
    Pack<Key> b = loadPack(keys + (q < packs ? q : p) * kItems);
#pragma unroll
    for (int k = 0; k < kItems; k++) count(a.item[k]);
    if (q >= packs) break;
#pragma unroll
    for (int k = 0; k < kItems; k++) count(b.item[k]);
  }
  i64 rest = packs * kItems + globalThread();
  if (rest < n) count(keys[rest]);
  __syncthreads();
  for (u32 i = threadIdx.x; i < digits * kBins; i += kHistogramThreads) {
    u64 sum = 0;
    for (int c = 0; c < kCopies; c++) sum += local[i * kCopies + c];
    if (sum != 0) atomicAdd(reinterpret_cast<ull*>(&counts[i]), ull(sum));
  }
}

}  // namespace gsql

#define HISTOGRAM(key, name)                                                                                  \
  KERNEL((256), name, const key* keys, int64_t n, uint64_t* counts, uint64_t low, uint64_t high, uint64_t flip, \
         uint64_t floating) {                                                                                 \
    gsql::countDigits(keys, n, counts, uint32_t(low), uint32_t(high), gsql::ByOrder<key>(flip, floating),     \
                      reinterpret_cast<uint32_t*>(DYNAMIC_SHARED));                                              \
  }

HISTOGRAM(uint32_t, gsql_radix_histogram_b4)
HISTOGRAM(uint64_t, gsql_radix_histogram_b8)
#undef HISTOGRAM

// gsql_radix_offsets turns each digit's 256 counts into first positions, in place: one
// block of 256 threads a digit.
KERNEL((256), gsql_radix_offsets, uint64_t* counts) {
  uint64_t* digit = counts + uint64_t(blockIdx.x) * gsql::kBins;
  uint64_t total;
  uint64_t before = gsql::blockExclusive<uint64_t, 256>(digit[threadIdx.x], total);
  digit[threadIdx.x] = before;
}
