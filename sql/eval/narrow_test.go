package eval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// narrowed converts a flat vector of decimals that fit to a Narrow vector. Slots of NULLs get
// values that would overflow.
func narrowed(v *vec.Vector) {
	v.I64, v.Narrow = make([]int64, v.N), true
	for i, x := range v.Dec {
		v.I64[i] = int64(x.LowBits())
		if v.Null != nil && v.Null[i] {
			v.I64[i] = math.MinInt64
		}
	}
	v.Dec = nil
}

var narrowEdges = []int64{0, 1, -1, 7, -250, 1 << 31, -1 << 31, 999_999_999, 999_999_999_999_999_999, -999_999_999_999_999_999,
	math.MaxInt64, math.MinInt64, math.MinInt64 + 1, math.MaxInt64 / 10, math.MinInt64 / 100}

// TestNarrowAgainstWide computes with columns and constants of all sizes and scales, Narrow and
// not, and compares the results.
func TestNarrowAgainstWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	random := func() int64 {
		switch r.IntN(3) {
		case 0:
			return narrowEdges[r.IntN(len(narrowEdges))]
		case 1:
			return r.Int64N(2000) - 1000
		}
		return int64(r.Uint64()) >> r.IntN(64)
	}
	narrow, compared := 0, 0
	for range 20_000 {
		n := 1 + r.IntN(5)
		args, wide, tight := make([]expr.Expr, 2), &vec.Batch{N: n}, &vec.Batch{N: n}
		scale, small := r.IntN(5), r.IntN(2) == 0
		for c := range args {
			if r.IntN(3) == 0 {
				scale = r.IntN(5)
			}
			ty := types.Dec(18, scale)
			w := vec.NewFlat(ty, n)
			for i := range n {
				x := random()
				if small {
					x %= 1 << 30
				}
				if w.Dec[i] = decimal128.FromI64(x); r.IntN(9) == 0 {
					w.SetNull(i)
				}
			}
			args[c] = &expr.Col{ID: expr.ColID(c), T: ty}
			if c == 1 && r.IntN(2) == 0 || c == 0 && r.IntN(4) == 0 {
				args[c] = &expr.Const{Value: catalog.Datum{Type: ty, Dec: w.Dec[0]}}
			}
			x := *w
			narrowed(&x)
			wide.Cols, tight.Cols = append(wide.Cols, w), append(tight.Cols, &x)
		}
		if r.IntN(3) == 0 { // the same index for both
			idx := make([]int32, n)
			for i := range idx {
				idx[i] = int32(r.IntN(n+1)) - 1
			}
			wide, tight = vec.Select(wide, idx), vec.Select(tight, idx)
		}
		fn := []expr.FuncID{"+", "-", "*", "=", "<>", "<", "<=", ">", ">="}[r.IntN(9)]
		e, err := expr.NewCall(fn, args, -1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type().Kind() == types.KindI64 {
			compared++
			checkFilter(t, []expr.Expr{e}, newFilter(t, e), tight)
			checkFilter(t, []expr.Expr{e}, newFilter(t, e), wide)
		}
		p, err := Compile(e, []expr.ColID{0, 1})
		if err != nil {
			continue // a constant that does not fit
		}
		want, wantErr := p.NewEvaluator(kernel.Ctx{}).Eval(wide)
		for _, allow := range []bool{false, true} {
			ev := p.NewEvaluator(kernel.Ctx{})
			if allow {
				ev.AllowNarrow()
			}
			got, err := ev.Eval(tight)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: error %v, want %v", e, err, wantErr)
			}
			if err != nil {
				continue
			}
			if got.IsNarrow() {
				if narrow++; !allow {
					t.Fatalf("%s: a Narrow result that nobody asked for", e)
				}
			}
			for i := range n {
				if g, w := catalog.DatumAt(got, i).SQL(), catalog.DatumAt(want, i).SQL(); g != w {
					t.Fatalf("%s of %s and %s: %s, want %s", e, catalog.DatumAt(wide.Cols[0], i).SQL(), catalog.DatumAt(wide.Cols[1], i).SQL(), g, w)
				}
			}
		}
	}
	if narrow < 3000 || compared < 5000 {
		t.Errorf("only %d results were Narrow, %d comparisons", narrow, compared)
	}
}

// TestNarrowCase computes CASE of Narrow columns, constants and NULL, and compares with the same over
// wide columns. The result stays Narrow if all values fit in 64 bits.
func TestNarrowCase(t *testing.T) {
	r, ty, number := rand.New(rand.NewPCG(3, 4)), types.Dec(20, 2), types.T(types.Int64)
	long, _ := new(big.Int).SetString("12345678901234567890", 10)
	constant := func(x *big.Int) expr.Expr {
		return &expr.Const{Value: catalog.Datum{Type: ty, Dec: decimal128.FromBigInt(x)}}
	}
	other := map[string]expr.Expr{"none": nil, "zero": constant(new(big.Int)), "long": constant(long), "column": &expr.Col{ID: 2, T: ty}}
	for name, no := range other {
		args := []expr.Expr{&expr.Col{ID: 0, T: number}, &expr.Col{ID: 1, T: ty}}
		if no != nil {
			args = append(args, no)
		}
		e, err := expr.NewCall(expr.FuncCase, args, -1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(e, []expr.ColID{0, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		ev, again := p.NewEvaluator(kernel.Ctx{}), p.NewEvaluator(kernel.Ctx{})
		ev.AllowNarrow()
		for batch := range 40 {
			n := 1 + r.IntN(300)
			wide, tight := &vec.Batch{N: n}, &vec.Batch{N: n}
			for c := range 3 {
				w := vec.NewFlat([]types.Type{number, ty, ty}[c], n)
				for i := range n {
					if c == 0 {
						w.I64[i] = int64(r.IntN(2))
					} else {
						w.Dec[i] = decimal128.FromI64(r.Int64() - r.Int64())
					}
					if batch%3 > 0 && r.IntN(4) == 0 {
						w.SetNull(i)
					}
				}
				x := *w
				if c > 0 {
					narrowed(&x)
				}
				wide.Cols, tight.Cols = append(wide.Cols, w), append(tight.Cols, &x)
			}
			want, err := again.Eval(wide)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ev.Eval(tight)
			if err != nil {
				t.Fatal(err)
			}
			if got.IsNarrow() != (name != "long") {
				t.Fatalf("ELSE %s: Narrow: %v", name, got.IsNarrow())
			}
			for i := range n {
				if g, w := catalog.DatumAt(got, i).SQL(), catalog.DatumAt(want, i).SQL(); g != w {
					t.Fatalf("ELSE %s, batch %d, row %d: %s, want %s", name, batch, i, g, w)
				}
			}
		}
	}
}

func newFilter(t *testing.T, e expr.Expr) *FilterEvaluator {
	t.Helper()
	f, err := CompileFilter([]expr.Expr{e}, []expr.ColID{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	return f.NewEvaluator(kernel.Ctx{})
}
