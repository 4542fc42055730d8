// Package theta joins by comparisons. It maps operands to order keys, or to ranks if their types
// have none, so that "x op y" is a window of words y for each x; comparisons with the same
// operand combine into one window (a band).
//
// RangePairer holds both sides whole. One side, the inner one, is sorted, and every row of the
// other side searches it for partners: in the window of one operand, filtered by the other
// comparisons, or, if no single window is selective, by a sweep. The sweep is IEJoin (Khayyat et
// al., "Lightning Fast and Space Efficient Inequality Joins", VLDB 2015): outer rows are handled
// in the order of one comparison (X), so that the set of inner rows that satisfy it only grows.
// These enter a bitmap at their position in the order of the other predicate's operand (Y), the
// inner order, and an outer row's partners are the bits inside its window there. The paper's bit
// array is scanned word by word; this bitmap has summaries, so that the cost follows the output.
// Alternatively, a tree keeps the words of a third comparison (Z) by inner position, with the
// greatest of each subtree, and finds the rows that satisfy it too. A sample of the pairs decides
// which of the two is cheaper.
//
// RangeMatcher holds a small side, sorted, past which the other one streams. NewLoopMatcher makes
// the blocked nested loop, and NewPairwise a matcher that tests any conditions.
package theta
