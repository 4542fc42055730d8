package optest

import "gsql/exec/op"

// NewInput makes an operator over a relation, for tests that run parts of operators. It returns
// flat batches of size rows and overwrites each one when the next is requested.
func NewInput(rel *Relation, size int) op.Operator {
	s := newSource(rel, size, false)
	s.alone = true
	return s
}
