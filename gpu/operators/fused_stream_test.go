package operators

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// stored returns a column of a result.
func stored(width int, values ...int64) run.Column {
	c := run.Column{Width: width}
	for _, v := range values {
		c.Bytes = append(c.Bytes, binary.LittleEndian.AppendUint64(nil, uint64(v))[:width]...)
	}
	return c
}

func doubles(values ...float64) run.Column {
	c := run.Column{Width: 8}
	for _, v := range values {
		c.Bytes = binary.LittleEndian.AppendUint64(c.Bytes, math.Float64bits(v))
	}
	return c
}

// converted returns the rows of a single output as texts, read in batches of two.
func converted(t *testing.T, o lower.Output, narrow bool, columns ...run.Column) ([]string, error) {
	t.Helper()
	rows := &run.Rows{Count: len(columns[0].Bytes) / columns[0].Width, Columns: columns}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("test", 0), Workers: 1, BatchSize: 2}
	f, err := newFusedRows(ctx, []logical.Column{{Name: "x", T: o.Type}}, []lower.Output{o}, rows, narrow, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	streams := []*fusedStream{f.stream(ctx), f.stream(ctx)}
	for i := 0; ; i++ {
		b, err := streams[i%2].Next()
		if err != nil {
			return nil, err
		}
		if b == nil {
			return out, nil
		}
		v := b.Cols[0]
		if v.N != b.N || v.Type != o.Type || v.Narrow && !narrow {
			t.Fatalf("a vector of %d rows of %s", v.N, v.Type)
		}
		for r := range b.N {
			out = append(out, cell(v, r))
		}
	}
}

// cell formats a value; decimals are not scaled.
func cell(v *vec.Vector, row int) string {
	if v.IsNull(row) {
		return "NULL"
	}
	base, slot := v.Slot(row)
	switch kind := v.Type.Kind(); {
	case kind == types.KindF64:
		return fmt.Sprint(base.F64[slot])
	case kind == types.KindStr:
		return base.Str[slot]
	case kind == types.KindU64:
		return fmt.Sprint(uint64(base.I64[slot]))
	case kind == types.KindDec && !base.Narrow:
		return base.Dec[slot].BigInt().String()
	}
	return fmt.Sprint(base.I64[slot])
}

func TestFusedConversions(t *testing.T) {
	dict := &column.Dictionary{Texts: []string{"ann", "bob", "eve"}}
	far := new(big.Int).Lsh(big.NewInt(-3_000_000_000), 32) // of a sum's two halves
	far.Add(far, big.NewInt(7))
	const none = pipeline.None
	for _, c := range []struct {
		name    string
		out     lower.Output
		columns []run.Column
		want    string
	}{
		{"bytes", lower.Output{Type: types.Type{ID: types.Int64}, Value: 0, Valid: none}, []run.Column{stored(1, 1, 255, 3)}, "1 255 3"},
		{"two bytes, NULL", lower.Output{Type: types.Type{ID: types.Int64}, Value: 0, Valid: 1}, []run.Column{stored(2, 1, 65535, 0), stored(1, 1, 1, 0)}, "1 65535 NULL"},
		{"four bytes", lower.Output{Type: types.Type{ID: types.Int64}, Value: 0, Valid: none}, []run.Column{stored(4, 1<<32-1)}, "4294967295"},
		{"negative", lower.Output{Type: types.Type{ID: types.Int64}, Value: 0, Valid: none}, []run.Column{stored(8, -1<<63, -1)}, "-9223372036854775808 -1"},
		{"decimal", lower.Output{Type: types.Dec(30, 2), Value: 0, Valid: none, Scale: 2}, []run.Column{stored(8, -150)}, "-150"},
		{"decimal of more digits", lower.Output{Type: types.Dec(30, 4), Value: 0, Valid: none, Scale: 2}, []run.Column{stored(8, -150)}, "-15000"},
		{"narrow decimal", lower.Output{Type: types.Dec(12, 2), Value: 0, Valid: 1, Scale: 2}, []run.Column{stored(8, -150, 0, 9), stored(4, 1, 0, 1)}, "-150 NULL 9"},
		{"doubles", lower.Output{Type: types.Type{ID: types.Float64}, Form: lower.Real, Value: 0, Valid: 1}, []run.Column{doubles(0.5, 0, -2), stored(1, 1, 0, 1)}, "0.5 NULL -2"},
		{"mean of doubles", lower.Output{Type: types.Type{ID: types.Float64}, Form: lower.RealMean, Value: 0, Valid: none, Count: 1}, []run.Column{doubles(3, 0, 8), stored(8, 2, 0, 1)}, "1.5 NULL 8"},
		{"texts", lower.Output{Type: types.Type{ID: types.String}, Form: lower.Text, Value: 0, Valid: 1, Texts: dict}, []run.Column{stored(1, 2, 0, 0), stored(1, 1, 0, 1)}, "eve NULL ann"},
		{"wide sum", lower.Output{Type: types.Dec(38, 0), Form: lower.Wide, Value: 0, High: 1, Valid: 2},
			[]run.Column{stored(8, 7, 1<<40, 0), stored(8, -3_000_000_000, 1, 0), stored(8, 5, 1, 0)}, far.String() + " 1103806595072 NULL"},
		// 10 / 4 has four more digits, and 1 / 3 is rounded there.
		{"mean", lower.Output{Type: types.Dec(20, 4), Form: lower.Mean, Value: 0, Valid: none, Count: 1}, []run.Column{stored(8, 10, 1, 0), stored(8, 4, 3, 0)}, "25000 3333 NULL"},
		{"mean of decimals", lower.Output{Type: types.Dec(20, 6), Form: lower.Mean, Value: 0, Valid: none, Count: 1, Scale: 2}, []run.Column{stored(8, 250), stored(8, 4)}, "625000"},
		{"wide mean", lower.Output{Type: types.Dec(38, 4), Form: lower.WideMean, Value: 0, High: 1, Valid: none, Count: 2}, []run.Column{stored(8, 2), stored(8, 1), stored(8, 2)}, "21474836490000"},
		{"NULL", lower.Output{Type: types.Type{ID: types.Null}, Value: 0, Valid: none}, []run.Column{stored(1, 0, 0, 0)}, "NULL NULL NULL"},
	} {
		for _, narrow := range []bool{false, true} {
			got, err := converted(t, c.out, narrow, c.columns...)
			if want := strings.Fields(c.want); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %v, %v, want %v", c.name, got, err, want)
			}
		}
	}
}

