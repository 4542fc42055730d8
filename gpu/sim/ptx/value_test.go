package ptx

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// number returns the low bits of v as a number with or without sign.
func number(v uint64, bits uint, hasSign bool) *big.Int {
	x := new(big.Int).SetUint64(v)
	x.And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	if hasSign && x.Bit(int(bits)-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	return x
}

// low returns the low bits of a number in two's complement.
func low(x *big.Int, bits uint) uint64 {
	return new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1))).Uint64()
}

func bigExtreme(least bool) func(a, b, _ *big.Int) *big.Int {
	return func(a, b, _ *big.Int) *big.Int {
		if a.Cmp(b) < 0 == least {
			return a
		}
		return b
	}
}

var integerOps = map[string]func(a, b, c *big.Int) *big.Int{
	"add":    func(a, b, _ *big.Int) *big.Int { return new(big.Int).Add(a, b) },
	"sub":    func(a, b, _ *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
	"mul.lo": func(a, b, _ *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	"mul.hi": func(a, b, _ *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
	"mad.lo": func(a, b, c *big.Int) *big.Int { return new(big.Int).Add(new(big.Int).Mul(a, b), c) },
	"div":    func(a, b, _ *big.Int) *big.Int { return new(big.Int).Quo(a, b) },
	"rem":    func(a, b, _ *big.Int) *big.Int { return new(big.Int).Rem(a, b) },
	"neg":    func(a, _, _ *big.Int) *big.Int { return new(big.Int).Neg(a) },
	"abs":    func(a, _, _ *big.Int) *big.Int { return new(big.Int).Abs(a) },
	"min":    bigExtreme(true),
	"max":    bigExtreme(false),
}

// TestIntegers compares integer arithmetic with that of unlimited width.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	edges := []uint64{0, 1, 2, math.MaxInt32, 1 << 31, math.MaxUint32, math.MaxInt64, 1 << 63, math.MaxUint64}
	pick := func() uint64 {
		if r.IntN(2) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return r.Uint64()
	}
	for op, f := range integerOps {
		for _, typ := range []string{"u32", "s32", "u64", "s64"} {
			form := op + "." + typ
			count, ok := forms[form]
			if !ok {
				continue
			}
			bits, _ := strconv.Atoi(typ[1:])
			class := map[int]string{32: "rrrr", 64: "dddd"}[bits]
			for range 40 {
				in := []uint64{pick(), pick(), pick()}
				x := [3]*big.Int{}
				for i := range in {
					x[i] = number(in[i], uint(bits), typ[0] == 's')
				}
				if (op == "div" || op == "rem") && x[1].Sign() == 0 {
					continue
				}
				z := f(x[0], x[1], x[2])
				if op == "mul.hi" {
					z.Rsh(z, uint(bits))
				}
				want := low(z, uint(bits))
				if got := evaluate(t, form, class[:count], in[:count-1]...); got != want {
					t.Errorf("%s of %x: %#x, want %#x", form, in[:count-1], got, want)
				}
			}
		}
	}
}

// TestWide: the product of 32-bit factors has 64 bits.
func TestWide(t *testing.T) {
	const most = math.MaxUint32
	if got := evaluate(t, "mul.wide.u32", "drr", most, most); got != most*most {
		t.Errorf("%#x", got)
	}
	if got := evaluate(t, "mad.wide.u32", "drrd", most, most, 2*most); got != math.MaxUint64 {
		t.Errorf("%#x", got)
	}
}

func TestBits(t *testing.T) {
	minus := func(v uint64) uint64 { return -v }
	for _, test := range []struct {
		op, types string
		want      uint64
		in        []uint64
	}{
		{"shl.b32", "rrr", 0x80000000, []uint64{1, 31}},
		{"shl.b32", "rrr", 0, []uint64{1, 32}},
		{"shl.b64", "ddr", 1 << 63, []uint64{1, 63}},
		{"shl.b64", "ddr", 0, []uint64{1, 64}},
		{"shr.u32", "rrr", 1, []uint64{1 << 31, 31}},
		{"shr.u32", "rrr", 0, []uint64{1 << 31, 0xffffffff}},
		{"shr.s32", "rrr", 0xffffffff, []uint64{1 << 31, 32}},
		{"shr.s32", "rrr", 0, []uint64{1 << 30, 99}},
		{"shr.u64", "ddr", 0, []uint64{minus(1), 64}},
		{"shr.s64", "ddr", minus(1), []uint64{1 << 63, 64}},
		{"shr.s64", "ddr", minus(2), []uint64{minus(8), 2}},
		{"bfe.u32", "rrrr", 0x5, []uint64{0xabc5d, 4, 4}},
		{"bfe.u32", "rrrr", 0, []uint64{0xabc5d, 4, 0}},
		{"bfe.u32", "rrrr", 0xabcd1234, []uint64{0xabcd1234, 0, 32}},
		{"popc.b32", "rr", 32, []uint64{minus(1)}},
		{"popc.b64", "rd", 64, []uint64{minus(1)}},
		{"clz.b32", "rr", 32, []uint64{0}},
		{"clz.b32", "rr", 0, []uint64{1 << 31}},
		{"brev.b32", "rr", 1 << 31, []uint64{1}},
		{"not.b32", "rr", 0xfffffff0, []uint64{0xf}},
		{"not.pred", "pp", 0, []uint64{1}},
		{"and.pred", "ppp", 0, []uint64{1, 0}},
		{"or.pred", "ppp", 1, []uint64{1, 0}},
		{"xor.pred", "ppp", 0, []uint64{1, 1}},
		{"and.b64", "ddd", 0x0f00 << 40, []uint64{0xff00 << 40, 0x0fff << 40}},
		{"or.b32", "rrr", 0xff, []uint64{0xf0, 0x0f}},
		{"xor.b64", "ddd", minus(1), []uint64{0, minus(1)}},
		{"selp.b64", "dddp", 7, []uint64{7, 8, 1}},
		{"selp.b32", "rrrp", 8, []uint64{7, 8, 0}},
		{"cvt.u32.u64", "rd", 0x9abcdef0, []uint64{0x123456789abcdef0}},
		{"cvt.u64.u32", "dr", 0xffffffff, []uint64{0xffffffff}},
		{"cvt.s64.s32", "dr", minus(1), []uint64{0xffffffff}},
		{"mov.b64", "fd", 5, []uint64{5}},
	} {
		if got := evaluate(t, test.op, test.types, test.in...); got != test.want {
			t.Errorf("%s of %x: %#x, want %#x", test.op, test.in, got, test.want)
		}
	}
}

func TestDoubles(t *testing.T) {
	nan, zero, inf := math.NaN(), math.Copysign(0, -1), math.Inf(1)
	for _, test := range []struct {
		op   string
		want float64
		in   []float64
	}{
		{"add.rn.f64", 1, []float64{1, 0x1p-53}}, // a tie, to even
		{"add.rn.f64", 1 + 0x1p-51, []float64{1 + 0x1p-52, 0x1p-53}},
		{"sub.rn.f64", zero, []float64{zero, 0}},
		{"mul.rn.f64", inf, []float64{math.MaxFloat64, 2}},
		{"div.rn.f64", -inf, []float64{1, zero}},
		{"div.rn.f64", nan, []float64{0, 0}},
		{"div.rn.f64", 0.25, []float64{1, 4}},
		{"min.f64", zero, []float64{0, zero}},
		{"min.f64", zero, []float64{zero, 0}},
		{"max.f64", 0, []float64{0, zero}},
		{"max.f64", 0, []float64{zero, 0}},
		{"min.f64", 3, []float64{nan, 3}},
		{"max.f64", 3, []float64{3, nan}},
		{"max.f64", nan, []float64{nan, nan}},
		{"min.f64", -inf, []float64{-inf, 3}},
		{"neg.f64", zero, []float64{0}},
		{"abs.f64", 0, []float64{zero}},
		{"sqrt.rn.f64", 1.5, []float64{2.25}},
		{"sqrt.rn.f64", 0x1.6a09e667f3bcdp+0, []float64{2}},
	} {
		var in []uint64
		for _, x := range test.in {
			in = append(in, math.Float64bits(x))
		}
		got := math.Float64frombits(evaluate(t, test.op, "fff"[:len(in)+1], in...))
		if math.IsNaN(test.want) != math.IsNaN(got) || !math.IsNaN(got) && math.Float64bits(got) != math.Float64bits(test.want) {
			t.Errorf("%s of %v: %v, want %v", test.op, test.in, got, test.want)
		}
	}
	for in, want := range map[uint64]float64{1<<53 + 1: 1 << 53, 1<<53 + 3: 1<<53 + 4, 1 << 63: -1 << 63} {
		if got := math.Float64frombits(evaluate(t, "cvt.rn.f64.s64", "fd", in)); got != want {
			t.Errorf("%#x as a double: %v, want %v", in, got, want)
		}
	}
	if got := math.Float64frombits(evaluate(t, "cvt.rn.f64.s32", "fr", math.MaxUint32)); got != -1 {
		t.Errorf("%v, want -1", got)
	}
}

// TestComparisons: all of them, for a number that is less, equal, greater, or none of these. The bits
// of want are the results of eq, ne, lt, le, gt, ge.
func TestComparisons(t *testing.T) {
	const lessBits, equalBits, greaterBits = 0b011100, 0b100101, 0b010011
	nan := math.Float64bits(math.NaN())
	for _, test := range []struct {
		typ, classes string
		a, b         uint64
		want         int
	}{
		{"u32", "prrp", 1, math.MaxUint32, lessBits}, {"s32", "prrp", 1, math.MaxUint32, greaterBits},
		{"u64", "pddp", 1, math.MaxUint64, lessBits}, {"s64", "pddp", 1, math.MaxUint64, greaterBits},
		{"u32", "prrp", 1<<32 + 5, 5, equalBits}, {"s64", "pddp", 1<<32 + 5, 5, greaterBits},
		{"f64", "pffp", 0, 1 << 63, equalBits}, {"f64", "pffp", nan, nan, 0}, {"f64", "pffp", nan, 0, 0}, {"f64", "pffp", 0, nan, 0},
		{"f64", "pffp", math.Float64bits(-2), math.Float64bits(-1), lessBits},
	} {
		for i, cmp := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			want := uint64(test.want >> (5 - i) & 1)
			if got := evaluate(t, "setp."+cmp+"."+test.typ, test.classes[:3], test.a, test.b); got != want {
				t.Errorf("%s.%s of %#x and %#x: %d", cmp, test.typ, test.a, test.b, got)
			}
			for p := range uint64(2) {
				if got := evaluate(t, "setp."+cmp+".and."+test.typ, test.classes, test.a, test.b, p); got != want&p {
					t.Errorf("%s.and.%s of %#x, %#x and %d: %d", cmp, test.typ, test.a, test.b, p, got)
				}
			}
		}
	}
}
