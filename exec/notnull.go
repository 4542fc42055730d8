package exec

import (
	"fmt"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

var verifying atomic.Bool

// VerifyNotNull turns on a check for tests: from now on, a CPU operator that returns a NULL in a
// column that its plan marks NOT NULL panics. Rules rely on these marks to drop tests for NULL,
// so tests must notice wrong ones.
func VerifyNotNull() { verifying.Store(true) }

// verified checks what an operator returns.
type verified struct {
	op.Operator
	node *physical.Node
}

// AllowNarrow implements op.Narrowing.
func (v *verified) AllowNarrow() { op.AllowNarrow(v.Operator) }

// AllowPassing implements op.Passing.
func (v *verified) AllowPassing() { op.AllowPassing(v.Operator) }

// Stream implements op.Operator.
func (v *verified) Stream() (op.Stream, error) {
	s, err := v.Operator.Stream()
	if err != nil {
		return nil, err
	}
	return &verifiedStream{s, v.node}, nil
}

type verifiedStream struct {
	op.Stream
	node *physical.Node
}

// Next implements op.Stream.
func (s *verifiedStream) Next() (*vec.Batch, error) {
	b, err := s.Stream.Next()
	if b == nil {
		return b, err
	}
	for i, c := range s.node.Cols {
		if !c.NotNull || !b.Cols[i].MayHaveNulls() {
			continue
		}
		for r := range b.N {
			if b.Cols[i].IsNull(r) {
				name, details := s.node.Op.Describe()
				panic(fmt.Sprintf("%s %v returns NULL in column %s, which its plan calls never NULL", name, details, c.Name))
			}
		}
	}
	return b, err
}
