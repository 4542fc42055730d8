//go:build sim || cuda

package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/sql/sqlerr"
)

// emitPieces is a join whose pair i is (i, -i), in pieces of the given sizes.
func emitPieces(task *engine.Task, out join.Output, sizes ...int64) error {
	next := int64(0)
	for _, n := range sizes {
		left, right, capacity, err := out.Piece()
		if err != nil {
			return err
		}
		if n = min(n, capacity); n > 0 {
			l, r := make([]byte, 4*n), make([]byte, 4*n)
			for i := range n {
				binary.LittleEndian.PutUint32(l[4*i:], uint32(next+i))
				binary.LittleEndian.PutUint32(r[4*i:], uint32(-next-i))
			}
			if err := errors.Join(task.Device.CopyToDevice(left, l, task.Compute), task.Device.CopyToDevice(right, r, task.Compute)); err != nil {
				return err
			}
		}
		next += n
		if err := out.Emit(n); err != nil {
			return err
		}
	}
	return nil
}

// count takes all pairs and checks that they are those of emitPieces, in order.
func count(t *testing.T, p *engine.Pairs) int64 {
	t.Helper()
	next := int64(0)
	for {
		left, right, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return next
		}
		for i := range left {
			if left[i] != int32(next) || right[i] != int32(-next) {
				t.Fatalf("pair %d is (%d, %d)", next, left[i], right[i])
			}
			next++
		}
	}
}

// settled fails the test where more goroutines run than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for range 12_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestPairs(t *testing.T) {
	e := enginetest.New(t, 96<<20)
	before := runtime.NumGoroutine()
	for name, sizes := range map[string][]int64{
		"none": nil, "empty pieces": {0, 0}, "one": {1}, "several": {5, 0, 1000, 31, 0, 1},
		"more than a staging buffer": {2<<20 + 3, 2 << 20, 17}, "many": {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			task := enginetest.Begin(t, e)
			free := task.Free()
			p, err := task.Pairs(0, func(out *engine.Pairs) error { return emitPieces(task, out, sizes...) })
			if err != nil {
				t.Fatal(err)
			}
			want := int64(0)
			for _, n := range sizes {
				want += n
			}
			if got := count(t, p); got != want {
				t.Errorf("%d pairs, want %d", got, want)
			}
			if left, _, err := p.Next(); left != nil || err != nil {
				t.Errorf("after the end: %d pairs, error %v", len(left), err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if task.Free() != free {
				t.Errorf("%d bytes free, %d before", task.Free(), free)
			}
		})
	}
	settled(t, before)
}

// endless joins until it gets an error, which it must.
func endless(task *engine.Task, out join.Output) error {
	for {
		if err := emitPieces(task, out, 1000); err != nil {
			return err
		}
	}
}

func TestPairsClosedEarly(t *testing.T) {
	e := enginetest.New(t, 8<<20)
	before := runtime.NumGoroutine()
	for taken := range 8 {
		task, err := e.Begin(context.Background(), "test")
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Pairs(0, func(out *engine.Pairs) error { return endless(task, out) })
		if err != nil {
			t.Fatal(err)
		}
		for range taken {
			if _, _, err := p.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Errorf("after %d parts: %v", taken, err)
		}
		if task.Err() != nil {
			t.Error("closing the pairs cancelled the task")
		}
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}
	settled(t, before)
}

