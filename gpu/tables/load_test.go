//go:build sim || cuda

package tables_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/tables"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage"
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

// TestLoadStored loads a table of several segments with deleted rows, and dictionaries of its own.
func TestLoadStored(t *testing.T) {
	store := storage.NewStore(nil)
	schema := &catalog.Schema{}
	for _, typ := range []types.Type{types.T(types.Int32), types.T(types.String), types.T(types.String), types.Dec(9, 2), types.T(types.Bool)} {
		schema.Columns = append(schema.Columns, catalog.Column{Name: string('a' + rune(len(schema.Columns))), Type: typ})
	}
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tx := store.Begin()
	fatal(tx.DDL().CreateTable("", "t", schema))
	fatal(tx.Commit())
	r := rand.New(rand.NewPCG(7, 8))
	for part := range 3 {
		const rows = 150_000
		cols := make([]*vec.Vector, len(schema.Columns))
		for i, c := range schema.Columns {
			cols[i] = vec.NewFlat(c.Type, rows)
		}
		for k := range rows {
			cols[0].I64[k] = int64(k/1000 - 9)
			cols[1].Str[k] = fmt.Sprint("part ", part, " ", r.IntN(20))
			cols[2].Str[k] = fmt.Sprint("text ", r.IntN(30_000))
			cols[3].Dec[k] = decimal128.FromI64(r.Int64N(1 << (7 + 9*part)))
			cols[4].I64[k] = r.Int64N(2)
			if part == 1 && k%7 == 0 {
				cols[1].SetNull(k)
				cols[3].SetNull(k)
			}
		}
		tx := store.Begin()
		o, err := tx.Table(context.Background(), "", "t")
		fatal(err)
		fatal(tx.Insert(context.Background(), o.Table, [][]*vec.Vector{cols}))
		fatal(tx.Commit())
	}
	o, err := store.Begin().Table(context.Background(), "", "t")
	fatal(err)
	ordinals := []int{4, 3, 2, 1, 0}
	want := read(t, o.Table, ordinals)
	during(t, enginetest.New(t, 64<<20), func(task *engine.Task) {
		columns, _, err := tables.Load(query(context.Background(), 0), task, o.Table, ordinals, true)
		fatal(err)
		for i := range ordinals {
			check(t, task, columns[i], want, i)
		}
	})
}

// TestLoadPlaced loads columns whose form is known in little memory of the query: several blocks of a table with
// deleted rows, NULLs, and rows that are in no segment yet.
func TestLoadPlaced(t *testing.T) {
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store := storage.NewStore(nil)
	schema := &catalog.Schema{}
	for _, typ := range []types.Type{types.T(types.Int64), types.T(types.Uint32), types.T(types.Float64), types.Dec(12, 3)} {
		schema.Columns = append(schema.Columns, catalog.Column{Name: string('a' + rune(len(schema.Columns))), Type: typ})
	}
	r := rand.New(rand.NewPCG(11, 12))
	tx := store.Begin()
	fatal(tx.DDL().CreateTable("", "t", schema))
	for _, rows := range []int{400_000, 77, 130_001, 5000} {
		var cols []*vec.Vector
		for _, c := range schema.Columns {
			cols = append(cols, random(r, c.Type, rows, 5))
		}
		o, err := tx.Table(t.Context(), "", "t")
		fatal(err)
		fatal(tx.Insert(t.Context(), o.Table, [][]*vec.Vector{cols}))
		fatal(tx.Commit())
		tx = store.Begin()
	}
	o, err := tx.Table(t.Context(), "", "t")
	fatal(err)
	ids := read(t, o.Table, []int{catalog.RowID})
	var gone []int64
	for _, b := range ids.batches {
		for i, id := range b.Cols[0].I64 {
			if b.Morsel == 9 || r.IntN(100) == 0 && i > b.N/2 {
				gone = append(gone, id)
			}
		}
	}
	_, err = tx.Delete(t.Context(), o.Table, gone)
	fatal(err)
	o, err = tx.Table(t.Context(), "", "t")
	fatal(err)
	ordinals := []int{0, 1, 2, 3}
	want := read(t, o.Table, ordinals)
	during(t, enginetest.New(t, 64<<20), func(task *engine.Task) {
		columns, _, err := tables.Load(query(t.Context(), 64<<10), task, o.Table, ordinals, false)
		fatal(err)
		for i := range ordinals {
			check(t, task, columns[i], want, i)
		}
	})
}

// read returns columns of a table as one reader returns them, as batches of copies.
func read(t *testing.T, from catalog.Table, ordinals []int) *table {
	t.Helper()
	s, err := from.Scan(context.Background(), catalog.ScanSpec{Columns: ordinals})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	var all []*vec.Batch
	for {
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return newTable(1, all...)
		}
		copied := &vec.Batch{N: b.N, Morsel: b.Morsel}
		for _, v := range b.Cols {
			out := vec.NewFlat(v.Type, b.N)
			for i := range b.N {
				if d := catalog.DatumAt(v, i); d.Null {
					out.SetNull(i)
				} else {
					d.Put(out, i)
				}
			}
			copied.Cols = append(copied.Cols, out)
		}
		all = append(all, copied)
	}
}

