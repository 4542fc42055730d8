//go:build sim || cuda

package prim_test

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/enginetest"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

// sorted is the order that rows 0..n must get, and the keys in it.
func sorted[K cmp.Ordered](keys []K, descending bool) ([]K, []int32) {
	rows := make([]int32, len(keys))
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		if descending {
			a, b = b, a
		}
		return cmp.Compare(keys[a], keys[b])
	})
	out := make([]K, len(keys))
	for i, r := range rows {
		out[i] = keys[r]
	}
	return out, rows
}

func testSort[K cmp.Ordered](t *testing.T, what string, s prim.Sorting, keys []K) {
	t.Helper()
	n := int64(len(keys))
	task := enginetest.Begin(t, enginetest.New(t, arena))
	in := prim.Pairs{Keys: enginetest.Upload(t, task, keys)}
	out := prim.Pairs{Keys: alloc(t, task, n*s.Kind.Width()), Values: alloc(t, task, n*4)}
	uses(t, task, s.SortBytes(n, 4), func() error { return s.Sort(task, in, out, 4, n) })
	wantKeys, wantRows := sorted(keys, s.Descending)
	if !slices.Equal(enginetest.Download[K](t, task, out.Keys, n), wantKeys) {
		t.Errorf("%s, %d keys: the keys differ", what, n)
	}
	if !slices.Equal(enginetest.Download[int32](t, task, out.Values, n), wantRows) {
		t.Errorf("%s, %d keys: the rows differ", what, n)
	}
	if !slices.Equal(enginetest.Download[K](t, task, in.Keys, n), keys) {
		t.Errorf("%s, %d keys: the input was changed", what, n)
	}
}

// keysOf returns n keys by f.
func keysOf[K any](n int64, f func(i int64) K) []K {
	keys := make([]K, n)
	for i := range keys {
		keys[i] = f(int64(i))
	}
	return keys
}

func TestSort(t *testing.T) {
	r := random(1)
	for _, n := range []int64{0, 1, 33, 4609, 20000} {
		for _, descending := range []bool{false, true} {
			s := prim.Sorting{Kind: column.I32, Descending: descending}
			testSort(t, "int32", s, keysOf(n, func(int64) int32 { return r.Int32() - 1<<30 }))
			testSort(t, "int32, a few values", s, keysOf(n, func(i int64) int32 { return int32(i % 3) }))
			testSort(t, "int32, all the same", s, keysOf(n, func(int64) int32 { return -5 }))
			s.Kind = column.I64
			testSort(t, "int64", s, keysOf(n, func(int64) int64 { return int64(r.Uint64()) }))
			testSort(t, "int64, middle digits", s, keysOf(n, func(int64) int64 { return r.Int64N(3000) << 20 }))
			s.Kind = column.F64
			testSort(t, "double", s, keysOf(n, func(int64) float64 { return r.NormFloat64() * 1e9 }))
		}
	}
}

func TestSortExtremes(t *testing.T) {
	narrow := []int32{math.MinInt32, math.MaxInt32, 0, -1, 1}
	wide := []int64{math.MinInt64, math.MaxInt64, 0, -1, 1}
	doubles := []float64{math.Inf(-1), math.Inf(1), 0, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	for _, descending := range []bool{false, true} {
		testSort(t, "int32", prim.Sorting{Kind: column.I32, Descending: descending}, keysOf(100, func(i int64) int32 { return narrow[i*7%5] }))
		testSort(t, "int64", prim.Sorting{Kind: column.I64, Descending: descending}, keysOf(100, func(i int64) int64 { return wide[i*7%5] }))
		testSort(t, "double", prim.Sorting{Kind: column.F64, Descending: descending}, keysOf(100, func(i int64) float64 { return doubles[i*7%6] }))
		testSort(t, "uint32", prim.Sorting{Kind: column.I32, Unsigned: true, Descending: descending}, keysOf(100, func(i int64) uint32 { return uint32(narrow[i*7%5]) }))
	}
}

func TestSortBounded(t *testing.T) {
	r := random(2)
	for _, b := range [][2]int64{{0, 0}, {0, 255}, {0, 256}, {-3, 3}, {-70000, -1}, {math.MinInt32, math.MaxInt32}, {1 << 20, 1<<20 + 100}} {
		s := prim.Sorting{Kind: column.I32, Bounded: true, Min: b[0], Max: b[1]}
		testSort(t, "bounded int32", s, keysOf(9000, func(int64) int32 { return int32(b[0] + r.Int64N(b[1]-b[0]+1)) }))
		s.Kind = column.I64
		testSort(t, "bounded int64", s, keysOf(9000, func(int64) int64 { return b[0] + r.Int64N(b[1]-b[0]+1) }))
	}
}

// TestSortValues carries 8-byte values.
func TestSortValues(t *testing.T) {
	task := enginetest.Begin(t, enginetest.New(t, arena))
	r := random(3)
	keys := keysOf(9000, func(int64) int32 { return r.Int32N(1000) })
	values := keysOf(9000, func(int64) uint64 { return r.Uint64() })
	s, n := prim.Sorting{Kind: column.I32}, int64(9000)
	in := prim.Pairs{Keys: enginetest.Upload(t, task, keys), Values: enginetest.Upload(t, task, values)}
	out := prim.Pairs{Keys: alloc(t, task, n*4), Values: alloc(t, task, n*8)}
	uses(t, task, s.SortBytes(n, 8), func() error { return s.Sort(task, in, out, 8, n) })
	_, rows := sorted(keys, false)
	want := keysOf(n, func(i int64) uint64 { return values[rows[i]] })
	if !slices.Equal(enginetest.Download[uint64](t, task, out.Values, n), want) {
		t.Error("the values differ")
	}
}

// TestSortWithoutMemory fails each allocation in turn.
func TestSortWithoutMemory(t *testing.T) {
	s, n := prim.Sorting{Kind: column.I64}, int64(5000)
	task := enginetest.Begin(t, enginetest.New(t, arena))
	in := prim.Pairs{Keys: enginetest.Upload(t, task, keysOf(n, func(i int64) int64 { return i * 7919 % 5000 }))}
	out := prim.Pairs{Keys: alloc(t, task, n*8), Values: alloc(t, task, n*4)}
	free := task.Free()
	for spare := int64(0); spare < s.SortBytes(n, 4); spare += 8 << 10 {
		m := task.Mark()
		alloc(t, task, free-spare)
		if err := s.Sort(task, in, out, 4, n); !errors.Is(err, sqlerr.OutOfMemory) {
			t.Fatalf("%d bytes to spare: %v, want 1037", spare, err)
		}
		must(t, task.Sync())
		must(t, task.Release(m))
	}
}
