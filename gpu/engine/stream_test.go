//go:build sim || cuda

package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/sql/sqlerr"
)

// streamColumns are the columns of the tests, of which the second has validity bits.
var streamColumns = []engine.StreamColumn{{Width: 4}, {Width: 1, Nullable: true}, {Width: 8}}

// streamed holds the columns on the host, and columns of the same form on the device.
type streamed struct {
	values, valid [][]byte
	onDevice      [2][]gpu.Ptr
}

func newStreamed(t *testing.T, task *engine.Task, rows int64) *streamed {
	r := rand.New(rand.NewPCG(uint64(rows), 1))
	s := &streamed{}
	for _, c := range streamColumns {
		b := make([]byte, rows*int64(c.Width))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		bits := make([]byte, (rows+7)/8)
		for i := range bits {
			bits[i] = byte(r.Uint32())
		}
		s.values, s.valid = append(s.values, b), append(s.valid, bits)
		s.onDevice[0] = append(s.onDevice[0], enginetest.Upload(t, task, make([]byte, len(b)+1)))
		s.onDevice[1] = append(s.onDevice[1], enginetest.Upload(t, task, make([]byte, len(bits)+1)))
	}
	return s
}

// run streams all rows with several goroutines. The kernels are copies from the blocks to columns of the device.
func (x *streamed) run(task *engine.Task, s *engine.Stream, rows int64, fail int64) error {
	var next, blocks atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				first := next.Add(s.Rows) - s.Rows
				if first >= rows {
					return
				}
				b, err := s.Block()
				if err != nil {
					errs[w] = err
					return
				}
				n := min(s.Rows, rows-first)
				for i, c := range streamColumns {
					copy(b.Values[i], x.values[i][first*int64(c.Width):])
					copy(b.Valid[i], x.valid[i][first/8:])
				}
				errs[w] = s.Run(b, first, n, func(values, valid []gpu.Ptr) error {
					if blocks.Add(1) == fail {
						return errStream
					}
					for i, c := range streamColumns {
						at := gpu.Ptr(first * int64(c.Width))
						err := task.Device.CopyDevice(x.onDevice[0][i]+at, values[i]+at, n*int64(c.Width), task.Compute)
						if at := gpu.Ptr(first / 8); err == nil && c.Nullable {
							err = task.Device.CopyDevice(x.onDevice[1][i]+at, valid[i]+at, (n+7)/8, task.Compute)
						}
						if err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

var errStream = errors.New("a launch failed")

// TestStream streams numbers of rows around those of a block, with much memory and with little.
func TestStream(t *testing.T) {
	for _, little := range []int64{0, 3 * 2048 * 14, 5 * 2048 * 14 * 3} {
		for _, rows := range []int64{1, 2047, 2048, 2049, 50_001} {
			task := enginetest.Begin(t, enginetest.New(t, 16<<20))
			x := newStreamed(t, task, rows)
			mark := task.Mark()
			if little > 0 {
				if _, err := task.Alloc(task.Free() - little); err != nil {
					t.Fatal(err)
				}
			}
			free := task.Free()
			s, err := task.NewStream(streamColumns, rows)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(x.run(task, s, rows, 0), s.Close(), task.Sync()); err != nil {
				t.Fatal(err)
			}
			for i, c := range streamColumns {
				if got := enginetest.Download[byte](t, task, x.onDevice[0][i], rows*int64(c.Width)); !slices.Equal(got, x.values[i]) {
					t.Fatalf("%d rows, %d bytes: column %d differs", rows, little, i)
				}
				if got := enginetest.Download[byte](t, task, x.onDevice[1][i], (rows+7)/8); c.Nullable && !slices.Equal(got, x.valid[i]) {
					t.Fatalf("%d rows, %d bytes: the bits of column %d differ", rows, little, i)
				}
			}
			bytes, blocks := task.Streamed()
			if want := int((rows + s.Rows - 1) / s.Rows); blocks != want || bytes < rows*13 || task.Free() != free {
				t.Errorf("%d rows: %d bytes in %d blocks, want %d; %d bytes are not free", rows, bytes, blocks, want, free-task.Free())
			}
			if err := task.Release(mark); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStreamFails lets a launch fail, and a stream without memory.
func TestStreamFails(t *testing.T) {
	const rows = 200_000
	task := enginetest.Begin(t, enginetest.New(t, 16<<20))
	x := newStreamed(t, task, rows)
	for fail := int64(1); fail < 4; fail++ {
		mark, free := task.Mark(), task.Free()
		if _, err := task.Alloc(task.Free() - 600<<10); err != nil {
			t.Fatal(err)
		}
		s, err := task.NewStream(streamColumns, rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.run(task, s, rows, fail); !errors.Is(err, errStream) {
			t.Errorf("error %v, want that of launch %d", err, fail)
		}
		if err := errors.Join(s.Close(), task.Release(mark)); err != nil || task.Free() != free {
			t.Errorf("%v; %d bytes are not free", err, free-task.Free())
		}
	}
	if _, err := task.Alloc(task.Free() - 2048*14); err != nil {
		t.Fatal(err)
	}
	free := task.Free()
	if _, err := task.NewStream(streamColumns, rows); !errors.Is(err, sqlerr.OutOfMemory) || task.Free() != free {
		t.Errorf("error %v, want 1037; %d bytes are not free", err, free-task.Free())
	}
}
