package dec128

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

func random(r *rand.Rand) Num {
	x := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(1+r.IntN(38))), nil)
	x.Sub(x, big.NewInt(1))
	if r.IntN(3) > 0 {
		y := new(big.Int).Mul(big.NewInt(r.Int64()), big.NewInt(r.Int64()))
		x.Mod(y, x.Add(x, big.NewInt(1)))
	}
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	return decimal128.FromBigInt(x)
}

var limit = new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)

// check compares a result with the exact one, which may be out of range.
func check(t *testing.T, op string, a, b, got Num, ok bool, want *big.Int) {
	t.Helper()
	fits := want.CmpAbs(limit) < 0
	if ok != fits || ok && got.BigInt().Cmp(want) != 0 {
		t.Fatalf("%v %s %v: got %v %v, want %v", a.BigInt(), op, b.BigInt(), got.BigInt(), ok, want)
	}
}

func halfAway(x, y *big.Int) *big.Int {
	neg := x.Sign()*y.Sign() < 0
	n := new(big.Int).Lsh(new(big.Int).Abs(x), 1)
	d := new(big.Int).Abs(y)
	n.Add(n, d).Quo(n, new(big.Int).Lsh(d, 1))
	if neg {
		n.Neg(n)
	}
	return n
}

func TestAgainstBigInt(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50000 {
		a, b, k := random(r), random(r), r.IntN(30)
		x, y := a.BigInt(), b.BigInt()
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
		sum, ok := Add(a, b)
		check(t, "+", a, b, sum, ok, new(big.Int).Add(x, y))
		diff, ok := Sub(a, b)
		check(t, "-", a, b, diff, ok, new(big.Int).Sub(x, y))
		prod, ok := Mul(a, b)
		check(t, "*", a, b, prod, ok, new(big.Int).Mul(x, y))
		prod, ok = MulDown(a, b, k)
		check(t, "*down", a, b, prod, ok, halfAway(new(big.Int).Mul(x, y), p))
		if y.Sign() != 0 {
			q, ok := Div(a, k, b)
			check(t, "/", a, b, q, ok, halfAway(new(big.Int).Mul(x, p), y))
			q, ok = Quo(a, k, b)
			check(t, "quo", a, b, q, ok, new(big.Int).Quo(new(big.Int).Mul(x, p), y))
			check(t, "rem", a, b, Rem(a, b), true, new(big.Int).Rem(x, y))
		}
		check(t, "down", a, b, Down(a, k), true, halfAway(x, p))
		check(t, "trunc", a, b, Trunc(a, k), true, new(big.Int).Quo(x, p))
		if Cmp(a, b) != x.Cmp(y) {
			t.Fatalf("cmp %v %v", x, y)
		}
		if CmpScaled(a, k, b, 0) != x.Cmp(new(big.Int).Mul(y, p)) {
			t.Fatalf("cmp %v / 10^%d with %v", x, k, y)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		s     string
		scale int
		want  string
		ok    bool
		rest  int
	}{
		{"1.25", 1, "13", true, 0},
		{"-1.25", 1, "-13", true, 0},
		{"-1.24", 1, "-12", true, 0},
		{"5.", 0, "5", true, 0},
		{".5", 0, "1", true, 0},
		{".", 0, "0", true, 1},
		{"", 0, "0", true, 0},
		{"abc", 2, "0", true, 3},
		{"12abc", 2, "1200", true, 3},
		{"1e3", 0, "1000", true, 0},
		{"1e", 0, "1", true, 1},
		{"12345e-3", 2, "1235", true, 0},
		{"1e-100", 5, "0", true, 0},
		{"99999999999999999999999999999999999999", 0, "99999999999999999999999999999999999999", true, 0},
		{"100000000000000000000000000000000000000", 0, "99999999999999999999999999999999999999", false, 0},
		{"0.999999999999999999999999999999999999999", 2, "100", true, 0},
		{"-1e50", 0, "-99999999999999999999999999999999999999", false, 0},
		{"0e50", 0, "0", true, 0},
		{"1.2.3", 1, "12", true, 2},
	} {
		n, ok, rest := Parse(c.s, c.scale)
		if n.BigInt().String() != c.want || ok != c.ok || rest != c.rest {
			t.Errorf("Parse(%q, %d) = %v %v %d, want %s %v %d", c.s, c.scale, n.BigInt(), ok, rest, c.want, c.ok, c.rest)
		}
	}
}

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		f     float64
		scale int
		want  string
	}{{0.1, 3, "100"}, {1.005, 2, "101"}, {-2.5, 0, "-3"}, {1e20, 2, "10000000000000000000000"}, {1e-30, 5, "0"}} {
		if n, ok := FromFloat(c.f, c.scale); !ok || n.BigInt().String() != c.want {
			t.Errorf("FromFloat(%v, %d) = %v, want %s", c.f, c.scale, n.BigInt(), c.want)
		}
	}
	if f := Float64(decimal128.FromI64(-12345), 3); f != -12.345 {
		t.Errorf("got %v", f)
	}
	// 2^64 + 1 over 10: needs more digits than a double has.
	n := decimal128.New(1, 1)
	if f := Float64(n, 1); f != 1844674407370955161.7 {
		t.Errorf("got %v", f)
	}
}

func TestWidth(t *testing.T) {
	for _, c := range []struct {
		xs   []int64
		want int
	}{
		{nil, 0}, {[]int64{0, -1}, 0}, {[]int64{1}, 1}, {[]int64{-2}, 1}, {[]int64{0, 0, 0, 0, 255}, 8}, {[]int64{0, 0, 256, 0, 0, 1}, 9},
		{[]int64{0, 0, 0, 1 << 40}, 41}, {[]int64{0, -1 << 63, 0, 0}, 63}, {[]int64{1<<63 - 1, 1, 1, 1, 1, 1, 1, 1}, 63},
	} {
		if got := Width(c.xs); got != c.want {
			t.Errorf("%d takes %d bits, want %d", c.xs, got, c.want)
		}
	}
}
