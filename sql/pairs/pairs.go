// Package pairs evaluates conditions on pairs of rows of two inputs, one row of one input
// against a tile of rows of the other at a time. Conditions made of arithmetic, comparisons
// and logic over numbers run as short programs of vector instructions: what depends on one
// input only is computed before, once a row, and the values met decide whether 32 or 64 bits
// hold every result. Where even these might not, and for all other conditions, expressions
// are evaluated as anywhere else, with the same errors and warnings.
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

// Tile is the number of rows that are tested at once.
const Tile = 2048

// Condition is a compiled conjunction on pairs of rows. It is immutable but for Vectorise.
type Condition struct {
	preds   []expr.Expr
	general *eval.Filter
	ids     [2][]expr.ColID // of the columns that it reads
	program *program        // nil where only the general way serves
}

// Compile makes a condition that holds where every predicate is TRUE. left and right are the
// columns of the sides that the predicates refer to.
func Compile(preds []expr.Expr, left, right []expr.ColID) (*Condition, error) {
	c := &Condition{preds: preds, ids: [2][]expr.ColID{left, right}}
	var err error
	c.general, err = eval.CompileFilter(preds, append(left[:len(left):len(left)], right...))
	return c, err
}

// Vectorise makes the program for the condition, if it can have one. It is worth its time for
// thousands of pairs, and comes before NewRows and NewTester.
func (c *Condition) Vectorise() (err error) {
	if p := newCompiler(c.ids[Left], c.ids[Right]); c.program == nil && p.conjunction(c.preds) {
		c.program, err = p.finish()
	}
	return err
}

// Vectorised reports whether a program of vector instructions serves a conjunction, unless its
// values turn out to be too large. left has the columns of the left side; all others are of
// the right one.
func Vectorised(preds []expr.Expr, left func(expr.ColID) bool) bool {
	c := &compiler{sideOf: func(id expr.ColID) Side {
		if left(id) {
			return Left
		}
		return Right
	}}
	return c.conjunction(preds)
}
