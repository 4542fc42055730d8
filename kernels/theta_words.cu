// What the nested loop compares, made of the columns of join conditions: words of the
// other side, intervals of the owning side (theta.cuh).
//
// All values are taken as 64-bit integers first: doubles by their bits, reordered; -0.0
// counts as 0.0. Of the other side's column all values lie in [base, top], which become
// the words [0, top-base]; an owner's interval is cut to that range. Reversed columns have
// their order turned, so that upper bounds become lower bounds.
//
// Bytes: every value read once, every word written once.
#include "theta.cuh"

namespace gsql {

constexpr i64 kLeast = i64(u64(1) << 63);
constexpr i64 kMost = ~kLeast;

__device__ __forceinline__ i64 orderOf(i32 v) { return v; }
__device__ __forceinline__ i64 orderOf(i64 v) { return v; }
__device__ __forceinline__ i64 orderOf(f64 v) {
  i64 bits = __double_as_longlong(v + 0.0);
  return bits ^ (bits >> 63 & kMost);
}

// The numbers of join.Op.
enum ThetaOp : i64 { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <class Word>
struct Range {
  i64 base, top;
  bool reversed;
  __device__ __forceinline__ Word word(i64 v) const { return Word(reversed ? u64(top) - u64(v) : u64(v) - u64(base)); }
};

// thetaWords writes the words of a column and clears keep[i] where it is NULL.
template <class T, class Word>
__device__ void thetaWords(const T* values, const uint8_t* valid, i64 n, Range<Word> range, Word* words, uint8_t* keep) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    words[i] = range.word(orderOf(values[i]));
    if (valid != nullptr && valid[i] == 0) keep[i] = 0;
  }
}

// thetaIntervals cuts the owners' intervals [lows[i], highs[i]] of one column of the other
// side to the words for which "owner op other" holds, and clears keep[i] where none is
// left or the owner is NULL. Intervals start as all words. NotEqual is alone with its column.
template <class T, class Word>
__device__ void thetaIntervals(const T* values, const uint8_t* valid, i64 n, ThetaOp op, Range<Word> range, Word* lows,
                               Word* highs, uint8_t* keep) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    i64 v = orderOf(values[i]);
    i64 low = range.base, high = range.top;
    bool none = valid != nullptr && valid[i] == 0;
    if (op == kNotEqual) {
      if (v >= low && v <= high) {
        lows[i] = range.word(v) + 1;
        highs[i] = range.word(v) - 1;
      }
    } else {
      if (op == kEqual || op == kLessEqual) low = max(low, v);
      if (op == kEqual || op == kGreaterEqual) high = min(high, v);
      if (op == kLess) low = max(low, v == kMost ? v : v + 1);
      if (op == kGreater) high = min(high, v == kLeast ? v : v - 1);
      none |= low > high || (op == kLess && v == kMost) || (op == kGreater && v == kLeast);
      if (!none) {
        Word from = range.word(range.reversed ? high : low), to = range.word(range.reversed ? low : high);
        lows[i] = from = max(from, lows[i]);
        highs[i] = to = min(to, highs[i]);
        none = from > to;
      }
    }
    if (none) keep[i] = 0;
  }
}

}  // namespace gsql

#define THETA_WORDS(type, word, suffix)                                                                              \
  KERNEL((256), gsql_theta_words_##suffix, const type* values, const uint8_t* valid, int64_t n, int64_t base,        \
         int64_t top, int64_t reversed, word* words, uint8_t* keep) {                                                \
    gsql::thetaWords<type, word>(values, valid, n, {base, top, reversed != 0}, words, keep);                         \
  }                                                                                                                  \
  KERNEL((256), gsql_theta_intervals_##suffix, const type* values, const uint8_t* valid, int64_t n, int64_t op,      \
         int64_t base, int64_t top, int64_t reversed, word* lows, word* highs, uint8_t* keep) {                      \
    gsql::thetaIntervals<type, word>(values, valid, n, gsql::ThetaOp(op), {base, top, reversed != 0}, lows, highs, keep); \
  }

THETA_WORDS(int32_t, uint32_t, i32u32)
THETA_WORDS(int32_t, uint64_t, i32u64)
THETA_WORDS(int64_t, uint32_t, i64u32)
THETA_WORDS(int64_t, uint64_t, i64u64)
THETA_WORDS(double, uint64_t, f64u64)
#undef THETA_WORDS