// TestPairsWaitForTheConsumer: a join runs ahead by the pieces and buffers there are, no more.
func TestPairsWaitForTheConsumer(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 8<<20))
	emitted := make(chan int, 1000)
	p, err := task.Pairs(0, func(out *engine.Pairs) error {
		for i := range 100 {
			if err := emitPieces(task, out, 10); err != nil {
				return err
			}
			emitted <- i
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	if n := len(emitted); n > 8 {
		t.Errorf("%d pieces emitted, none taken", n)
	}
	for parts := range 101 {
		left, _, err := p.Next()
		if err != nil || (len(left) == 0) != (parts == 100) {
			t.Fatalf("part %d: %d pairs, %v", parts, len(left), err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPairsCancelled(t *testing.T) {
	e := enginetest.New(t, 8<<20)
	before := runtime.NumGoroutine()
	for taken := range 6 {
		ctx, cancel := context.WithCancel(context.Background())
		task, err := e.Begin(ctx, "test")
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.Pairs(0, func(out *engine.Pairs) error { return endless(task, out) })
		if err != nil {
			t.Fatal(err)
		}
		for range taken {
			if _, _, err := p.Next(); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		for err == nil { // what was on its way still comes
			var left []int32
			if left, _, err = p.Next(); err == nil && len(left) == 0 {
				t.Fatal("the pairs end without an error")
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the cancellation", err)
		}
		if err := p.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("Close gives %v, want the cancellation", err)
		}
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}
	settled(t, before)
}

// TestPairsOfAJoinThatFails lets a join fail by its own error and by work on its streams. No pairs
// may follow the failure.
func TestPairsOfAJoinThatFails(t *testing.T) {
	e := enginetest.New(t, 8<<20)
	own := errors.New("the join's own error")
	tests := map[string]struct {
		run  func(task *engine.Task, out join.Output) error
		want func(error) bool
	}{
		"own error": {
			func(task *engine.Task, out join.Output) error { return errors.Join(emitPieces(task, out, 10, 10), own) },
			func(err error) bool { return errors.Is(err, own) },
		},
		"stream": {
			func(task *engine.Task, out join.Output) error {
				if err := task.Device.Launch("gsql_no_such_kernel", gpu.Launch{Stream: task.Compute}); err != nil {
					return err
				}
				return emitPieces(task, out, 10)
			},
			func(err error) bool { return errors.Is(err, sqlerr.UnknownError) },
		},
		"more memory than there is": {
			func(task *engine.Task, out join.Output) error { _, err := task.Alloc(1 << 30); return err },
			func(err error) bool { return errors.Is(err, sqlerr.OutOfMemory) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			task := enginetest.Begin(t, e)
			p, err := task.Pairs(0, func(out *engine.Pairs) error { return test.run(task, out) })
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				var left []int32
				left, _, err = p.Next()
				if name == "stream" && len(left) > 0 {
					t.Fatal("pairs that nothing has written")
				}
				if err == nil && len(left) == 0 {
					t.Fatal("the pairs end without an error")
				}
			}
			if !test.want(err) {
				t.Errorf("Next gives %v", err)
			}
			if err := p.Close(); !test.want(err) {
				t.Errorf("Close gives %v", err)
			}
		})
	}
}

// TestPairsOutOfMemory: too little for the pieces is 1037, and nothing stays taken.
func TestPairsOutOfMemory(t *testing.T) {
	for limit := int64(1 << 10); limit <= 20<<10; limit += 1 << 10 {
		task := enginetest.Begin(t, enginetest.New(t, limit))
		p, err := task.Pairs(0, func(out *engine.Pairs) error { return emitPieces(task, out, 700, 700, 700) })
		if enough := limit >= 16<<10; (err == nil) != enough {
			t.Fatalf("limit %d: error %v", limit, err)
		}
		if err != nil {
			if !errors.Is(err, sqlerr.OutOfMemory) || task.Free() != limit {
				t.Errorf("limit %d: error %v, %d bytes free", limit, err, task.Free())
			}
			continue
		}
		if n := count(t, p); n != 2100 {
			t.Errorf("limit %d: %d pairs", limit, n)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDevicePairs(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, 1<<20))
	out, err := task.NewDevicePairs(100)
	if err != nil {
		t.Fatal(err)
	}
	if err := emitPieces(task, out, 30, 0, 60, 20); err != nil {
		t.Fatal(err)
	}
	left := enginetest.Download[int32](t, task, out.Left, out.Rows)
	right := enginetest.Download[int32](t, task, out.Right, out.Rows)
	if len(left) != 100 {
		t.Errorf("%d pairs, want the 100 there is room for", len(left))
	}
	for i := range left {
		if left[i] != int32(i) || right[i] != int32(-i) {
			t.Fatalf("pair %d is (%d, %d)", i, left[i], right[i])
		}
	}
	if _, _, _, err := out.Piece(); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("error %v, want 1037", err)
	}
}
