package groupjoin

import (
	"math"

	"gsql/exec/join/theta"
	"gsql/exec/keyenc/rank"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// test is an operand of the indexed side with the comparisons on it, which together form one window
// of words.
type test struct {
	operand expr.Expr
	conds   []cond
	encoder *rank.Encoder
}

// cond is the comparison "operand of the probe side op operand of the indexed side".
type cond struct {
	op    expr.FuncID
	probe int // which operand of the probe side
}

// operand is an expression of the probe side with the test whose encoder encodes it.
type operand struct {
	e    expr.Expr
	test int
}

// testsOf groups predicates by their operand on the indexed side, and returns the operands
// of the probe side.
func testsOf(ranges []physical.RangePred) (tests []test, probe []operand) {
	for _, r := range ranges {
		at := -1
		for i := range tests {
			if expr.Equal(tests[i].operand, r.R) {
				at = i
			}
		}
		if at < 0 {
			at = len(tests)
			tests = append(tests, test{operand: r.R})
		}
		tests[at].conds = append(tests[at].conds, cond{r.Op, len(probe)})
		probe = append(probe, operand{r.L, at})
	}
	return tests, probe
}

// excludes reports whether the test is "<>", whose window holds the rows that do not match.
func (t *test) excludes() bool { return t.conds[0].op == expr.FuncNE }

// bounded reports at which ends the test's window is bounded.
func (t *test) bounded() (below, above bool) {
	for _, c := range t.conds {
		up := c.op == expr.FuncLT || c.op == expr.FuncLE
		below, above = below || up, above || !up
	}
	return below, above
}

// ends reports which ends of the test's windows divide the words; at least one does.
func (t *test) ends() (begin, end bool) {
	below, above := t.bounded()
	return below || !above, above
}

// endsPerRow returns the number of ends of a window that divide the words.
func (t *test) endsPerRow() int {
	if begin, end := t.ends(); begin && end {
		return 2
	}
	return 1
}

// window writes the least and the greatest word that pass for each row; lo is greater than hi if
// none passes. probe has the words of the probe side's operands.
func (t *test) window(lo, hi []uint64, probe [][]uint64) {
	for i := range lo {
		lo[i], hi[i] = 0, math.MaxUint64
	}
	for _, c := range t.conds {
		theta.NarrowWindows(c.op, probe[c.probe][:len(lo)], lo, hi)
	}
}
