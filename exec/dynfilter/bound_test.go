package dynfilter

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// TestBound tightens bounds with random values and tests other values against them. Exactly those
// that equal the best value, or come before it, pass.
func TestBound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, m := range makers {
		for _, desc := range []bool{false, true} {
			for range 20 {
				b := NewBound(desc)
				if _, all := b.Tester(nil).Test(vec.NewFlat(m.t, 3)); !all {
					t.Fatal("a bound that is not set drops rows")
				}
				given, _ := random(r, m.t, m.set, 1+r.IntN(4), func() int { return r.IntN(100) }, nil)
				var best catalog.Datum
				for i := range given.N {
					d := catalog.DatumAt(given, i)
					if i == 0 || order(d, best, desc) < 0 {
						best = d
					}
					b.Tighten((&vec.Vector{Type: m.t, Form: vec.View, N: 1, Base: given, Idx: []int32{int32(i)}}).Flatten(nil))
				}
				probe, _ := random(r, m.t, m.set, 500, func() int { return r.IntN(100) }, nil)
				idx, all := b.Tester(nil).Test(narrow(r, probe))
				lo, hi, nulls, pruned := b.Range()
				for i := range probe.N {
					d := catalog.DatumAt(probe, i)
					want := order(d, best, desc) <= 0
					if got := all || slices.Contains(idx, int32(i)); got != want {
						t.Fatalf("%s, descending %v: %s passes %v beside the bound %s", name, desc, d.SQL(), got, best.SQL())
					}
					outside := d.Null && !nulls || !d.Null && (lo != nil && d.Compare(*lo) < 0 || hi != nil && d.Compare(*hi) > 0)
					if pruned && want && outside {
						t.Fatalf("%s, descending %v: %s is outside the range for the bound %s", name, desc, d.SQL(), best.SQL())
					}
				}
			}
		}
	}
}

// order compares like ORDER BY.
func order(a, b catalog.Datum, desc bool) int {
	sign := 1
	if desc {
		sign = -1
	}
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return -sign
	case b.Null:
		return sign
	}
	return sign * a.Compare(b)
}

// narrow returns some vectors as Narrow ones if all their values fit, and some of those as views.
func narrow(r *rand.Rand, v *vec.Vector) *vec.Vector {
	if v.Dec == nil || v.Form != vec.Flat || r.IntN(3) == 0 {
		return v
	}
	out := *v
	out.I64, out.Dec, out.Narrow = make([]int64, v.N), nil, true
	for i, x := range v.Dec {
		if !dec128.IsInt64(x) && !v.IsNull(i) {
			return v
		}
		out.I64[i] = int64(x.LowBits())
	}
	if r.IntN(2) == 0 {
		return &out
	}
	idx := make([]int32, v.N)
	for i := range idx {
		idx[i] = int32(i)
	}
	return &vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: &out, Idx: idx}
}
