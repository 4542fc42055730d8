package eval

import (
	"math/rand/v2"
	"testing"
	"time"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestFunctionsOfDays compares functions of days with the calendar of package time. In some
// batches the days are close together, so that they are looked up in tables that earlier batches
// made; in others they are far apart.
func TestFunctionsOfDays(t *testing.T) {
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	numbers := []struct {
		fn   expr.FuncID
		args []expr.Expr
		want func(time.Time) int64
	}{
		{"year", nil, func(d time.Time) int64 { return int64(d.Year()) }},
		{"dayofyear", nil, func(d time.Time) int64 { return int64(d.YearDay()) }},
		{"dayofweek", nil, func(d time.Time) int64 { return int64(d.Weekday()) + 1 }},
		{"weekofyear", nil, func(d time.Time) int64 { _, w := d.ISOWeek(); return int64(w) }},
		{"extract", []expr.Expr{text("MONTH")}, func(d time.Time) int64 { return int64(d.Month()) }},
		{"extract", []expr.Expr{text("HOUR")}, func(d time.Time) int64 { return int64(d.Hour()) }},
		{"extract", []expr.Expr{text("DAY_MINUTE")}, func(d time.Time) int64 { return int64(d.Day()*10000 + d.Hour()*100 + d.Minute()) }},
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, ty := range []types.Type{types.T(types.Date), types.T(types.Datetime)} {
		col := &expr.Col{ID: 1, Name: "d", T: ty}
		for _, c := range numbers {
			eachDays(t, ty, mustCall(c.fn, append(c.args, col)...), r, func(v *vec.Vector, i int, d time.Time) {
				if got := v.I64[i]; got != c.want(d) {
					t.Fatalf("%s of %v (%v): %d, want %d", c.fn, d, ty, got, c.want(d))
				}
			})
		}
		eachDays(t, ty, mustCall("date_format", col, text("%Y-%m %d %a")), r, func(v *vec.Vector, i int, d time.Time) {
			if want := d.Format("2006-01 02 Mon"); v.Str[i] != want {
				t.Fatalf("date_format of %v (%v): %q, want %q", d, ty, v.Str[i], want)
			}
		})
	}
}

// eachDays computes e for batches of days in various ranges and passes the results that are not
// NULL to check.
func eachDays(t *testing.T, ty types.Type, e expr.Expr, r *rand.Rand, check func(v *vec.Vector, i int, d time.Time)) {
	t.Helper()
	p, err := Compile(e, []expr.ColID{1})
	if err != nil {
		t.Fatal(err)
	}
	ev := p.NewEvaluator(kernel.Ctx{})
	for batch := range 12 {
		n := 1 + r.IntN(3000)
		first, span := r.Int64N(3_000_000)-700_000, int64(1+r.IntN(4000))
		if batch%4 == 0 {
			first, span = -700_000, 3_000_000
		}
		if batch%4 == 1 {
			first = 9000 // within a table, or beyond its ends
		}
		v := vec.NewFlat(ty, n)
		times := make([]time.Time, n)
		for i := range n {
			days, clock := first+r.Int64N(span), r.Int64N(86400)
			if v.Type.ID == types.Date {
				v.I64[i], clock = days, 0
			} else {
				v.I64[i] = (days*86400 + clock) * 1e6
			}
			times[i] = time.Unix(days*86400+clock, 0).UTC()
			if r.IntN(10) == 0 {
				v.I64[i] = r.Int64()
				v.SetNull(i)
			}
		}
		got, err := ev.Eval(&vec.Batch{N: n, Cols: []*vec.Vector{v}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if null := v.Null != nil && v.Null[i]; null != (got.Null != nil && got.Null[i]) {
				t.Fatalf("%v of row %d: NULL is wrong", e, i)
			} else if !null {
				check(got, i, times[i])
			}
		}
	}
}