// TestLoadLarge loads columns that take several pinned buffers.
func TestLoadLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	v := vec.NewFlat(types.T(types.Int64), 2_200_003)
	for i := range v.I64 {
		if v.I64[i] = int64(r.Uint64()); i%1001 == 0 {
			v.SetNull(i)
		}
	}
	var all []*vec.Batch
	for from := 0; from < v.N; from += 99_999 {
		to := min(from+99_999, v.N)
		all = append(all, &vec.Batch{N: to - from, Cols: []*vec.Vector{v.Slice(from, to)}})
	}
	table := newTable(1, all...)
	during(t, enginetest.New(t, 64<<20), func(task *engine.Task) {
		columns, uploaded, err := tables.Load(query(context.Background(), 0), task, table, []int{0}, true)
		if err != nil || uploaded < 8*int64(v.N) {
			t.Fatal(uploaded, err)
		}
		check(t, task, columns[0], table, 0)
	})
}

// TestLoadRefused: neither the query's memory nor the device's is exceeded, values that are too wide
// have a reason, and nothing stays behind.
func TestLoadRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	plain := newTable(1, batches(r, 3000, 40_000)...)
	wide := vec.NewFlat(types.T(types.Uint64), 1)
	wide.I64[0] = -1
	own := errors.New("unreadable")
	broken := newTable(3, batches(r, 100, 100, 100)...)
	broken.fail = own
	for name, test := range map[string]struct {
		table  *table
		memory int64 // of the query
		arena  int64
		want   error
	}{
		"query's memory":  {plain, 10 << 10, 64 << 20, sqlerr.OutOfMemory},
		"device's memory": {plain, 0, 200 << 10, sqlerr.OutOfMemory},
		"values":          {newTable(2, &vec.Batch{N: 1, Cols: []*vec.Vector{wide}}), 0, 64 << 20, column.Refusal("unsigned values beyond the range of BIGINT")},
		"broken table":    {broken, 0, 64 << 20, own},
	} {
		e := enginetest.New(t, test.arena)
		during(t, e, func(task *engine.Task) {
			ordinals := []int{0, 5, 2}[:min(3, len(test.table.schema.Columns))]
			ctx := query(context.Background(), test.memory)
			if _, _, err := tables.Load(ctx, task, test.table, ordinals, true); !errors.Is(err, test.want) {
				t.Errorf("%s: error %v", name, err)
			}
			if ctx.Mem.Used() != 0 {
				t.Errorf("%s: %d bytes are still charged", name, ctx.Mem.Used())
			}
		})
		for _, resident := range e.Resident() {
			if name != "device's memory" {
				t.Errorf("%s: %+v is cached", name, resident)
			}
		}
	}
}

// TestLoadWithLittleMemory: where not all columns fit in the query's memory at once, they are read one
// after the other.
func TestLoadWithLittleMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	v := vec.NewFlat(types.T(types.Int64), 100_000)
	for i := range v.I64 {
		v.I64[i] = int64(r.Uint64())
	}
	plain := newTable(1, &vec.Batch{N: v.N, Cols: []*vec.Vector{v, v, v}})
	during(t, enginetest.New(t, 64<<20), func(task *engine.Task) {
		ctx := query(context.Background(), 8*100_000+500<<10)
		columns, _, err := tables.Load(ctx, task, plain, []int{2, 0, 1}, true)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range []int{2, 0, 1} {
			check(t, task, columns[i], plain, o)
		}
		if plain.scans < 3 {
			t.Errorf("%d scans", plain.scans)
		}
	})
}

// TestLoadCancelled cancels the query at each batch.
func TestLoadCancelled(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	table := newTable(1, batches(rand.New(rand.NewPCG(13, 14)), 100, 200, 300)...)
	for at := range int64(3) {
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int64
		table.block = func() {
			if calls.Add(1) > at {
				cancel()
			}
		}
		during(t, e, func(task *engine.Task) {
			q := query(ctx, 0)
			if _, _, err := tables.Load(q, task, table, []int{0, 6}, true); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at batch %d: %v", at, err)
			}
			if q.Mem.Used() != 0 || len(e.Resident()) != 0 {
				t.Errorf("%d bytes are charged, %v cached", q.Mem.Used(), e.Resident())
			}
		})
		cancel()
	}
}

// TestEviction: tables that do not fit together take turns; what is loaded is right each time.
func TestEviction(t *testing.T) {
	e := enginetest.New(t, 400<<10)
	r := rand.New(rand.NewPCG(15, 16))
	var all []*table
	for i := range 6 {
		all = append(all, newTable(uint64(i+1), batches(r, 5000+100*i)...))
	}
	uploads := 0
	for _, i := range []int{0, 1, 0, 2, 3, 4, 5, 0} {
		during(t, e, func(task *engine.Task) {
			columns, uploaded, err := tables.Load(query(context.Background(), 0), task, all[i], []int{2, 6}, true)
			if err != nil {
				t.Fatal(err)
			}
			if uploaded > 0 {
				uploads++
			}
			check(t, task, columns[0], all[i], 2)
			check(t, task, columns[1], all[i], 6)
		})
	}
	if uploads != 7 {
		t.Errorf("%d uploads of 8 uses, want all but the second of table 0 at once", uploads)
	}
	lines := strings.Join(e.Describe(), "\n")
	if !strings.Contains(lines, "column c as codes of ") || !strings.Contains(lines, "column c as 8 bytes") {
		t.Errorf("%s", lines)
	}
}

// TestLoadBesidesTheCache: columns that this task uses stay, further ones are in memory of the task.
func TestLoadBesidesTheCache(t *testing.T) {
	e := enginetest.New(t, 300<<10)
	table := newTable(1, batches(rand.New(rand.NewPCG(17, 18)), 8000)...)
	during(t, e, func(task *engine.Task) {
		columns, _, err := tables.Load(query(context.Background(), 0), task, table, []int{2, 3, 5, 0, 1}, true)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range []int{2, 3, 5, 0, 1} {
			check(t, task, columns[i], table, o)
		}
	})
}
