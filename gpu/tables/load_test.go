//go:build sim || cuda

package tables_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/tables"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// query returns the context of a query with three workers.
func query(ctx context.Context, limit int64) *op.Ctx {
	return &op.Ctx{Context: ctx, Mem: mem.NewRoot("query", limit), Workers: 3}
}

// during runs f within a task of its own.
func during(t *testing.T, e *engine.Engine, f func(task *engine.Task)) {
	t.Helper()
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}()
	f(task)
}

// check compares a column in device memory with the rows of a table, one by one.
func check(t *testing.T, task *engine.Task, c column.Narrow, table *table, ordinal int) {
	t.Helper()
	values := enginetest.Download[byte](t, task, c.Values, c.ValueBytes())
	var valid []byte
	if c.Valid != 0 {
		valid = enginetest.Download[byte](t, task, c.Valid, c.ValidBytes())
	}
	row, nulls := 0, 0
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	texts := map[string]bool{}
	for _, b := range table.batches {
		for i := range b.N {
			want := catalog.DatumAt(b.Cols[ordinal], i)
			set := valid == nil || valid[row/8]>>(row%8)&1 != 0
			stored := numberAt(values, c.Width, row)
			if set == want.Null || want.Null && stored != 0 {
				t.Fatalf("column %d, row %d: valid %v, stored %d, want %s", ordinal, row, set, stored, want.Text())
			}
			if row++; want.Null {
				nulls++
				continue
			}
			got := int64(stored) + c.Bias
			if x := integer(want); want.Type.Kind() == types.KindStr {
				texts[want.Str] = true
				if c.Texts.Texts[got] != want.Str {
					t.Fatalf("column %d, row %d: %q, want %q", ordinal, row-1, c.Texts.Texts[got], want.Str)
				}
			} else if got != x {
				t.Fatalf("column %d, row %d: %d, want %d", ordinal, row-1, got, x)
			}
			least, most = min(least, got), max(most, got)
		}
	}
	if least > most {
		least, most = 0, 0
	}
	if c.Rows != int64(row) || (c.Valid != 0) != (nulls > 0) || !c.Float && (c.Min != least || c.Max != most) {
		t.Errorf("column %d: %+v, want %d rows from %d to %d, %d NULLs", ordinal, c, row, least, most, nulls)
	}
	if c.Texts != nil && (!slices.IsSorted(c.Texts.Texts) || len(c.Texts.Texts) != len(texts)) {
		t.Errorf("column %d: dictionary %q", ordinal, c.Texts.Texts)
	}
}

func numberAt(b []byte, width, row int) uint64 {
	var word [8]byte
	copy(word[:], b[row*width:][:width])
	return binary.LittleEndian.Uint64(word[:])
}

// integer is a value as a Narrow stores it.
func integer(d catalog.Datum) int64 {
	switch d.Type.Kind() {
	case types.KindF64:
		return int64(math.Float64bits(d.F64))
	case types.KindDec:
		return d.Dec.BigInt().Int64()
	}
	return d.I64
}

// batches makes tables of many forms: columns 0 to 6 are integers, unsigned ones, doubles, decimals, narrow
// decimals, texts, and texts of dictionaries; column 7 is NULL alone.
func batches(r *rand.Rand, sizes ...int) (all []*vec.Batch) {
	dict := &vec.Vector{Type: types.T(types.String), N: 5, Str: []string{"z", "", "m", "ä", "never"}, Dict: true}
	for i, n := range sizes {
		b := &vec.Batch{N: n}
		for _, t := range []types.Type{types.T(types.Int64), types.T(types.Uint32), types.T(types.Float64), types.Dec(30, 2), types.Dec(12, 3), types.T(types.String)} {
			b.Cols = append(b.Cols, random(r, t, n, i))
		}
		narrow := b.Cols[4]
		narrow.I64, narrow.Dec, narrow.Narrow = narrow.I64[:0], nil, true
		for range n {
			narrow.I64 = append(narrow.I64, r.Int64N(1000)-500)
		}
		view := &vec.Vector{Type: dict.Type, Form: vec.View, N: n, Base: dict}
		for range n {
			view.Idx = append(view.Idx, r.Int32N(5)-1)
		}
		b.Cols = append(b.Cols, view, vec.NewNull(types.T(types.Date), n))
		all = append(all, b)
	}
	return all
}

// random returns a column of batch i: later ones have larger numbers; odd ones have NULLs.
func random(r *rand.Rand, t types.Type, n, i int) *vec.Vector {
	v := vec.NewFlat(t, n)
	for k := range n {
		x := r.Int64N(1 << min(8*i+4, 31))
		switch t.Kind() {
		case types.KindI64:
			v.I64[k] = x - 9
		case types.KindU64:
			v.I64[k] = x + 70000
		case types.KindF64:
			v.F64[k] = []float64{math.Copysign(0, -1), math.NaN(), float64(x)}[r.IntN(3)]
		case types.KindDec:
			v.Dec[k] = decimal128.FromI64(-x)
		case types.KindStr:
			v.Str[k] = fmt.Sprint("text ", x)
		}
		if i%2 == 1 && r.IntN(5) == 0 {
			v.SetNull(k)
		}
	}
	return v
}

func TestLoad(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for version, sizes := range [][]int{{1}, {63, 1, 64, 130}, {500, 3, 7000, 1, 4001}, {0}} {
		table := newTable(uint64(version), batches(r, sizes...)...)
		ordinals := []int{5, 0, 1, 7, 2, 3, 4, 6}
		for round := range 2 {
			during(t, e, func(task *engine.Task) {
				ctx := query(context.Background(), 0)
				columns, uploaded, err := tables.Load(ctx, task, table, ordinals, true)
				if err != nil {
					t.Fatal(err)
				}
				if sizes[0] > 0 && (uploaded > 0) != (round == 0) {
					t.Errorf("round %d: %d bytes uploaded", round, uploaded)
				}
				for i, o := range ordinals {
					check(t, task, columns[i], table, o)
				}
				if ctx.Mem.Used() != 0 {
					t.Errorf("%d bytes are still charged", ctx.Mem.Used())
				}
			})
		}
		if sizes[0] > 0 && table.scans != 1 {
			t.Errorf("%d scans", table.scans)
		}
	}
}

// TestLoadWithoutCache loads a table whose name and version are those of another one in the cache.
func TestLoadWithoutCache(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	r := rand.New(rand.NewPCG(3, 4))
	for i, cacheable := range []bool{true, false, false} {
		table := newTable(5, batches(r, 70*(i+1))...)
		during(t, e, func(task *engine.Task) {
			columns, _, err := tables.Load(query(context.Background(), 0), task, table, []int{0}, cacheable)
			if err != nil {
				t.Fatal(err)
			}
			check(t, task, columns[0], table, 0)
		})
	}
	if len(e.Resident()) != 1 {
		t.Errorf("%v are in the cache", e.Resident())
	}
}
