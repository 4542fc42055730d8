package spill

import (
	"errors"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// batch has columns of all kinds, the extremes of each, NULLs, and a view. Columns of narrow
// types hold values that expressions of these types may compute as intermediate results.
func batch() *vec.Batch {
	ints := &vec.Vector{Type: types.T(types.Int8), N: 3, I64: []int64{math.MinInt64, 7, math.MaxInt64}}
	unsigned := &vec.Vector{Type: types.T(types.Uint64), N: 3, I64: []int64{-1, 0, 5}, Null: []bool{false, true, false}}
	floats := &vec.Vector{Type: types.T(types.Float32), N: 3, F64: []float64{0.1, math.Inf(-1), math.Copysign(0, -1)}}
	decimals := &vec.Vector{Type: types.Dec(5, 2), N: 3, Dec: []decimal128.Num{decimal128.MaxDecimal128, decimal128.FromI64(-1), {}}}
	base := &vec.Vector{Type: types.T(types.String), N: 2, Str: []string{"", "a\x00ü"}}
	view := &vec.Vector{Type: base.Type, Form: vec.View, N: 3, Base: base, Idx: []int32{1, -1, 0}}
	return &vec.Batch{N: 3, Cols: []*vec.Vector{ints, unsigned, floats, decimals, view, {Type: types.T(types.Null), N: 3}}}
}

func typesOf(b *vec.Batch) (ts []types.Type) {
	for _, c := range b.Cols {
		ts = append(ts, c.Type)
	}
	return ts
}

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	root := NewSpace(dir, 0)
	space := root.Child()
	b := batch()
	f, err := space.Create(typesOf(b))
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([]Block, 8)
	var all sync.WaitGroup
	for i := range blocks {
		all.Go(func() {
			var err error
			if blocks[i], err = f.Write(b); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r := f.NewReader(nil)
	for _, block := range blocks {
		got, err := r.Read(block)
		if err != nil {
			t.Fatal(err)
		}
		if err := same(got, b); err != nil {
			t.Error(err)
		}
	}
	if space.Written() != root.Used() || root.Used() < 8*blocks[0].Bytes() {
		t.Errorf("%d bytes written, %d are there", space.Written(), root.Used())
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil || root.Used() != 0 {
		t.Errorf("closed: %v, %d bytes are left", err, root.Used())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("in the directory: %v, %v", left, err)
	}
}

// TestFreeLimit checks that a query without a configured limit leaves a tenth of the disk free.
func TestFreeLimit(t *testing.T) {
	root := NewSpace(t.TempDir(), 0)
	f, err := root.Child().Create(typesOf(batch()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, known := freeBytes(root.dir); known && root.limit.Load() == 0 {
		t.Error("there is no limit")
	}
	root.limit.Store(100)
	if _, err := f.Write(batch()); !errors.Is(err, sqlerr.DiskFull) {
		t.Errorf("beyond the limit: %v", err)
	}
}

func TestErrors(t *testing.T) {
	b := batch()
	if _, err := NewSpace("/does/not/exist", 0).Create(typesOf(b)); !errors.Is(err, sqlerr.CantCreateFile) {
		t.Errorf("no directory: %v", err)
	}
	parent := NewSpace(t.TempDir(), 100)
	f, err := parent.Child().Create(typesOf(b))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(b); !errors.Is(err, sqlerr.DiskFull) || parent.Used() != 0 {
		t.Errorf("beyond the limit: %v, %d bytes are counted", err, parent.Used())
	}
	if _, err := f.NewReader(nil).Read(Block{0, 500, 200, 3}); !errors.Is(err, sqlerr.ErrorOnRead) {
		t.Errorf("reading what is not there: %v", err)
	}
	wrong := &vec.Batch{N: 3, Cols: slices.Clone(b.Cols)}
	wrong.Cols[0] = vec.NewNull(types.T(types.Null), 3)
	if _, err := f.Write(wrong); !errors.Is(err, sqlerr.InternalError) {
		t.Errorf("writing a column of another type: %v", err)
	}
	if err := f.f.Close(); err != nil {
		t.Fatal(err)
	}
	f.space = NewSpace(t.TempDir(), 0)
	if _, err := f.Write(b); !errors.Is(err, sqlerr.ErrorOnWrite) {
		t.Errorf("writing to a closed file: %v", err)
	}
}
