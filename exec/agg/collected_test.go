package agg

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// oneByOne is an input of n texts of size bytes in batches of one row.
type oneByOne struct {
	n, size   int
	collected atomic.Int64 // texts that the garbage collector has found unreachable
}

func (o *oneByOne) Open(*op.Ctx) error         { return nil }
func (o *oneByOne) Ordered() bool              { return true }
func (o *oneByOne) Close() error               { return nil }
func (o *oneByOne) Stream() (op.Stream, error) { return o, nil }

func (o *oneByOne) Next() (*vec.Batch, error) {
	if o.n == 0 {
		return nil, nil
	}
	o.n--
	text := mem.Heap(o.size)
	runtime.AddCleanup(&text[0], func(int) { o.collected.Add(1) }, 0)
	for i := range text {
		text[i] = byte('A' + 3*o.n)
	}
	v := vec.NewFlat(types.T(types.String), 1)
	v.Form, v.Str[0] = vec.Const, unsafe.String(&text[0], o.size)
	return &vec.Batch{N: 1, Cols: []*vec.Vector{v}}, nil
}

// TestGroupedTextsAreCollected groups by huge texts, most of which spill. Once the input is read, only what the groups in
// memory hold is reachable, and while partitions are completed, only one of them in addition, although the reader
// keeps the batch before.
func TestGroupedTextsAreCollected(t *testing.T) {
	const n, size = 6, 4 << 20
	rel := optest.New(1, types.T(types.String))
	in := &oneByOne{n: n, size: size}
	o, err := New(&physical.Node{Op: &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}}, In: []*physical.Node{rel.Node()}}, in)
	if err != nil {
		t.Fatal(err)
	}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 5*size/2), Workers: 1, Spill: spill.NewSpace(t.TempDir(), 0)}
	before := reachable()
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	for try := 0; in.collected.Load() < n-1 && try < 100; try++ { // cleanups run later
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := in.collected.Load(); got < n-1 {
		t.Errorf("%d of %d texts are collected", got, n)
	}
	s, err := o.Stream()
	if err != nil {
		t.Fatal(err)
	}
	var last *vec.Batch
	for rows := 0; ; {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			if rows != n {
				t.Errorf("%d groups, want %d", rows, n)
			}
			break
		}
		rows += b.N
		if grown := reachable() - before; grown > 5*size/2 {
			t.Errorf("%d bytes are reachable after %d groups", grown, rows)
		}
		runtime.KeepAlive(last)
		last = b
	}
	if err := errors.Join(s.Close(), o.Close()); err != nil {
		t.Error(err)
	}
}

// reachable returns the bytes of the heap that are in use.
func reachable() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
