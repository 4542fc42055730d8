//go:build sim || cuda

package engine_test

import (
	"fmt"
	"testing"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/kernels"
)

// benchRows is how many rows cross the link.
func benchRows() int {
	if enginetest.Simulated {
		return 1 << 16
	}
	return 1 << 27
}

// BenchmarkUpload counts the bytes that cross the link.
func BenchmarkUpload(b *testing.B) {
	e := enginetest.New(b, int64(benchRows())*10+1<<20)
	task := enginetest.Begin(b, e)
	for _, c := range []struct {
		name  string
		f     column.Format
		every int // rows to a NULL
	}{{"i32", column.Format{Kind: column.I32}, 0}, {"i64", column.Format{Kind: column.I64}, 0}, {"i32 with NULLs", column.Format{Kind: column.I32}, 10}} {
		v := bigint(benchRows(), 1<<31-1, func(i int) bool { return c.every > 0 && i%c.every == 0 })
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				mark := task.Mark()
				got, err := task.Upload(c.f, v)
				if err == nil {
					err = task.Sync()
				}
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(got.Bytes())
				if err := task.Release(mark); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPairs counts the bytes that cross the link; the consumer only takes them.
func BenchmarkPairs(b *testing.B) {
	e := enginetest.New(b, int64(benchRows())*10+1<<20)
	task := enginetest.Begin(b, e)
	pairs := int64(benchRows())
	b.SetBytes(8 * pairs)
	for b.Loop() {
		p, err := task.Pairs(0, func(out *engine.Pairs) error { return fillPieces(task, out, pairs) })
		for err == nil {
			var left []int32
			if left, _, err = p.Next(); len(left) == 0 {
				break
			}
		}
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func fillPieces(task *engine.Task, out join.Output, pairs int64) error {
	for pairs > 0 {
		left, right, n, err := out.Piece()
		n = min(n, pairs)
		if err == nil {
			err = task.Fill(left, 1, 4*n)
		}
		if err == nil {
			err = task.Fill(right, 2, 4*n)
		}
		if err == nil {
			err = out.Emit(n)
		}
		if err != nil {
			return err
		}
		pairs -= n
	}
	return nil
}

// BenchmarkLaunch is a launch that is awaited, and one whose result is read.
func BenchmarkLaunch(b *testing.B) {
	task := enginetest.Begin(b, enginetest.New(b, 1<<20))
	p, err := task.Alloc(4096)
	if err != nil {
		b.Fatal(err)
	}
	launch := func() error {
		return task.Launch("gsql_hash_keys", "b4", 100, false, uint64(p), uint64(p), 100)
	}
	for name, end := range map[string]func() error{"awaited": task.Sync, "read": func() error { _, err := task.ReadWord(p); return err }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := launch(); err != nil {
					b.Fatal(err)
				}
				if err := end(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad is what a process pays when it first uses a kernel file: compiling, or
// looking up in the driver's cache what an earlier process has compiled.
func BenchmarkLoad(b *testing.B) {
	dev := enginetest.Device(b)
	seen := map[string]bool{}
	for _, family := range kernels.Families {
		for _, file := range family.Files() {
			if seen[file] {
				continue
			}
			seen[file] = true
			text, err := kernels.PTX(file)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(file, func(b *testing.B) {
				for i := range b.N {
					if err := dev.LoadModule(gpu.Module{Name: fmt.Sprintf("%s %d of %d", file, i, b.N), PTX: text}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
