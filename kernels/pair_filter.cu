// Further conditions of a join, on the row pairs that its first condition found.
//
// Bytes: the pairs read once a condition; the operands are gathered, a sector of 32 bytes
// an access where rows lie far apart (42 G accesses/s beyond the cache).
#include "device.cuh"

namespace gsql {

// Comparisons, in the order of the Go package join's Op.
enum class Comparison : u64 { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <class T>
__device__ __forceinline__ bool compare(Comparison op, T a, T b) {
  switch (op) {
    case Comparison::kEqual: return a == b;
    case Comparison::kNotEqual: return a != b;
    case Comparison::kLess: return a < b;
    case Comparison::kLessEqual: return a <= b;
    case Comparison::kGreater: return a > b;
    case Comparison::kGreaterEqual: return a >= b;
  }
  return false;
}

// Operand is a column of one side.
template <class T>
struct Operand {
  const T* values;
  const uint8_t* valid;  // nullptr: no row is NULL
};

// matchPairs sets flags[i] to whether pair i fulfils the condition; unless first, only
// where it was set already. NULL fulfils nothing.
template <class T>
__device__ void matchPairs(const i32* leftRows, const i32* rightRows, i64 n, Operand<T> left, Operand<T> right,
                           Comparison op, bool first, uint8_t* flags) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    if (!first && flags[i] == 0) continue;
    i32 l = leftRows[i], r = rightRows[i];
    bool known = (left.valid == nullptr || left.valid[l] != 0) && (right.valid == nullptr || right.valid[r] != 0);
    flags[i] = known && compare(op, left.values[l], right.values[r]);
  }
}

}  // namespace gsql

#define MATCH_PAIRS(type, suffix)                                                                                 \
  KERNEL((256), gsql_pair_match_##suffix, const int32_t* leftRows, const int32_t* rightRows, int64_t n,          \
         const type* left, const uint8_t* leftValid, const type* right, const uint8_t* rightValid, uint64_t op,  \
         uint64_t first, uint8_t* flags) {                                                                        \
    gsql::matchPairs<type>(leftRows, rightRows, n, {left, leftValid}, {right, rightValid}, gsql::Comparison(op), \
                           first != 0, flags);                                                                    \
  }

MATCH_PAIRS(int32_t, i32)
MATCH_PAIRS(int64_t, i64)
MATCH_PAIRS(double, f64)
#undef MATCH_PAIRS

// gsql_pair_count adds to counts[r] how often row r occurs in rows. Lanes with the same
// row add once, because the pairs of a row tend to lie together.
KERNEL((256), gsql_pair_count_i32, const int32_t* rows, int64_t n, uint64_t* counts) {
  using namespace gsql;
  for (i64 warpFirst = globalThread() - laneId(); warpFirst < n; warpFirst += globalThreads()) {
    i64 i = warpFirst + laneId();
    i32 row = i < n ? rows[i] : -1;
    u32 same = __match_any_sync(kAllLanes, row);
    if (row >= 0 && (same & lanesBelow()) == 0) atomicAdd(reinterpret_cast<ull*>(&counts[row]), ull(__popc(same)));
  }
}
