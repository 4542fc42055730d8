package operators

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// placed is a table whose row p has the numbers 100*c + p in its columns c, NULL if p is 3. It notes what
// it was asked for.
type placed struct {
	catalog.Table
	asked []string
	err   error
}

func (p *placed) ReadPlaces(_ context.Context, places []int64, columns []int) (out []*vec.Vector, err error) {
	p.asked = append(p.asked, fmt.Sprint(places, columns))
	for _, c := range columns {
		v := vec.NewFlat(types.T(types.Int64), len(places))
		for i, x := range places {
			if v.I64[i] = int64(100*c) + x; x == 3 {
				v.SetNull(i)
			}
		}
		out = append(out, v)
	}
	return out, p.err
}

// TestFusedPlaces reads columns of two tables, one of them padded with NULLs, beside a column of the
// device. Rows of one table at one row number are read together, each once in a batch.
func TestFusedPlaces(t *testing.T) {
	const none = pipeline.None
	number := types.Type{ID: types.Int64}
	outs := []lower.Output{
		{Type: number, Form: lower.Row, Value: 0, Valid: none, Relation: 0, Ordinal: 2},
		{Type: number, Value: 1, Valid: none},
		{Type: number, Form: lower.Row, Value: 1, Valid: 2, Relation: 1, Ordinal: 0},
		{Type: number, Form: lower.Row, Value: 0, Valid: none, Relation: 0, Ordinal: 1},
	}
	rows := &run.Rows{Count: 5, Columns: []run.Column{stored(4, 7, 3, 7, 1, 2), stored(4, 9, 0, 8, 0, 0), stored(1, 1, 0, 1, 0, 0)}}
	a, b := &placed{}, &placed{}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("test", 0), Workers: 1, BatchSize: 3}
	f, err := newFusedRows(ctx, make([]logical.Column, len(outs)), outs, rows, false, []catalog.Table{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	s := f.stream(ctx)
	for {
		batch, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if batch == nil {
			break
		}
		for r := range batch.N {
			line := ""
			for _, c := range batch.Cols {
				line += cell(c, r) + " "
			}
			got = append(got, line)
		}
	}
	want := []string{"207 9 9 107 ", "NULL 0 NULL NULL ", "207 8 8 107 ", "201 0 NULL 101 ", "202 0 NULL 102 "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := []string{"[3 7] [2 1]", "[1 2] [2 1]"}; !slices.Equal(a.asked, want) {
		t.Errorf("asked for %q, want %q", a.asked, want)
	}
	if want := []string{"[8 9] [0]", "[] [0]"}; !slices.Equal(b.asked, want) {
		t.Errorf("asked for %q, want %q", b.asked, want)
	}
	a.err = errors.New("unreadable")
	f.taken.Store(0)
	if _, err := f.stream(ctx).Next(); !errors.Is(err, a.err) {
		t.Errorf("error %v, want %v", err, a.err)
	}
}
