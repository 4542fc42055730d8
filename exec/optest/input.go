package optest

import "gsql/exec/op"

// NewInput makes an operator over a relation, for tests that run parts of operators. It delivers
// flat batches of size rows, each of which is ruined once the next one is asked for.
func NewInput(rel *Relation, size int) op.Operator {
	s := newSource(rel, size, false)
	s.alone = true
	return s
}
