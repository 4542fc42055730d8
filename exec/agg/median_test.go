package agg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/keyenc"
	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestMedian has groups of all sizes, of values that decimals of 64 bits and others hold, in
// memory and on disk.
func TestMedian(t *testing.T) {
	for _, typ := range []types.Type{types.Dec(12, 2), bigint, types.Dec(30, 2), double} {
		rel := optest.New(1, bigint, typ)
		r := rng()
		for g := range 240 {
			for range g * g / 60 {
				row := []catalog.Datum{catalog.Int(int64(g)), optest.Value(typ, r.IntN(3)*g+r.IntN(1000)*5)}
				if typ.FitsInt64() {
					row[1].Dec = decimal128.FromI64(int64(r.IntN(4000) - 1000))
				}
				if r.IntN(20) == 0 {
					row[1] = catalog.NullOf(typ)
				}
				rel.Rows = append(rel.Rows, row)
			}
		}
		r.Shuffle(len(rel.Rows), func(i, j int) { rel.Rows[i], rel.Rows[j] = rel.Rows[j], rel.Rows[i] })
		of := types.Dec(38, int(typ.Scale)+4)
		if typ == double {
			of = double
		}
		aggs := []*expr.Agg{{Fn: expr.Median, Args: []expr.Expr{rel.Col(1)}, T: of}}
		c := optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, []int{0}, aggs), Build: build(rel, []int{0}, aggs)}
		c.RunQuick(t)
		if typ.Kind() == types.KindDec {
			c.RunSpilling(t, 0.6)
		}
	}
}

// TestSelect compares with sorting, for orders that divide badly and many equal values too.
func TestSelect(t *testing.T) {
	r := rng()
	for _, n := range []int{1, 2, 16, 17, 100, 1001} {
		for name, xs := range map[string][]uint64{"random": random64(r, n, 1<<60), "few": random64(r, n, 3), "all equal": make([]uint64, n), "ascending": ascending64(n)} {
			want := slices.Sorted(slices.Values(xs))
			for _, k := range []int{0, n / 2, n - 1} {
				got := slices.Clone(xs)
				selectNth(got, k)
				if got[k] != want[k] || slices.Max(got[:k+1]) != want[k] || slices.Min(got[k:]) != want[k] {
					t.Errorf("%d %s: number %d is %d, want %d", n, name, k, got[k], want[k])
				}
			}
		}
	}
}

func random64(r *rand.Rand, n int, below uint64) []uint64 {
	xs := make([]uint64, n)
	for i := range xs {
		xs[i] = r.Uint64N(below)
	}
	return xs
}

func ascending64(n int) []uint64 {
	xs := make([]uint64, n)
	for i := range xs {
		xs[i] = uint64(i)
	}
	return xs
}

// TestFloatCodes reads floats back from their codes.
func TestFloatCodes(t *testing.T) {
	v := &vec.Vector{Type: double, F64: []float64{0, 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)}}
	v.N = len(v.F64)
	codes := make([]uint64, v.N)
	keyenc.SortKeys(v, false, codes)
	for i, c := range codes {
		if got := floatOf(c); got != v.F64[i] {
			t.Errorf("%v became %v", v.F64[i], got)
		}
	}
}
