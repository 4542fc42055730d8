// Package pairs evaluates conditions on pairs of rows of two inputs, one row of one input against
// a tile of rows of the other at a time. Conditions made of arithmetic, comparisons and logic on
// numbers run as short programs of vector instructions. Parts that depend on one input only are
// computed in advance, once per row, and the actual values determine whether 32 or 64 bits hold
// every result. If even 64 bits might not, and for all other conditions, expressions are
// evaluated in the general way, with the usual errors and warnings.
package pairs

import (
	"gsql/sql/eval"
	"gsql/sql/expr"
)

// Side distinguishes the inputs.
type Side uint8

// The sides.
const (
	Left Side = iota
	Right
)

// Tile is the number of rows tested at once.
const Tile = 2048

// Condition is a compiled conjunction on pairs of rows. It is immutable except for Vectorise.
type Condition struct {
	preds   []expr.Expr
	general *eval.Filter
	ids     [2][]expr.ColID // of the columns that the condition reads
	program *program        // nil if only the general way is possible
}

// Compile returns a condition that holds if every predicate is TRUE. left and right are the
// columns of the two sides that the predicates refer to.
func Compile(preds []expr.Expr, left, right []expr.ColID) (*Condition, error) {
	c := &Condition{preds: preds, ids: [2][]expr.ColID{left, right}}
	var err error
	c.general, err = eval.CompileFilter(preds, append(left[:len(left):len(left)], right...))
	return c, err
}

// Vectorise makes a vector program for the condition, if possible. It pays off from thousands of
// pairs on, and must be called before NewRows and NewTester.
func (c *Condition) Vectorise() (err error) {
	if p := newCompiler(c.ids[Left], c.ids[Right]); c.program == nil && p.conjunction(c.preds) {
		c.program, err = p.finish()
	}
	return err
}

// Vectorised reports whether a conjunction can run as a vector program, unless its values turn
// out to be too large. left reports whether a column is on the left side; all others are on the
// right side.
func Vectorised(preds []expr.Expr, left func(expr.ColID) bool) bool {
	c := &compiler{sideOf: func(id expr.ColID) Side {
		if left(id) {
			return Left
		}
		return Right
	}}
	return c.conjunction(preds)
}
