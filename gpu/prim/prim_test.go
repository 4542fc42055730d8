//go:build sim || cuda

package prim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/prim"
)

const arena = 4 << 20

// sizes lie around a warp, a block and the kernels' tiles.
var sizes = []int64{0, 1, 31, 33, 255, 257, 4095, 4096, 4097, 8193, 20000}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func alloc(t *testing.T, task *engine.Task, bytes int64) gpu.Ptr {
	t.Helper()
	p, err := task.Alloc(bytes)
	must(t, err)
	return p
}

func random(n int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 7)) }

// uses fails the test if f leaks memory or takes more scratch than bytes.
func uses(t *testing.T, task *engine.Task, bytes int64, f func() error) {
	t.Helper()
	before, free := task.Mark(), task.Free()
	if spare := free - bytes; spare > 0 {
		alloc(t, task, spare)
	}
	must(t, f())
	must(t, task.Release(before))
	if task.Free() != free {
		t.Errorf("%d bytes were left allocated", free-task.Free())
	}
}

func TestScan(t *testing.T) {
	for _, n := range sizes {
		task := enginetest.Begin(t, enginetest.New(t, arena))
		r := random(n)
		narrow, wide := make([]uint32, n), make([]uint64, n)
		wantNarrow, wantWide := make([]uint64, n), make([]uint64, n)
		var sumNarrow, sumWide uint64
		for i := range n {
			narrow[i], wide[i] = r.Uint32(), r.Uint64N(1<<44)
			wantNarrow[i], wantWide[i] = sumNarrow, sumWide
			sumNarrow += uint64(narrow[i])
			sumWide += wide[i]
		}
		out, total := alloc(t, task, 8*n), alloc(t, task, 8)
		in32, in64 := enginetest.Upload(t, task, narrow), enginetest.Upload(t, task, wide)
		uses(t, task, prim.ScanBytes(n), func() error { return prim.Scan32(task, in32, out, n, total) })
		if got := enginetest.Download[uint64](t, task, out, n); !slices.Equal(got, wantNarrow) {
			t.Errorf("n %d: Scan32 differs", n)
		}
		if got := enginetest.Download[uint64](t, task, total, 1)[0]; got != sumNarrow {
			t.Errorf("n %d: the total of Scan32 is %d, want %d", n, got, sumNarrow)
		}
		uses(t, task, prim.ScanBytes(n), func() error { return prim.Scan64(task, in64, in64, n, total) })
		if got := enginetest.Download[uint64](t, task, in64, n); !slices.Equal(got, wantWide) {
			t.Errorf("n %d: Scan64 in place differs", n)
		}
		if got := enginetest.Download[uint64](t, task, total, 1)[0]; got != sumWide {
			t.Errorf("n %d: the total of Scan64 is %d, want %d", n, got, sumWide)
		}
	}
}

func TestGatherScatterRowNumbers(t *testing.T) {
	for _, n := range sizes {
		task := enginetest.Begin(t, enginetest.New(t, arena))
		r := random(n)
		in, rows := make([]uint64, n), make([]int32, n)
		gathered, scattered, numbers := make([]uint64, n), make([]uint64, n), make([]int32, n)
		for i, at := range r.Perm(int(n)) {
			in[i] = r.Uint64()
			rows[i], numbers[i] = int32(at), int32(i)+5
		}
		for i, at := range rows {
			gathered[i], scattered[at] = in[at], in[i]
		}
		src, places, out := enginetest.Upload(t, task, in), enginetest.Upload(t, task, rows), alloc(t, task, 8*n)
		must(t, prim.Gather(task, 8, src, places, out, n))
		if !slices.Equal(enginetest.Download[uint64](t, task, out, n), gathered) {
			t.Errorf("n %d: Gather differs", n)
		}
		must(t, prim.Scatter(task, 8, src, places, out, n))
		if !slices.Equal(enginetest.Download[uint64](t, task, out, n), scattered) {
			t.Errorf("n %d: Scatter differs", n)
		}
		must(t, prim.RowNumbers(task, out, 5, n))
		if !slices.Equal(enginetest.Download[int32](t, task, out, n), numbers) {
			t.Errorf("n %d: RowNumbers differs", n)
		}
	}
}

func TestSelect(t *testing.T) {
	for _, n := range sizes {
		for _, percent := range []int{0, 3, 50, 100} {
			testSelect(t, n, percent)
		}
	}
}

func testSelect(t *testing.T, n int64, percent int) {
	task := enginetest.Begin(t, enginetest.New(t, arena))
	r := random(n)
	flags, left, right := make([]uint8, n), make([]int32, n), make([]int32, n)
	var rows, wantLeft, wantRight []int32
	for i := range n {
		left[i], right[i] = r.Int32(), r.Int32()
		if r.IntN(100) < percent {
			flags[i] = 1
			rows, wantLeft, wantRight = append(rows, int32(i)), append(wantLeft, left[i]), append(wantRight, right[i])
		}
	}
	f, l, g := enginetest.Upload(t, task, flags), enginetest.Upload(t, task, left), enginetest.Upload(t, task, right)
	out, out2, count := alloc(t, task, 4*n), alloc(t, task, 4*n), alloc(t, task, 8)
	check := func(what string, p gpu.Ptr, want []int32) {
		t.Helper()
		if got := enginetest.Download[uint64](t, task, count, 1)[0]; got != uint64(len(want)) {
			t.Fatalf("n %d, %d %%: %s keeps %d, want %d", n, percent, what, got, len(want))
		}
		if !slices.Equal(enginetest.Download[int32](t, task, p, int64(len(want))), want) {
			t.Errorf("n %d, %d %%: %s differs", n, percent, what)
		}
	}
	uses(t, task, prim.SelectBytes(n), func() error { return prim.SelectRows(task, f, out, n, count) })
	check("SelectRows", out, rows)
	uses(t, task, prim.SelectBytes(n), func() error { return prim.SelectValues(task, 4, l, f, out, n, count) })
	check("SelectValues", out, wantLeft)
	uses(t, task, prim.SelectBytes(n), func() error { return prim.SelectPairs(task, l, g, f, out, out2, n, count) })
	check("SelectPairs, left", out, wantLeft)
	check("SelectPairs, right", out2, wantRight)
}
