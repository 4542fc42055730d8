//go:build sim || cuda

package engine_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// bigint is a column of n random values below limit; rows of which null is true are NULL.
func bigint(n int, limit int64, null func(row int) bool) *vec.Vector {
	r := rand.New(rand.NewPCG(uint64(n), uint64(limit)))
	v := vec.NewFlat(types.T(types.Int64), n)
	for i := range v.I64 {
		v.I64[i] = r.Int64N(2*limit) - limit
		if null(i) {
			v.SetNull(i)
		}
	}
	return v
}

func never(int) bool { return false }

// checkColumn reads the column back and compares it with the rows of the vectors.
func checkColumn(t *testing.T, task *engine.Task, c column.Column, parts ...*vec.Vector) {
	t.Helper()
	var values []int64
	if c.Kind == column.I32 {
		for _, x := range enginetest.Download[int32](t, task, c.Values, c.Rows) {
			values = append(values, int64(x))
		}
	} else {
		values = enginetest.Download[int64](t, task, c.Values, c.Rows)
	}
	valid := slices.Repeat([]uint8{1}, len(values))
	if c.Valid != 0 {
		valid = enginetest.Download[uint8](t, task, c.Valid, c.Rows)
	}
	row, bounds, nulls := 0, column.None, false
	for _, v := range parts {
		for i := range v.N {
			b, s := v.Slot(i)
			isNull := v.IsNull(i)
			if (valid[row] == 0) != isNull || valid[row] > 1 {
				t.Fatalf("row %d: valid is %d, NULL %v", row, valid[row], isNull)
			}
			if !isNull && values[row] != b.I64[s] {
				t.Fatalf("row %d is %d, want %d", row, values[row], b.I64[s])
			}
			if !isNull {
				bounds = bounds.With(column.Bounds{Min: b.I64[s], Max: b.I64[s]})
			}
			nulls = nulls || isNull
			row++
		}
	}
	if int64(row) != c.Rows {
		t.Errorf("%d rows, want %d", c.Rows, row)
	}
	if !bounds.Empty() && (!c.Bounded || c.Min != bounds.Min || c.Max != bounds.Max) {
		t.Errorf("bounds %v %d %d, want %+v", c.Bounded, c.Min, c.Max, bounds)
	}
	if nulls != (c.Valid != 0) {
		t.Errorf("valid at %#x though there are NULLs: %v", c.Valid, nulls)
	}
}

// chunkRows is more rows of 4 bytes than a staging buffer holds.
const chunkRows = 16<<20/5 + 100

func TestUpload(t *testing.T) {
	e := enginetest.New(t, 200<<20)
	wide := bigint(1000, 1<<40, func(i int) bool { return i%7 == 0 })
	view := &vec.Vector{Type: wide.Type, Form: vec.View, N: 3000, Base: wide, Idx: make([]int32, 3000)}
	r := rand.New(rand.NewPCG(1, 0))
	for i := range view.Idx {
		view.Idx[i] = int32(r.IntN(1001)) - 1
	}
	tests := []struct {
		name  string
		kind  column.Kind
		parts []*vec.Vector
	}{
		{"nothing", column.I64, nil},
		{"no rows", column.I32, []*vec.Vector{bigint(0, 1, never)}},
		{"one row", column.I32, []*vec.Vector{bigint(1, 9, never)}},
		{"one NULL", column.I64, []*vec.Vector{vec.NewNull(types.T(types.Int64), 1)}},
		{"parts of 64-bit values and NULLs", column.I64, []*vec.Vector{bigint(77, 1<<50, never), wide, view, bigint(1, 5, never)}},
		{"several chunks", column.I32, []*vec.Vector{bigint(2*chunkRows, 1<<31-1, never)}},
		{"NULL in the second chunk", column.I32, []*vec.Vector{bigint(2*chunkRows, 1<<31-1, func(i int) bool { return i == chunkRows+5 })}},
		{"NULL in the first chunk", column.I32, []*vec.Vector{bigint(10, 9, never), bigint(chunkRows, 1<<20, func(i int) bool { return i == 70_000 })}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			task := enginetest.Begin(t, e)
			c, err := task.Upload(column.Format{Kind: test.kind}, test.parts...)
			if err != nil {
				t.Fatal(err)
			}
			checkColumn(t, task, c, test.parts...)
		})
	}
}

