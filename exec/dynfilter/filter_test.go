package dynfilter

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// makers lists domains of values: a type, and a function that sets slot at of a vector to the i-th
// value.
var makers = map[string]struct {
	t   types.Type
	set func(v *vec.Vector, at, i int)
}{
	"dense":         {types.T(types.Int64), func(v *vec.Vector, at, i int) { v.I64[at] = int64(i) - 700 }},
	"sparse":        {types.T(types.Int64), func(v *vec.Vector, at, i int) { v.I64[at] = int64(i-700) * 1_000_003_000_007 }},
	"extremes":      {types.T(types.Int64), func(v *vec.Vector, at, i int) { v.I64[at] = math.MinInt64 + int64(i)*(math.MaxInt64/800) }},
	"unsigned":      {types.T(types.Uint64), func(v *vec.Vector, at, i int) { v.I64[at] = int64(math.MaxUint64 - uint64(i)) }},
	"straddle":      {types.T(types.Uint64), func(v *vec.Vector, at, i int) { v.I64[at] = int64(uint64(1)<<63 - 500 + uint64(i)) }},
	"float":         {types.T(types.Float64), func(v *vec.Vector, at, i int) { v.F64[at] = float64(i)/3 - 9 }},
	"decimal":       {types.Dec(30, 2), func(v *vec.Vector, at, i int) { v.Dec[at] = decimal128.New(int64(i%3)-1, uint64(i)) }},
	"short decimal": {types.Dec(9, 2), func(v *vec.Vector, at, i int) { v.Dec[at] = decimal128.FromI64(int64(i) - 50) }},
	"string":        {types.T(types.String), func(v *vec.Vector, at, i int) { v.Str[at] = fmt.Sprintf("value %d", i) }},
}

// TestNothingIsLost tests values against sets. Values in the set always pass; others rarely do, and
// never if the set is a bitmap.
func TestNothingIsLost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const domain = 1500
	for name, m := range makers {
		for _, rows := range []int{0, 1, 40, 5000} {
			for _, nullSafe := range []bool{false, true} {
				in := map[int]bool{}
				some := 1 + r.IntN(domain/2)
				keys, _ := random(r, m.t, m.set, rows, func() int { i := r.IntN(some) * 2; return i }, in)
				f := fill(keys, nullSafe, 1+r.IntN(2))
				probe, of := random(r, m.t, m.set, 3000, func() int { return r.IntN(domain) }, nil)
				check(t, fmt.Sprintf("%s: %d rows, null-safe %v", name, rows, nullSafe), f, probe, of, func(i int) bool {
					return in[i] && (i >= 0 || nullSafe)
				})
				f.Free()
			}
		}
	}
}

// random returns a vector of rows values and the number of each value in the domain. Some values
// may be NULL, whose number is -1.
func random(r *rand.Rand, typ types.Type, set func(*vec.Vector, int, int), rows int, value func() int, in map[int]bool) (*vec.Vector, []int) {
	v := vec.NewFlat(typ, rows)
	of := make([]int, rows)
	withNulls := r.IntN(2) == 0
	for i := range of {
		if of[i] = value(); withNulls && r.IntN(10) == 0 {
			of[i] = -1
			v.SetNull(i)
		} else {
			set(v, i, of[i])
		}
		if in != nil {
			in[of[i]] = true
		}
	}
	return v, of
}

func fill(keys *vec.Vector, nullSafe bool, workers int) *Filter {
	f := &Filter{}
	f.Fill(&op.Ctx{Context: context.Background(), Workers: workers}, mem.NewRoot("test", 0), keys, nullSafe)
	return f
}

