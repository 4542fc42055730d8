package vec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// runsOf returns a view with runs of about mean rows, some of them NULL, and the same rows as
// texts.
func runsOf(r *rand.Rand, t types.Type, n, mean int) (*vec.Vector, []string) {
	base := vec.NewFlat(t, 5)
	for i := range base.N {
		switch t.Kind() {
		case types.KindI64:
			base.I64[i] = int64(i)
		case types.KindF64:
			base.F64[i] = float64(i)
		default:
			base.Str[i] = fmt.Sprint(i)
		}
	}
	if r.IntN(2) == 0 {
		base.SetNull(3)
	}
	lowest := -r.IntN(2)
	v := &vec.Vector{Type: t, Form: vec.View, N: n, Base: base, Idx: make([]int32, n)}
	rows := make([]string, n)
	for i := range n {
		if i == 0 || r.IntN(mean) == 0 {
			v.Idx[i] = int32(lowest + r.IntN(5-lowest))
			v.Ends = append(v.Ends, 0)
		} else {
			v.Idx[i] = v.Idx[i-1]
		}
		v.Ends[len(v.Ends)-1] = int32(i) + 1
		if rows[i] = fmt.Sprint(v.Idx[i]); v.IsNull(i) {
			rows[i] = "NULL"
		}
	}
	return v, rows
}

func texts(v *vec.Vector) []string {
	out := make([]string, v.N)
	for i := range out {
		switch b, s := v.Slot(i); {
		case v.IsNull(i):
			out[i] = "NULL"
		case b.I64 != nil:
			out[i] = fmt.Sprint(b.I64[s])
		case b.F64 != nil:
			out[i] = fmt.Sprint(b.F64[s])
		default:
			out[i] = b.Str[s]
		}
	}
	return out
}

// TestRuns flattens views with runs, makes views of their rows, and takes the first row of each
// run.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, id := range []types.ID{types.Int64, types.Float64, types.String} {
		flat := &vec.Vector{}
		for range 500 {
			n := 1 + r.IntN(200)
			v, want := runsOf(r, types.T(id), n, 1+r.IntN(60))
			if got := texts(v.Flatten(flat)); !slices.Equal(got, want) {
				t.Fatalf("%v flat is %v, runs end at %v", want, got, v.Ends)
			}
			if v.MayHaveNulls() != (v.Base.Null != nil || slices.Contains(want, "NULL")) {
				t.Fatalf("%v may have NULLs: %v", want, v.MayHaveNulls())
			}
			var rows []int32
			var some []string
			for i := range n {
				if r.IntN(3) > 0 {
					rows, some = append(rows, int32(i)), append(some, want[i])
				}
			}
			if r.IntN(4) == 0 {
				slices.Reverse(rows)
				slices.Reverse(some)
			}
			var c vec.Composer
			view := c.View(v, rows)
			if got := texts(view); !slices.Equal(got, some) || !slices.Equal(texts(view.Flatten(nil)), some) {
				t.Fatalf("rows %v of %v are %v", rows, want, got)
			}
			var heads vec.Vector
			v.Heads(&heads, v.Ends, nil)
			for i, got := range texts(&heads) {
				if got != want[v.Ends[i]-1] {
					t.Fatalf("run %d of %v begins with %s, the runs end at %v", i, want, got, v.Ends)
				}
			}
		}
	}
}

// TestCommonRuns checks that common runs end wherever a run of any column ends.
func TestCommonRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 1 + r.IntN(300)
		cols := make([]*vec.Vector, 1+r.IntN(4))
		ends := map[int32]bool{int32(n): true}
		for i := range cols {
			if r.IntN(4) == 0 {
				cols[i] = vec.NewNull(types.T(types.Int64), n)
				continue
			}
			cols[i], _ = runsOf(r, types.T(types.Int64), n, 20+r.IntN(60))
			for _, end := range cols[i].Ends {
				ends[end] = true
			}
		}
		got := vec.CommonRuns(nil, n, cols...)
		if got == nil && len(ends)*vec.MinRun > n {
			continue
		}
		for _, end := range got {
			delete(ends, end)
		}
		if got == nil || len(ends) > 0 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%d rows have common runs up to %v, these lack %v", n, got, ends)
		}
	}
}
