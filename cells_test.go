package gsql

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// cellColumn makes a flat vector of n rows; row i has the value want(i), or is NULL for every third.
type cellColumn struct {
	name string
	make func(n int) *vec.Vector
	want func(i int) any
}

func flat(t types.Type, n int, set func(v *vec.Vector, i int)) *vec.Vector {
	v := vec.NewFlat(t, n)
	for i := range n {
		set(v, i)
	}
	return v
}

var cellColumns = []cellColumn{
	{"BIGINT", func(n int) *vec.Vector {
		return flat(types.T(types.Int64), n, func(v *vec.Vector, i int) { v.I64[i] = int64(-i) * 1e15 })
	}, func(i int) any { return int64(-i) * 1e15 }},
	{"BIGINT UNSIGNED", func(n int) *vec.Vector {
		return flat(types.T(types.Uint64), n, func(v *vec.Vector, i int) { v.I64[i] = -1 - int64(i) })
	}, func(i int) any { return math.MaxUint64 - uint64(i) }},
	{"DOUBLE", func(n int) *vec.Vector {
		return flat(types.T(types.Float64), n, func(v *vec.Vector, i int) { v.F64[i] = float64(i) / 4 })
	}, func(i int) any { return float64(i) / 4 }},
	{"DECIMAL(30,2)", func(n int) *vec.Vector {
		return flat(types.Dec(30, 2), n, func(v *vec.Vector, i int) { v.Dec[i] = decimal128.FromI64(int64(-i) * 100) })
	}, func(i int) any {
		if i == 0 {
			return "0.00"
		}
		return fmt.Sprintf("-%d.00", i)
	}},
	{"narrow DECIMAL(12,3)", func(n int) *vec.Vector {
		return flat(types.Type{ID: types.Int64}, n, func(v *vec.Vector, i int) { v.Type, v.Narrow, v.I64[i] = types.Dec(12, 3), true, int64(i) })
	}, func(i int) any { return fmt.Sprintf("%d.%03d", i/1000, i%1000) }},
	{"VARCHAR", func(n int) *vec.Vector {
		return flat(types.T(types.String), n, func(v *vec.Vector, i int) { v.Str[i] = fmt.Sprint("text ", i) })
	}, func(i int) any { return fmt.Sprint("text ", i) }},
	{"BINARY", func(n int) *vec.Vector {
		return flat(types.T(types.Bytes), n, func(v *vec.Vector, i int) { v.Str[i] = fmt.Sprint(i) })
	}, func(i int) any { return []byte(fmt.Sprint(i)) }},
	{"DATE", func(n int) *vec.Vector {
		return flat(types.T(types.Date), n, func(v *vec.Vector, i int) { v.I64[i] = int64(-i) })
	}, func(i int) any { return time.Date(1970, 1, 1-i, 0, 0, 0, 0, time.UTC) }},
	{"DATETIME", func(n int) *vec.Vector {
		return flat(types.Type{ID: types.Datetime, Prec: 6}, n, func(v *vec.Vector, i int) { v.I64[i] = int64(i)*1e6 + 5 })
	}, func(i int) any { return time.Date(1970, 1, 1, 0, 0, i, 5000, time.UTC) }},
	{"TIME", func(n int) *vec.Vector {
		return flat(types.T(types.Time), n, func(v *vec.Vector, i int) { v.I64[i] = -int64(i+1) * 3_600_000_000 })
	}, func(i int) any { return fmt.Sprintf("-%02d:00:00", i+1) }},
}

// TestCells reads vectors of all forms over several runs. Values that were read earlier stay as they
// are when the batch is overwritten, and each can be changed without changing others.
func TestCells(t *testing.T) {
	const n = 2*runRows + 7
	for _, column := range cellColumns {
		whole := column.make(n)
		one := column.make(1)
		one.Form, one.N = vec.Const, n
		nulls := column.make(n)
		view := &vec.Vector{Type: whole.Type, Form: vec.View, N: n, Base: column.make(n), Idx: make([]int32, n)}
		for i := range n {
			if view.Idx[i] = int32(n - 1 - i); i%3 == 0 {
				nulls.SetNull(i)
				view.Idx[i] = -1
			}
		}
		b := &vec.Batch{N: n, Cols: []*vec.Vector{whole, one, nulls, view, vec.NewNull(types.T(types.Null), n)}}
		rows := make([][]any, 0, n)
		var c cells
		for c.take(b); c.next(); {
			row := make([]any, len(b.Cols))
			for i := range row {
				row[i] = c.value(i)
			}
			rows = append(rows, row)
		}
		for _, v := range []*vec.Vector{whole, one, nulls, view.Base} {
			clear(v.I64)
			clear(v.F64)
			clear(v.Dec)
			clear(v.Str)
		}
		if len(rows) != n || c.next() {
			t.Fatalf("%s: %d rows, want %d", column.name, len(rows), n)
		}
		for i, row := range rows {
			want := []any{column.want(i), column.want(0), column.want(i), column.want(n - 1 - i), nil}
			if i%3 == 0 {
				want[2], want[3] = nil, nil
			}
			if got, want := fmt.Sprintf("%T%v", row, row), fmt.Sprintf("%T%v", want, want); got != want {
				t.Fatalf("%s: row %d is %s, want %s", column.name, i, got, want)
			}
			for c, x := range row {
				if got, want := fmt.Sprintf("%T", x), fmt.Sprintf("%T", want[c]); got != want {
					t.Fatalf("%s: column %d is a %s, want a %s", column.name, c, got, want)
				}
				if raw, ok := x.([]byte); ok { // the next rows must not see this
					for j := range raw {
						raw[j] = '!'
					}
					_ = append(raw, "more"...)
				}
			}
		}
	}
}

// TestCellsAllocate checks that the memory of the values of a run is allocated at once.
func TestCellsAllocate(t *testing.T) {
	b := &vec.Batch{N: 10 * runRows}
	for _, column := range cellColumns {
		b.Cols = append(b.Cols, column.make(b.N))
	}
	var c cells
	allocs := testing.AllocsPerRun(5, func() {
		for c.take(b); c.next(); {
			c.value(0)
		}
	})
	if most := float64(10 * 3 * len(b.Cols)); allocs > most {
		t.Errorf("%.0f allocations for %d rows, want at most %.0f", allocs, b.N, most)
	}
}
