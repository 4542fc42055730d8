package eval

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// edge64 holds integers at the limits of 64-bit arithmetic.
var edge64 = []uint64{0, 1, 2, 3, 10, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1}

func randInt(r *rand.Rand) int64 {
	switch r.IntN(3) {
	case 0:
		return int64(edge64[r.IntN(len(edge64))])
	case 1:
		return int64(r.Uint64() >> r.IntN(64))
	}
	return -int64(r.Uint64() >> (1 + r.IntN(63)))
}

// randDec returns a valid decimal of up to 38 digits, often short.
func randDec(r *rand.Rand) decimal128.Num {
	digits := 1 + r.IntN(38)
	x := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	x.Sub(x, big.NewInt(int64(1+r.IntN(3))))
	if r.IntN(3) > 0 {
		f := big.NewInt(r.Int64())
		x.Mod(f.Mul(f, big.NewInt(r.Int64())).Mul(f, big.NewInt(r.Int64())), x.Add(x, big.NewInt(3)))
	}
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	n := decimal128.FromBigInt(x)
	if x.BitLen() > 126 {
		return decimal128.FromI64(7)
	}
	return n
}

func bigOf(d catalog.Datum) *big.Rat {
	switch d.Type.Kind() {
	case types.KindU64:
		return new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(d.I64)))
	case types.KindDec:
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Type.Scale)), nil)
		return new(big.Rat).SetFrac(d.Dec.BigInt(), scale)
	}
	return new(big.Rat).SetInt64(d.I64)
}

// exact computes a function in rational numbers; nil is NULL. If cut is set, the quotient is
// truncated instead of rounded.
func exact(fn expr.FuncID, a, b *big.Rat, t types.Type, cut bool) *big.Rat {
	r := new(big.Rat)
	switch fn {
	case "+":
		r.Add(a, b)
	case "-":
		r.Sub(a, b)
	case "*":
		r.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return nil
		}
		r.Quo(a, b)
		if fn == "/" && cut {
			return cutRat(r, int(t.Scale))
		}
		if fn == "/" {
			break
		}
		q := new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
		if fn == "div" {
			return q
		}
		r.Sub(a, q.Mul(q, b))
	}
	return roundRat(r, int(t.Scale))
}

// cutRat truncates to scale digits after the point.
func cutRat(r *big.Rat, scale int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x := new(big.Int).Mul(r.Num(), p)
	return new(big.Rat).SetFrac(x.Quo(x, r.Denom()), p)
}

// roundRat rounds half away from zero to scale digits after the point.
func roundRat(r *big.Rat, scale int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x := new(big.Int).Mul(new(big.Int).Abs(r.Num()), p)
	x.Lsh(x, 1).Add(x, r.Denom())
	x.Quo(x, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		x.Neg(x)
	}
	return new(big.Rat).SetFrac(x, p)
}

func inRange(r *big.Rat, t types.Type) bool {
	lo, hi := new(big.Int), new(big.Int)
	switch t.Kind() {
	case types.KindU64:
		hi.SetUint64(1<<64 - 1)
	case types.KindI64:
		lo.SetInt64(-1 << 63)
		hi.SetInt64(1<<63 - 1)
	default:
		hi.Exp(big.NewInt(10), big.NewInt(38), nil)
		hi.Sub(hi, big.NewInt(1))
		lo.Neg(hi)
		r = new(big.Rat).Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)))
	}
	return r.Cmp(new(big.Rat).SetInt(lo)) >= 0 && r.Cmp(new(big.Rat).SetInt(hi)) <= 0
}

// TestArithmeticAgainstRationals compares every operator on random operands of all exact types
// with rational arithmetic.
func TestArithmeticAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []types.Type{kernel.Int64Type, kernel.Uint64Type, types.Dec(38, 0), types.Dec(38, 2), types.Dec(38, 9), types.Dec(38, 20)}
	for _, fn := range []expr.FuncID{"+", "-", "*", "/", "%", "div"} {
		for _, ta := range kinds {
			for _, tb := range kinds {
				for range 200 {
					checkExact(t, fn, randDatum(r, ta), randDatum(r, tb))
				}
			}
		}
	}
}

func randDatum(r *rand.Rand, t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t, I64: randInt(r)}
	if t.Kind() == types.KindDec {
		d = catalog.Datum{Type: t, Dec: randDec(r)}
	}
	return d
}

