package date

import (
	"math"
	"math/rand/v2"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// times returns values of a DATETIME, close together or across all years, some of them outside the
// calendar.
func times(r *rand.Rand, t types.Type, n int) *vec.Vector {
	v := vec.NewFlat(t, n)
	first, span := r.Int64N(3_000_000)-719_528, int64(1+r.IntN(5000))
	if r.IntN(2) == 0 {
		first, span = -719_528, 3_652_425 // years 0 to 9999
	}
	for i := range v.I64 {
		v.I64[i] = (first+r.Int64N(span))*types.Day + r.Int64N(86400)*types.Second
		if r.IntN(3) > 0 {
			v.I64[i] += r.Int64N(types.Second) / types.FractionUnit(t) * types.FractionUnit(t)
		}
		if r.IntN(40) == 0 {
			v.I64[i] = []int64{0, -1, math.MinInt64 / 4, math.MaxInt64 / 4, -719_528 * types.Day, 2_932_897 * types.Day}[r.IntN(6)]
		}
	}
	return v
}

// TestStampedFormats compares DATE_FORMAT with formats that are known when the query is compiled
// and with the same formats as values.
func TestStampedFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	specs := []string{"%Y", "%y", "%m", "%d", "%H", "%h", "%I", "%i", "%S", "%s", "%f", "%T", "%%", "%q", "%é", "-", ":", " é ", "0000000000"}
	stamps := 0
	for round := range 400 {
		format := ""
		for range 1 + r.IntN(8) {
			format += specs[r.IntN(len(specs))]
		}
		if r.IntN(4) == 0 {
			format += []string{"%a", "%b", "%c", "%D", "%e", "%j", "%k", "%l", "%M", "%p", "%r", "%U", "%u", "%V", "%v", "%W", "%w", "%X", "%x", "%"}[r.IntN(20)]
		}
		if stampOfFormat(format) != nil {
			stamps++
		}
		v := times(r, types.Type{ID: types.Datetime, Prec: uint8(round % 7)}, 1+r.IntN(300))
		call := &expr.Call{Fn: expr.FuncDateFormat, Args: []expr.Expr{&expr.Col{ID: 1, T: v.Type}, &expr.Const{Value: catalog.Str(format)}}, T: types.T(types.String)}
		k, err := bindDateFormat(call)
		if err != nil {
			t.Fatal(err)
		}
		got, pattern := vec.NewFlat(call.T, v.N), catalog.Str(format)
		if err := k(&kernel.Runtime{Call: call, N: v.N}, []*vec.Vector{v, pattern.Vector(v.N)}, got); err != nil {
			t.Fatal(err)
		}
		for i, x := range v.I64 {
			day := types.DateOf(x)
			want := string(appendFormatted(nil, format, day, x-day*types.Day, true))
			if got.IsNull(i) || got.Str[i] != want {
				t.Fatalf("%d by %q: %q, want %q", x, format, got.Str[i], want)
			}
		}
	}
	if stamps < 200 {
		t.Errorf("%d formats are stamps", stamps)
	}
}
