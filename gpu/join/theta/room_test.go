//go:build sim || cuda

package theta_test

import (
	"context"
	"errors"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
	"gsql/gpu/join/theta"
	"gsql/sql/sqlerr"
)

// band is a join that has NULLs on both sides and needs all of the algorithm.
func band(left, right int) *query {
	low, x := makeColumn(column.I64, "zipf", left, 9, 1), makeColumn(column.I64, "zipf", right, 7, 2)
	return &query{left: left, right: right, conditions: []condition{{join.LE, low, x}, {join.NE, makeColumn(column.F64, "few", left, 0, 3), makeColumn(column.F64, "few", right, 5, 4)}}}
}

// TestLittleMemory gives the join less and less memory: it cuts strips, then fails with error 1037,
// and leaks nothing.
func TestLittleMemory(t *testing.T) {
	e := enginetest.New(t, arena)
	q := band(2600, 2300)
	pairs := int64(len(q.pairs()))
	var pieces []int
	worked, failed := 0, 0
	for _, left := range []int64{1 << 20, 240 << 10, 200 << 10, 190 << 10, 120 << 10, 40 << 10, 9 << 10, 0} {
		inTask(t, e, func(task *engine.Task) {
			in, out := q.input(t, task), newCounting(t, task)
			if _, err := task.Alloc(task.Free() - left); err != nil {
				t.Fatal(err)
			}
			err := theta.Pairs(task, in, out, theta.Options{})
			switch {
			case err == nil && out.pairs == pairs:
				worked++
				pieces = append(pieces, out.pieces)
			case errors.Is(err, sqlerr.OutOfMemory):
				failed++
			default:
				t.Errorf("with %d bytes: %d pairs, want %d, error %v", left, out.pairs, pairs, err)
			}
			if task.Free() != left {
				t.Errorf("with %d bytes: %d are left", left, task.Free())
			}
		})
	}
	if worked < 4 || failed < 2 || pieces[0] == pieces[len(pieces)-1] {
		t.Errorf("%d sizes worked in pieces %v, %d failed", worked, pieces, failed)
	}
}

// counting counts what it is given in pieces that hold all.
type counting struct {
	*engine.DevicePairs
	pairs  int64
	pieces int
}

func newCounting(t *testing.T, task *engine.Task) *counting {
	t.Helper()
	d, err := task.NewDevicePairs(1 << 17)
	if err != nil {
		t.Fatal(err)
	}
	return &counting{DevicePairs: d}
}

func (c *counting) Emit(n int64) error {
	c.pairs += n
	c.pieces++
	return nil
}

// TestBytesSuffice joins in just as much memory as Bytes says: in one strip, which shows in
// the number of pieces.
func TestBytesSuffice(t *testing.T) {
	e := enginetest.New(t, arena)
	for _, q := range []*query{band(3000, 2500), band(700, 2900)} {
		inTask(t, e, func(task *engine.Task) {
			in, out := q.input(t, task), newCounting(t, task)
			aggs := []join.Agg{{Func: join.CountRows}, {Func: join.Min, Left: true, Column: in.Conditions[0].Left}, {Func: join.Sum, Column: in.Conditions[0].Right}}
			m, free := task.Mark(), task.Free()
			if _, err := task.Alloc(free - theta.Bytes(in, nil, theta.Options{})); err != nil {
				t.Fatal(err)
			}
			if err := theta.Pairs(task, in, out, theta.Options{}); err != nil || out.pieces > 1+int(out.pairs/out.Capacity) {
				t.Errorf("%d pieces, %v", out.pieces, err)
			}
			if err := task.Release(m); err != nil {
				t.Fatal(err)
			}
			if _, err := task.Alloc(free - theta.Bytes(in, aggs, theta.Options{})); err != nil {
				t.Fatal(err)
			}
			if _, err := theta.Aggregate(task, in, aggs, theta.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// countdown is a context that is cancelled when it has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelled cancels after every number of questions that a whole join asks.
func TestCancelled(t *testing.T) {
	e := enginetest.New(t, arena)
	q := band(300, 200)
	opt := theta.Options{PairsPerLaunch: 5000}
	want := q.pairs()
	for n, done := 0, false; !done; n += 3 {
		inTask(t, e, func(task *engine.Task) {
			in, out := q.input(t, task), newCounting(t, task)
			aggs := []join.Agg{{Func: join.CountRows}}
			free, outer := task.Free(), task.Ctx
			task.Ctx = &countdown{context.Background(), n}
			err := theta.Pairs(task, in, out, opt)
			if err == nil {
				_, err = theta.Aggregate(task, in, aggs, opt)
			}
			task.Ctx = outer
			done = err == nil
			if !done && !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled after %d questions: %v", n, err)
			}
			if done && out.pairs != int64(len(want)) {
				t.Errorf("%d pairs, want %d", out.pairs, len(want))
			}
			if task.Free() != free {
				t.Errorf("cancelled after %d questions: %d bytes were left allocated", n, free-task.Free())
			}
		})
	}
}

// failing is an output that fails with its third piece.
type failing struct {
	*jointest.Output
	pieces int
}

var errFull = errors.New("full")

func (f *failing) Piece() (left, right gpu.Ptr, capacity int64, err error) {
	if f.pieces++; f.pieces == 3 {
		return 0, 0, 0, errFull
	}
	return f.Output.Piece()
}

func TestOutputFails(t *testing.T) {
	e := enginetest.New(t, arena)
	inTask(t, e, func(task *engine.Task) {
		out := &failing{Output: jointest.NewOutput(t, task, 100)}
		in, free := band(100, 100).input(t, task), int64(0)
		free = task.Free()
		if err := theta.Pairs(task, in, out, theta.Options{}); !errors.Is(err, errFull) || task.Free() != free {
			t.Errorf("error %v, %d bytes were left allocated", err, free-task.Free())
		}
	})
}
