package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// moments returns values of a DATE or DATETIME(0..6), either close together or across all years,
// including values before year 0 and after year 9999. Some values are NULL, with any value in the
// slot.
func moments(r *rand.Rand, t types.Type, n int) *vec.Vector {
	v := vec.NewFlat(t, n)
	first, span := r.Int64N(3_000_000)-719_528, int64(1+r.IntN(5000))
	if r.IntN(2) == 0 {
		first, span = -719_528, 3_652_425 // years 0 to 9999
	}
	for i := range v.I64 {
		x := first + r.Int64N(span)
		if t.ID != types.Date {
			x = x*types.Day + r.Int64N(86400)*types.Second
			if r.IntN(3) > 0 {
				x += r.Int64N(types.Second) / types.FractionUnit(t) * types.FractionUnit(t)
			}
		}
		switch r.IntN(40) {
		case 0:
			x = []int64{0, -1, math.MinInt64 / 4, math.MaxInt64 / 4, -719_528, 2_932_896, 2_932_897, -719_529}[r.IntN(8)]
		case 1:
			v.SetNull(i)
			x = []int64{r.Int64(), -r.Int64(), math.MaxInt64, math.MinInt64}[r.IntN(4)]
		}
		v.I64[i] = x
	}
	return v
}

// evaluated returns the values of e over one column.
func evaluated(t *testing.T, e expr.Expr, v *vec.Vector) *vec.Vector {
	t.Helper()
	p, err := Compile(e, []expr.ColID{1})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.NewEvaluator(kernel.Ctx{}).Eval(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Flatten(nil)
}

// TestTextsOfTimes compares texts of dates and times, which are made from a common template, with
// texts made one by one, and with those of package time for the years that it formats alike.
func TestTextsOfTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	list := []types.Type{types.T(types.Date)}
	for prec := range uint8(7) {
		list = append(list, types.Type{ID: types.Datetime, Prec: prec}, types.Type{ID: types.Timestamp, Prec: prec})
	}
	for _, ty := range list {
		layout := time.DateTime
		if ty.ID == types.Date {
			layout = time.DateOnly
		} else if ty.Prec > 0 {
			layout += "." + "000000"[:ty.Prec]
		}
		col := &expr.Col{ID: 1, Name: "t", T: ty}
		for range 20 {
			v := moments(r, ty, 1+r.IntN(3000))
			got := evaluated(t, expr.Cast(col, kernel.TextType), v)
			for i, x := range v.I64 {
				if v.IsNull(i) != got.IsNull(i) {
					t.Fatalf("row %d is NULL: %v", i, got.IsNull(i))
				}
				if v.IsNull(i) {
					continue
				}
				if want := string(types.AppendI64(nil, ty, x)); got.Str[i] != want {
					t.Fatalf("%v as %s: %q, want %q", x, ty, got.Str[i], want)
				}
				at := time.UnixMicro(x).UTC()
				if ty.ID == types.Date {
					at = time.Unix(x*86400, 0).UTC()
				}
				if year := at.Year(); year >= 0 && year <= 9999 && got.Str[i] != at.Format(layout) {
					t.Fatalf("%v as %s: %q, want %q", x, ty, got.Str[i], at.Format(layout))
				}
			}
		}
	}
}

// TestDecimalsAsTexts compares texts of Narrow decimals, which have 64 bits, and of wider ones with
// those of fmt.
func TestDecimalsAsTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for scale := range 19 {
		ty := types.Dec(18, scale)
		narrow, wide := vec.NewFlat(ty, 500), vec.NewFlat(ty, 500)
		narrow.ResizeNarrow(500)
		for i := range narrow.I64 {
			x := r.Int64N(2e18) - 1e18
			narrow.I64[i] = x >> r.IntN(63)
		}
		narrow.Flatten(wide)
		for _, v := range []*vec.Vector{narrow, wide} {
			got := evaluated(t, expr.Cast(&expr.Col{ID: 1, Name: "p", T: ty}, kernel.TextType), v)
			for i, x := range narrow.I64 {
				sign, digits := "", fmt.Sprintf("%0*d", scale+1, max(x, -x))
				if x < 0 {
					sign = "-"
				}
				want := sign + digits[:len(digits)-scale]
				if scale > 0 {
					want += "." + digits[len(digits)-scale:]
				}
				if got.Str[i] != want {
					t.Fatalf("%d of scale %d: %q, want %q", x, scale, got.Str[i], want)
				}
			}
		}
	}
}