func checkExact(t *testing.T, fn expr.FuncID, a, b catalog.Datum) {
	t.Helper()
	x := &expr.Col{ID: 0, Name: "a", T: a.Type}
	y := &expr.Col{ID: 1, Name: "b", T: b.Type}
	e, err := expr.NewCall(fn, []expr.Expr{x, y}, -1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(e, []expr.ColID{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.NewEvaluator(kernel.Ctx{}).Eval(&vec.Batch{N: 1, Cols: []*vec.Vector{a.Vector(1).Flatten(nil), b.Vector(1).Flatten(nil)}})
	want := exact(fn, bigOf(a), bigOf(b), e.Type(), fn == expr.FuncDiv && expr.CutsOff(e.(*expr.Call)))
	name := fmt.Sprintf("%s %s %s", a.Text(), fn, b.Text())
	switch {
	case want == nil && !tooWide(e, a, b):
		if err != nil || !v.IsNull(0) {
			t.Errorf("%s: want NULL", name)
		}
	case tooWide(e, a, b) || !inRange(want, e.Type()):
		if sqlerr.From(err) == nil || sqlerr.From(err).Code != sqlerr.DataOutOfRange {
			t.Errorf("%s: error %v, want 1690", name, err)
		}
	case err != nil:
		t.Errorf("%s: %v, want %s", name, err, want.FloatString(5))
	case v.IsNull(0) || bigOf(catalog.DatumAt(v, 0)).Cmp(want) != 0:
		t.Errorf("%s: got %s, want %s", name, catalog.DatumAt(v, 0).Text(), want.FloatString(int(e.Type().Scale)))
	}
}

// tooWide reports whether an operand overflows 38 digits in the common scale.
func tooWide(e expr.Expr, args ...catalog.Datum) bool {
	for i, a := range e.(*expr.Call).Args {
		if a.Type().Kind() == types.KindDec && !inRange(bigOf(args[i]), a.Type()) {
			return true
		}
	}
	return false
}

// TestComparisonsAgainstRationals compares relations between all pairs of exact types, as values,
// as filters of columns, and with constants.
func TestComparisonsAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	kinds := []types.Type{kernel.Int64Type, kernel.Uint64Type, types.Dec(38, 0), types.Dec(20, 2), types.Dec(38, 20)}
	for _, ta := range kinds {
		for _, tb := range kinds {
			const n = 300
			a, b := vec.NewFlat(ta, n), vec.NewFlat(tb, n)
			for i := range n {
				x, y := randDatum(r, ta), randDatum(r, tb)
				if i%4 == 0 && ta.Kind() != types.KindDec && tb.Kind() != types.KindDec {
					y.I64 = x.I64
				}
				put(a, i, x)
				put(b, i, y)
				if i%17 == 3 {
					a.SetNull(i)
				}
			}
			checkRelations(t, a, b)
		}
	}
}

func put(v *vec.Vector, i int, d catalog.Datum) {
	if v.Type.Kind() == types.KindDec {
		if v.Type.Prec < 38 {
			d.Dec = decimal128.FromI64(int64(d.Dec.LowBits()) >> 10)
		}
		v.Dec[i] = d.Dec
		return
	}
	v.I64[i] = d.I64
}

func checkRelations(t *testing.T, a, b *vec.Vector) {
	t.Helper()
	x, y := &expr.Col{ID: 0, Name: "a", T: a.Type}, &expr.Col{ID: 1, Name: "b", T: b.Type}
	batch := &vec.Batch{N: a.N, Cols: []*vec.Vector{a, b}}
	for fn, rel := range kernel.Relations {
		e, err := expr.NewCall(fn, []expr.Expr{x, y}, -1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := CompileFilter([]expr.Expr{e}, []expr.ColID{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		idx, all, err := f.NewEvaluator(kernel.Ctx{}).Select(batch)
		if err != nil || all {
			t.Fatalf("%v %v %v", e, all, err)
		}
		got := map[int32]bool{}
		for _, i := range idx {
			got[i] = true
		}
		for i := range a.N {
			want := !a.IsNull(i) && rel.Holds(bigOf(catalog.DatumAt(a, i)).Cmp(bigOf(catalog.DatumAt(b, i)))) == 1
			if got[int32(i)] != want {
				t.Errorf("%s %s %s: got %v", catalog.DatumAt(a, i).Text(), fn, catalog.DatumAt(b, i).Text(), got[int32(i)])
			}
		}
	}
}