// TestFusedRange checks that sums beyond 38 digits, or their type, are an error.
func TestFusedRange(t *testing.T) {
	out := lower.Output{Type: types.Dec(38, 30), Form: lower.Wide, Value: 0, High: 1, Valid: pipeline.None}
	if _, err := converted(t, out, false, stored(8, 0), stored(8, 1)); !errors.Is(err, sqlerr.DataOutOfRange) {
		t.Errorf("%v, want an error for a sum of 40 digits", err)
	}
	out = lower.Output{Type: types.Type{ID: types.Int64}, Form: lower.Wide, Value: 0, High: 1, Valid: pipeline.None}
	if _, err := converted(t, out, false, stored(8, 0), stored(8, 1<<31)); !errors.Is(err, sqlerr.DataOutOfRange) {
		t.Errorf("%v, want an error for a sum of 64 bits", err)
	}
}

func TestFusedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f, err := newFusedRows(&op.Ctx{Context: ctx}, nil, nil, &run.Rows{Count: 3}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.stream(&op.Ctx{Context: ctx}).Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancellation", err)
	}
}

// TestFusedForms checks that outputs without the columns that they are made of are refused.
func TestFusedForms(t *testing.T) {
	const none = pipeline.None
	number, double, text := types.Type{ID: types.Int64}, types.Type{ID: types.Float64}, types.Type{ID: types.String}
	rows := &run.Rows{Columns: []run.Column{stored(8, 1), stored(8, 1)}}
	for i, o := range []lower.Output{
		{Type: number, Value: none, Valid: none},
		{Type: number, Value: 2, Valid: none},
		{Type: number, Value: 0, Valid: 2},
		{Type: number, Form: lower.Real, Value: 0, Valid: none},
		{Type: text, Form: lower.Text, Value: 0, Valid: none},
		{Type: double, Form: lower.RealMean, Value: 0, Valid: none, Count: none},
		{Type: number, Form: lower.Wide, Value: 0, Valid: none, High: none},
		{Type: number, Form: lower.WideMean, Value: 0, Valid: none, High: 1, Count: none},
		{Type: number, Form: lower.Row, Value: 0, Valid: none},
	} {
		if _, err := newFusedRows(&op.Ctx{}, make([]logical.Column, 1), []lower.Output{o}, rows, false, nil); err == nil {
			t.Errorf("output %d is accepted", i)
		}
	}
	if _, err := newFusedRows(&op.Ctx{}, nil, make([]lower.Output, 1), rows, false, nil); err == nil {
		t.Error("more outputs than columns are accepted")
	}
}
