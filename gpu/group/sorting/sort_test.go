//go:build sim || cuda

package sorting

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/group"
	"gsql/gpu/prim"
)

var deviceCounts = []int{1, 2, 4, 8}

func begin(t *testing.T, engines []*engine.Engine) *group.Group {
	t.Helper()
	g, err := group.Begin(t.Context(), engines, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.End(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// upload copies each share of the keys to a member; values number the keys.
func upload[K any](t *testing.T, g *group.Group, shares [][]K, width int64) (in []Part, out []prim.Pairs) {
	t.Helper()
	var n int64
	for _, s := range shares {
		n += int64(len(s))
	}
	var row uint64
	in, out = make([]Part, len(shares)), make([]prim.Pairs, len(shares))
	for i, s := range shares {
		m, values := g.Members[i].Task, make([]uint64, len(s))
		narrow := make([]uint32, len(s))
		for k := range s {
			values[k], narrow[k] = row, uint32(row)
			row++
		}
		in[i] = Part{prim.Pairs{Keys: enginetest.Upload(t, m, s)}, int64(len(s))}
		if in[i].Values = enginetest.Upload(t, m, narrow); width == 8 {
			in[i].Values = enginetest.Upload(t, m, values)
		}
		capacity := Capacity(n, len(shares))
		out[i].Keys = enginetest.Upload(t, m, make([]K, capacity))
		out[i].Values = enginetest.Upload(t, m, make([]byte, capacity*width))
	}
	return in, out
}

// check sorts shares of keys and compares the pairs, device after device, with a stable sort.
func check[K cmp.Ordered](t *testing.T, engines []*engine.Engine, what string, s prim.Sorting, shares [][]K, width int64) {
	t.Helper()
	g, err := group.Begin(t.Context(), engines, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.End(); err != nil {
			t.Error(err)
		}
	}()
	in, out := upload(t, g, shares, width)
	free := g.Members[0].Free()
	sorted, err := Sort(g, s, in, out, width)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if g.Members[0].Free() != free {
		t.Errorf("%s: %d of %d bytes are free after the sort", what, g.Members[0].Free(), free)
	}
	all := slices.Concat(shares...)
	want := make([]uint64, len(all))
	for i := range want {
		want[i] = uint64(i)
	}
	slices.SortStableFunc(want, func(a, b uint64) int {
		if s.Descending {
			a, b = b, a
		}
		return cmp.Compare(all[a], all[b])
	})
	var keys []K
	var values []uint64
	for i, p := range sorted {
		m := g.Members[i].Task
		if share := int64(len(all) / len(engines)); p.Rows > Capacity(int64(len(all)), len(engines)) || p.Rows < share-share/100-1 {
			t.Errorf("%s: device %d has %d of %d rows", what, i, p.Rows, len(all))
		}
		keys = append(keys, enginetest.Download[K](t, m, p.Keys, p.Rows)...)
		if width == 8 {
			values = append(values, enginetest.Download[uint64](t, m, p.Values, p.Rows)...)
			continue
		}
		for _, v := range enginetest.Download[uint32](t, m, p.Values, p.Rows) {
			values = append(values, uint64(v))
		}
	}
	if !slices.Equal(values, want) {
		t.Errorf("%s: the rows differ", what)
	}
	for i, v := range want {
		if i < len(keys) && keys[i] != all[v] {
			t.Errorf("%s: key %d is %v, want %v", what, i, keys[i], all[v])
			break
		}
	}
}

// shares divides n keys of f among devices: evenly, or all but a few to the last.
func shares[K any](n, devices int, even bool, f func(i int) K) [][]K {
	all := make([][]K, devices)
	for i := range n {
		d := i * devices / n
		if !even {
			d = devices - 1
			if i < 5 {
				d = 0
			}
		}
		all[d] = append(all[d], f(i))
	}
	return all
}

func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.5, 1, 1<<30)
	mild := rand.NewZipf(r, 1.01, 1, 1<<30)
	for _, devices := range deviceCounts {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			engines := enginetest.NewAll(t, devices, 8<<20)
			for i, n := range []int{0, 1, devices - 1, devices + 1, 8191, 8193, 20000} {
				even, narrow, wide := i%2 == 0, prim.Sorting{Kind: column.I32}, prim.Sorting{Kind: column.I64, Descending: i%3 == 0}
				check(t, engines, fmt.Sprint(n, " random"), narrow, shares(n, devices, even, func(int) int32 { return int32(r.Uint32()) }), 4)
				check(t, engines, fmt.Sprint(n, " equal"), wide, shares(n, devices, even, func(int) int64 { return -7 }), 8)
				check(t, engines, fmt.Sprint(n, " of two"), narrow, shares(n, devices, even, func(i int) int32 { return int32(i % 2) }), 8)
				check(t, engines, fmt.Sprint(n, " doubles"), prim.Sorting{Kind: column.F64}, shares(n, devices, even, func(int) float64 { return r.NormFloat64() }), 4)
				if n > 8191 {
					check(t, engines, fmt.Sprint(n, " Zipf 1.5"), wide, shares(n, devices, even, func(int) int64 { return int64(zipf.Uint64()) }), 4)
					check(t, engines, fmt.Sprint(n, " Zipf 1"), narrow, shares(n, devices, even, func(int) int32 { return int32(mild.Uint64()) }), 4)
					bounded := prim.Sorting{Kind: column.I32, Bounded: true, Min: -3000, Max: -2001}
					check(t, engines, fmt.Sprint(n, " bounded"), bounded, shares(n, devices, even, func(int) int32 { return -3000 + r.Int32N(1000) }), 4)
					extremes := []int64{math.MinInt64, math.MaxInt64, 0, -1}
					check(t, engines, fmt.Sprint(n, " extremes"), wide, shares(n, devices, even, func(i int) int64 { return extremes[i*7%4] }), 8)
				}
			}
		})
	}
}

// TestSortWithoutMemory fails at each allocation of one device, and sorts afterwards.
func TestSortWithoutMemory(t *testing.T) {
	g := begin(t, enginetest.NewAll(t, 2, 3<<20))
	r := rand.New(rand.NewPCG(3, 4))
	keys := shares(20000, 2, true, func(int) int32 { return r.Int32N(300) })
	in, out := upload(t, g, keys, 4)
	failed := enginetest.Starved(t, g.Members[1].Task, 4<<10, func() error {
		_, err := Sort(g, prim.Sorting{Kind: column.I32}, in, out, 4)
		return err
	})
	if failed < 20 {
		t.Errorf("only %d allocations failed", failed)
	}
	want := slices.Concat(keys...)
	slices.Sort(want)
	sorted, err := Sort(g, prim.Sorting{Kind: column.I32}, in, out, 4)
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	for i, p := range sorted {
		got = append(got, enginetest.Download[int32](t, g.Members[i].Task, p.Keys, p.Rows)...)
	}
	if !slices.Equal(got, want) {
		t.Error("the keys differ")
	}
}
