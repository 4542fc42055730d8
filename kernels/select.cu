// Compaction: the row numbers, values or pairs that a column of flags keeps, in order and
// in one pass (decoupled look-back over the tiles' counts).
//
// Bytes: one flag a row (and the values), and what is kept.
#include "block.cuh"
#include "lookback.cuh"

namespace gsql {

constexpr int kSelectThreads = 256;
constexpr int kSelectItems = 16;
constexpr int kSelectTile = kSelectThreads * kSelectItems;

// selectRows calls put(position, row) for each row with a flag other than 0 and writes
// how many there are to *count. scratch is 1 + tiles words of zeros.
template <class Put>
__device__ void selectRows(const uint8_t* flags, i64 n, u64* count, u64* scratch, Put put) {
  using Counts = u32[kSelectThreads / kWarp];
  SHARED(Counts, counts);
  SHARED(u64, tileStart);
  constexpr u32 kWarps = kSelectThreads / kWarp;
  i64 tile = takeTicket(scratch);
  i64 first = tile * kSelectTile + i64(warpId()) * kSelectItems * kWarp + laneId();
  u32 kept[kSelectItems];
  u32 inWarp = 0;
#pragma unroll
  for (int k = 0; k < kSelectItems; k++) {
    i64 row = first + k * int(kWarp);
    kept[k] = row < n && flags[row] != 0;
  }
#pragma unroll
  for (int k = 0; k < kSelectItems; k++) {
    kept[k] = __ballot_sync(kAllLanes, int(kept[k]));
    inWarp += u32(__popc(kept[k]));
  }
  if (laneId() == 0) counts[warpId()] = inWarp;
  __syncthreads();
  if (threadIdx.x < kWarp) {
    u32 mine = laneId() < kWarps ? counts[laneId()] : 0;
    u32 through = warpInclusive(mine);
    u32 tileCount = __shfl_sync(kAllLanes, through, kWarp - 1);
    if (laneId() == 0) publishTile(scratch + 1, tile, tileCount);
    u64 before = tilePrefix(scratch + 1, tile, tileCount);
    if (laneId() < kWarps) counts[laneId()] = through - mine;
    if (laneId() == 0) {
      tileStart = before;
      if ((tile + 1) * kSelectTile >= n) *count = before + tileCount;
    }
  }
  __syncthreads();
  i64 position = i64(tileStart + counts[warpId()]);
#pragma unroll
  for (int k = 0; k < kSelectItems; k++) {
    if (kept[k] >> laneId() & 1) put(position + __popc(kept[k] & lanesBelow()), first + k * int(kWarp));
    position += __popc(kept[k]);
  }
}

}  // namespace gsql

#define SELECT_ROWS(row, suffix)                                                                              \
  KERNEL((256), gsql_select_rows_##suffix, const uint8_t* flags, row* rows, int64_t n, uint64_t* count,         \
         uint64_t* scratch) {                                                                                 \
    gsql::selectRows(flags, n, count, scratch, [=](int64_t at, int64_t i) { rows[at] = row(i); }); \
  }
#define SELECT_VALUES(type, suffix)                                                                             \
  KERNEL((256), gsql_select_values_##suffix, const type* in, const uint8_t* flags, type* out, int64_t n,          \
         uint64_t* count, uint64_t* scratch) {                                                                  \
    gsql::selectRows(flags, n, count, scratch, [=](int64_t at, int64_t i) { out[at] = in[i]; });     \
  }

#define SELECT_PAIRS(row, suffix)                                                                            \
  KERNEL((256), gsql_select_pairs_##suffix, const row* left, const row* right, const uint8_t* flags, row* outLeft, \
         row* outRight, int64_t n, uint64_t* count, uint64_t* scratch) {                                      \
    gsql::selectRows(flags, n, count, scratch, [=](int64_t at, int64_t i) {                                   \
      outLeft[at] = left[i];                                                                                  \
      outRight[at] = right[i];                                                                                \
    });                                                                                                       \
  }

SELECT_ROWS(int32_t, i32)
SELECT_ROWS(int64_t, i64)
SELECT_VALUES(uint32_t, b4)
SELECT_VALUES(uint64_t, b8)
SELECT_PAIRS(int32_t, i32)
#undef SELECT_ROWS
#undef SELECT_VALUES
#undef SELECT_PAIRS
