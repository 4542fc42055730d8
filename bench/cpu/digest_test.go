package main

import (
	"context"
	"math/big"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

// fixed is an engine with one result.
type fixed struct {
	engine
	rows [][]any
}

func (f *fixed) each(_ context.Context, _ string, row func([]any)) error {
	for _, r := range f.rows {
		row(r)
	}
	return nil
}

func TestDifference(t *testing.T) {
	digestOf := func(rows ...[]any) digested {
		d, err := digest(context.Background(), &fixed{rows: rows}, "")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	rows := digestOf([]any{int64(1), "12.50", 0.1, nil}, []any{int64(1_000_000_000), "-3", 2e20, "x"})
	for _, c := range []struct {
		what string
		same bool
		rows digested
	}{
		{"another order, other types", true, digestOf([]any{big.NewInt(1_000_000_000), duckdb.Decimal{Scale: 2, Value: big.NewInt(-300)}, 2e20 * (1 + 1e-12), "x"},
			[]any{int32(1), duckdb.Decimal{Scale: 3, Value: big.NewInt(12500)}, 0.1, nil})},
		{"a count off by one in 10^9", false, digestOf([]any{int64(1), "12.50", 0.1, nil}, []any{int64(1_000_000_001), "-3", 2e20, "x"})},
		{"two values changed places", false, digestOf([]any{int64(1), "-3", 0.1, nil}, []any{int64(1_000_000_000), "12.50", 2e20, "x"})},
		{"NULL for a text", false, digestOf([]any{int64(1), "12.50", 0.1, nil}, []any{int64(1_000_000_000), "-3", 2e20, nil})},
		{"another float", false, digestOf([]any{int64(1), "12.50", 0.1, nil}, []any{int64(1_000_000_000), "-3", 2.001e20, "x"})},
		{"a row twice", false, digestOf([]any{int64(1), "12.50", 0.1, nil}, []any{int64(1), "12.50", 0.1, nil}, []any{int64(1_000_000_000), "-3", 2e20, "x"})},
	} {
		if d := difference(rows, c.rows); (d == "") != c.same {
			t.Errorf("%s: %q", c.what, d)
		}
	}
}
