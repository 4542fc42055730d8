package theta

import (
	"slices"

	"gsql/sql/expr"
	"gsql/sql/vec"
)

// predicate is one operand of the inner side (the build side of a nested loop) with the
// comparisons on it, which combine into one window of words.
type predicate struct {
	key    int   // one of the comparisons on the operand
	on     []int // all of them
	negate bool  // "<>": the words outside the window satisfy it
}

// orient returns the operators of the comparisons as "outer op inner" and groups them by inner
// operands. The left side is the inner one if innerLeft is set. Ranks of different comparisons
// cannot be compared, so operands without order keys are not grouped.
func orient(cs []Comparison, innerLeft bool) (ops []expr.FuncID, tests []predicate) {
	inner := make([]expr.Expr, len(cs))
	for i, c := range cs {
		op, operand := c.Op, c.R
		if innerLeft {
			op, operand = Flip(c.Op), c.L
		}
		ops, inner[i] = append(ops, op), operand
		same := func(t predicate) bool {
			return !t.negate && cs[t.key].HasWords() && expr.Equal(inner[t.key], operand)
		}
		if k := slices.IndexFunc(tests, same); k >= 0 && op != expr.FuncNE && c.HasWords() {
			tests[k].on = append(tests[k].on, i)
		} else {
			tests = append(tests, predicate{key: i, on: []int{i}, negate: op == expr.FuncNE})
		}
	}
	return ops, tests
}

// window returns the inner words that satisfy the predicate for outer row i; words holds the
// outer operands by comparison. ok is false if there are none.
func (t *predicate) window(ops []expr.FuncID, words [][]uint64, i int) (w window, ok bool) {
	w = window{0, ^uint64(0)}
	for _, key := range t.on {
		v, some := windowOf(ops[key], words[key][i])
		if w, ok = w.and(v); !ok || !some {
			return w, false
		}
	}
	return w, true
}

// selectInside writes the positions of the words inside w (outside with negate) to dst and
// returns their number. It does not branch on the words.
func selectInside(dst []int32, words []uint64, w window, negate bool) int {
	n, lo, span := 0, w.lo, w.hi-w.lo
	dst = dst[:len(words)]
	if negate {
		for i, y := range words {
			dst[n] = int32(i)
			n += vec.One(y-lo > span)
		}
		return n
	}
	for i, y := range words {
		dst[n] = int32(i)
		n += vec.One(y-lo <= span)
	}
	return n
}

// keepInside keeps the positions whose words are inside w (outside with negate).
func keepInside(at []int32, words []uint64, w window, negate bool) int {
	n, lo, span := 0, w.lo, w.hi-w.lo
	outside := vec.One(negate)
	for _, i := range at {
		at[n] = i
		n += vec.One(words[i]-lo <= span) ^ outside
	}
	return n
}
