//go:build sim || cuda

package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
)

// placedRows is the number of rows of TestPlacing: more blocks than there are pinned buffers on few cores.
const placedRows = 2_000_003

// fillPlacing lets goroutines take ranges of rows and write them, until one of them fails at row stop.
func fillPlacing(p *engine.Placing, stop int64, failure error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for {
				size := 1 + r.Int64N(30_000)
				from := next.Add(size) - size
				if from >= placedRows {
					return
				}
				if from >= stop {
					cancel(failure)
					return
				}
				if err := writePlaces(ctx, p, from, min(from+size, placedRows)); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// writePlaces writes three times the row's number, and its last byte where it is not NULL.
func writePlaces(ctx context.Context, p *engine.Placing, from, to int64) error {
	for from < to {
		b, err := p.Block(ctx, from)
		if err != nil {
			return err
		}
		n := min(to, b.First+b.Rows) - from
		b.Mu.Lock()
		for row := from; row < from+n; row++ {
			at := row - b.First
			binary.LittleEndian.PutUint64(b.Values[0][8*at:], uint64(3*row))
			if row%5 != 0 {
				b.Values[1][at] = byte(row)
				b.Valid[1][at/8] |= 1 << (at % 8)
			} else {
				b.Values[1][at] = 0
			}
		}
		b.Mu.Unlock()
		if err := p.Written(b, n); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// TestPlacing fills columns in an arbitrary order, and again after a failure that left blocks unfinished.
func TestPlacing(t *testing.T) {
	e := enginetest.New(t, 128<<20)
	task, err := e.Begin(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := task.End(); err != nil {
			t.Error(err)
		}
	}()
	keys := []engine.Key{{Table: "t", Column: 0, Narrow: true}, {Table: "t", Column: 1, Narrow: true}}
	forms := []column.Narrow{{Rows: placedRows, Width: 8}, {Rows: placedRows, Width: 1, Valid: 1}}
	failure := errors.New("no more rows")
	for _, stop := range []int64{placedRows / 3, 0, placedRows} {
		p, err := task.NewPlacing(keys, true, forms)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Close(fillPlacing(p, stop, failure))
		if stop < placedRows {
			if !errors.Is(err, failure) || len(e.Resident()) > 0 {
				t.Fatalf("stopped at %d: error %v, %v in the cache", stop, err, e.Resident())
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		values := enginetest.Download[uint64](t, task, p.Columns[0].Values, placedRows)
		bytes := enginetest.Download[byte](t, task, p.Columns[1].Values, placedRows)
		valid := enginetest.Download[byte](t, task, p.Columns[1].Valid, p.Columns[1].ValidBytes())
		for row := range int64(placedRows) {
			set, b := row%5 != 0, byte(row)
			if !set {
				b = 0
			}
			if values[row] != uint64(3*row) || bytes[row] != b || (valid[row/8]>>(row%8)&1 == 1) != set {
				t.Fatalf("row %d: %d, %d, valid %v", row, values[row], bytes[row], !set)
			}
		}
		if len(e.Resident()) != 2 {
			t.Errorf("%v in the cache", e.Resident())
		}
	}
	p, err := task.NewPlacing(keys[:1], false, forms[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(nil); err == nil {
		t.Error("rows are missing, and Close reports no error")
	}
}
