package join

import (
	"slices"

	"gsql/sql/expr"
)

// test is one operand of the inner side (the build side of a nested loop) with the
// comparisons on it: they unite to one window of words.
type test struct {
	key    int   // one of the comparisons on the operand
	on     []int // all of them
	negate bool  // "<>": outside of the window
}

// orient gives the comparisons as "outer op inner", the left side being the inner one
// where that is set, and groups them by the inner operands. Operands whose words are
// ranks are not comparable between comparisons and stay alone.
func orient(cs []comparison, innerLeft bool) (ops []string, tests []test) {
	inner := make([]expr.Expr, len(cs))
	for i, c := range cs {
		op, operand := c.op, c.r
		if innerLeft {
			op, operand = flipped[c.op], c.l
		}
		ops, inner[i] = append(ops, op), operand
		same := func(t test) bool {
			return !t.negate && cs[t.key].hasWords() && expr.Equal(inner[t.key], operand)
		}
		if k := slices.IndexFunc(tests, same); k >= 0 && op != "<>" && c.hasWords() {
			tests[k].on = append(tests[k].on, i)
		} else {
			tests = append(tests, test{key: i, on: []int{i}, negate: op == "<>"})
		}
	}
	return ops, tests
}

// window gives the inner words that pass the test for outer row i; words are the outer
// operands by comparison. ok is false when none passes.
func (t *test) window(ops []string, words [][]uint64, i int) (w window, ok bool) {
	w = window{0, ^uint64(0)}
	for _, key := range t.on {
		v, some := windowOf(ops[key], words[key][i])
		if w, ok = w.and(v); !ok || !some {
			return w, false
		}
	}
	return w, true
}

// selectInside writes the positions of the words inside w (outside with negate) to
// dst, without branches on them, and gives their number.
func selectInside(dst []int32, words []uint64, w window, negate bool) int {
	n, lo, span := 0, w.lo, w.hi-w.lo
	dst = dst[:len(words)]
	if negate {
		for i, y := range words {
			dst[n] = int32(i)
			n += one(y-lo > span)
		}
		return n
	}
	for i, y := range words {
		dst[n] = int32(i)
		n += one(y-lo <= span)
	}
	return n
}

// keepInside keeps the positions whose words are inside w (outside with negate).
func keepInside(at []int32, words []uint64, w window, negate bool) int {
	n, lo, span := 0, w.lo, w.hi-w.lo
	outside := one(negate)
	for _, i := range at {
		at[n] = i
		n += one(words[i]-lo <= span) ^ outside
	}
	return n
}