func TestUploadThatDoesNotFitTheFormat(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 64<<20))
	v := bigint(100_000, 1000, never)
	v.I64[99_999] = math.MaxInt32 + 1
	for range 6 { // more often than there are staging buffers
		mark := task.Mark()
		if _, err := task.Upload(column.Format{Kind: column.I32}, v); !errors.Is(err, column.ErrRange) {
			t.Fatalf("error %v, want ErrRange", err)
		}
		if err := task.Release(mark); err != nil {
			t.Fatal(err)
		}
	}
	c, err := task.Upload(column.Format{Kind: column.I64}, v)
	if err != nil {
		t.Fatal(err)
	}
	checkColumn(t, task, c, v)
}

// TestUploadWaitsForWhoUsedTheMemory: kernels that were queued before an earlier
// allocation was given back read it as it was.
func TestUploadWaitsForWhoUsedTheMemory(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 128<<20))
	out, err := task.Alloc(4 << 10)
	if err != nil {
		t.Fatal(err)
	}
	mark := task.Mark()
	old := bigint(1<<10, 100, never)
	c, err := task.Upload(column.Format{Kind: column.I32}, old)
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Device.CopyDevice(out, c.Values, 4<<10, task.Compute); err != nil {
		t.Fatal(err)
	}
	if err := task.Release(mark); err != nil {
		t.Fatal(err)
	}
	// So many rows that the first staging buffer is used again, whose copy is awaited.
	again, err := task.Upload(column.Format{Kind: column.I64}, vec.NewFlat(old.Type, 10<<20))
	if err != nil || again.Values != c.Values {
		t.Fatalf("memory at %#x, want that at %#x again: %v", again.Values, c.Values, err)
	}
	c.Values = out
	checkColumn(t, task, c, old)
}

// TestUploadOutOfMemory checks that, wherever memory runs out, the error is 1037 and the engine
// remains usable.
func TestUploadOutOfMemory(t *testing.T) {
	v := bigint(1000, 1<<40, func(i int) bool { return i == 999 })
	for limit := int64(1000); limit <= 10_000; limit += 500 {
		e := enginetest.New(t, limit)
		task := enginetest.Begin(t, e)
		c, err := task.Upload(column.Format{Kind: column.I64}, v)
		if enough := limit >= 8192+1000; (err == nil) != enough {
			t.Fatalf("limit %d: error %v", limit, err)
		}
		if err == nil {
			checkColumn(t, task, c, v)
		} else if !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("limit %d: error %v, want 1037", limit, err)
		}
	}
}

func TestUploadOfMoreRowsThanSaid(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 1<<20))
	l, err := task.NewLoader(column.Format{Kind: column.I64}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(bigint(10, 5, never)); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(bigint(1, 5, never)); !errors.Is(err, sqlerr.InternalError) {
		t.Errorf("error %v, want 1815", err)
	}
}

func TestUploadCancelled(t *testing.T) {
	e := enginetest.New(t, 64<<20)
	ctx, cancel := context.WithCancel(context.Background())
	task, err := e.Begin(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := task.Upload(column.Format{Kind: column.I64}, bigint(10, 5, never)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the cancellation", err)
	}
	if err := task.End(); err != nil {
		t.Error(err)
	}
}

// TestBeginWaits checks that a second task begins when the first ends, and gives up when it is
// cancelled.
func TestBeginWaits(t *testing.T) {
	e := enginetest.New(t, 1<<20)
	first, err := e.Begin(context.Background(), "first")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := e.Begin(ctx, "cancelled")
		failed <- err
	}()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the cancellation", err)
	}
	if _, err := e.Begin(ctx, "cancelled before"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the cancellation", err)
	}
	begun := make(chan *engine.Task)
	go func() {
		second, _ := e.Begin(context.Background(), "second")
		begun <- second
	}()
	select {
	case <-begun:
		t.Error("two tasks at a time")
	default:
	}
	if err := first.End(); err != nil {
		t.Error(err)
	}
	if err := (<-begun).End(); err != nil {
		t.Error(err)
	}
}
