package colstore

import (
	"errors"
	"slices"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestAppendStopsBetweenColumns stops a statement while a batch of many columns is appended.
func TestAppendStopsBetweenColumns(t *testing.T) {
	stop, looks := errors.New("interrupted"), 0
	account := mem.NewRoot("query", 0).StopWhen(func() error {
		if looks++; looks > 20 {
			return stop
		}
		return nil
	})
	s := New(slices.Repeat([]types.Type{types.T(types.Int64)}, 50), account)
	b := &vec.Batch{N: 10, Cols: slices.Repeat([]*vec.Vector{vec.NewFlat(types.T(types.Int64), 10)}, 50)}
	if err := s.Append(b); !errors.Is(err, stop) || looks != 21 || s.Rows() != 0 {
		t.Errorf("after %d looks a store has %d rows: %v", looks, s.Rows(), err)
	}
	if s.Free(); account.Used() != 0 {
		t.Errorf("%d bytes are not released", account.Used())
	}
}