// check tests probe in vectors of all forms.
func check(t *testing.T, name string, f *Filter, probe *vec.Vector, of []int, member func(int) bool) {
	t.Helper()
	backwards := make([]int32, probe.N)
	for i := range backwards {
		backwards[i] = int32(probe.N - 1 - i)
	}
	dict := *probe
	dict.Dict = true
	for form, v := range map[string]*vec.Vector{
		"flat": probe, "view": {Type: probe.Type, Form: vec.View, N: probe.N, Base: probe, Idx: backwards},
		"dictionary": {Type: probe.Type, Form: vec.View, N: probe.N, Base: &dict, Idx: backwards},
	} {
		var dropped atomic.Int64
		idx, all := f.Tester(&dropped).Test(v)
		passed := make([]bool, probe.N)
		for _, i := range idx {
			passed[i] = true
		}
		wrong := 0
		for i := range passed {
			at := i
			if form != "flat" {
				at = int(backwards[i])
			}
			switch want := member(of[at]); {
			case want && !passed[i] && !all:
				t.Fatalf("%s, %s: a value of the set is dropped", name, form)
			case !want && (passed[i] || all):
				wrong++
			}
		}
		if limit := probe.N / 50; wrong > limit || wrong > 0 && f.set.bitmap != nil {
			t.Errorf("%s, %s: %d of %d values pass that are not in the set", name, form, wrong, probe.N)
		}
		if int(dropped.Load()) != probe.N-len(idx) && !all {
			t.Errorf("%s, %s: %d rows dropped, %d counted", name, form, probe.N-len(idx), dropped.Load())
		}
	}
}

// TestManyValuesByManyWorkers builds a set with several goroutines.
func TestManyValuesByManyWorkers(t *testing.T) {
	const n = 3 * rowsOfWorker
	for _, step := range []int64{2, 1 << 40} {
		keys, probe := vec.NewFlat(types.T(types.Int64), n), vec.NewFlat(types.T(types.Int64), n)
		for i := range n {
			keys.I64[i], probe.I64[i] = int64(i)*step, int64(i)*step+1
		}
		f := fill(keys, false, 3)
		if idx, all := f.Tester(nil).Test(keys); !all {
			t.Fatalf("step %d: %d of %d values pass", step, len(idx), n)
		}
		if idx, all := f.Tester(nil).Test(probe); all || len(idx) > n/50 || len(idx) > 0 && step == 2 {
			t.Errorf("step %d: %d of %d other values pass", step, len(idx), n)
		}
		f.Free()
	}
}

// TestUselessFilter checks that a filter that drops nothing is abandoned, and that everything
// passes if there is no memory for a set.
func TestUselessFilter(t *testing.T) {
	keys := vec.NewFlat(types.T(types.Int64), 1000)
	for i := range keys.I64 {
		keys.I64[i] = int64(i)
	}
	tester := fill(keys, false, 1).Tester(nil)
	for range trial/keys.N + 1 {
		tester.Test(keys)
	}
	other := vec.NewFlat(types.T(types.Int64), 1)
	other.I64[0] = -1
	if _, all := tester.Test(other); !all {
		t.Error("a filter that drops nothing is still tested")
	}
	refused := &Filter{}
	refused.Fill(&op.Ctx{Context: context.Background()}, mem.NewRoot("test", 100), keys, false)
	if _, all := refused.Tester(nil).Test(other); !all || refused.Empty() {
		t.Error("a filter without a set drops rows")
	}
}

func TestBounds(t *testing.T) {
	bigint := types.T(types.Int64)
	keys := vec.NewFlat(bigint, 3)
	copy(keys.I64, []int64{7, -3, 100})
	keys.SetNull(2)
	if lo, hi, ok := fill(keys, false, 1).Bounds(bigint); !ok || lo.Compare(catalog.Datum{Type: bigint, I64: -3}) != 0 || hi.Compare(catalog.Datum{Type: bigint, I64: 7}) != 0 {
		t.Error(lo, hi, ok)
	}
	if _, _, ok := fill(keys, true, 1).Bounds(bigint); ok {
		t.Error("bounds although NULL passes")
	}
	copy(keys.Null, []bool{true, true, true})
	if f := fill(keys, false, 1); !f.Empty() {
		t.Error("a set of NULLs only is not empty")
	}
	if f := fill(keys, true, 1); f.Empty() {
		t.Error("a set with NULL is empty")
	}
}
