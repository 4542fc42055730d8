package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

const precision = 160

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// bigExp sums the series of a number that is halved until it is small.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	r := new(big.Float).SetPrec(precision+2*halvings).SetMantExp(x, -halvings)
	sum, term := new(big.Float).SetPrec(r.Prec()).SetInt64(1), new(big.Float).SetPrec(r.Prec()).SetInt64(1)
	for n := int64(1); n < 40; n++ {
		term.Quo(term.Mul(term, r), bigFloat(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog sums the series of 2*atanh((m-1)/(m+1)) of the mantissa.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(precision)
	e := x.MantExp(m)
	if m.Cmp(bigFloat(0.70703125)) < 0 {
		m.SetMantExp(m, 1)
		e--
	}
	sum := atanhs(m)
	return sum.Add(sum, new(big.Float).Mul(atanhs(bigFloat(2)), bigFloat(float64(e))))
}

func atanhs(m *big.Float) *big.Float {
	r := new(big.Float).SetPrec(precision).Quo(new(big.Float).Sub(m, bigFloat(1)), new(big.Float).Add(m, bigFloat(1)))
	square, sum := new(big.Float).Mul(r, r), new(big.Float).SetPrec(precision)
	for n := 1; n < 120; n += 2 {
		sum.Add(sum, new(big.Float).Quo(r, bigFloat(float64(n)/2)))
		r.Mul(r, square)
	}
	return sum
}

// ulps reports how far got is from the exact value, in units of its last place.
func ulps(got float64, exact *big.Float) float64 {
	value, _ := exact.Float64()
	if math.IsInf(value, 0) || math.IsInf(got, 0) {
		if value == got {
			return 0
		}
		return math.Inf(1)
	}
	unit := math.Nextafter(math.Abs(value), math.Inf(1)) - math.Abs(value)
	off := new(big.Float).Sub(bigFloat(got), exact)
	f, _ := off.Quo(off, bigFloat(unit)).Float64()
	return math.Abs(f)
}

// near checks results against exact ones.
func near(t *testing.T, what string, limit float64, got float64, exact *big.Float, args ...float64) {
	t.Helper()
	if off := ulps(got, exact); !(off <= limit) {
		value, _ := exact.Float64()
		t.Errorf("%s of %v is %v, %.3f units from %v", what, args, got, off, value)
	}
}

// anyFloat returns positive numbers of all magnitudes, and such near 1.
func anyFloat(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return math.Float64frombits(r.Uint64N(0x7ff0000000000000))
	case 1:
		return 1 + (r.Float64()-0.5)*math.Pow(2, -float64(r.IntN(50)))
	}
	return r.Float64() * math.Pow(10, float64(r.IntN(12)-4))
}

var positives = []float64{1, 2, 3, 8, 10, 1000, 1e22, 0.5, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), math.Nextafter(1, 2), math.Nextafter(1, 0),
	math.SmallestNonzeroFloat64, 0x1p-1022, math.Nextafter(0x1p-1022, 0), math.MaxFloat64, math.E}

func TestAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	ln10, ln2 := bigLog(bigFloat(10)), bigLog(bigFloat(2))
	xs := slices.Clone(positives)
	for range 3000 {
		xs = append(xs, anyFloat(r))
	}
	for _, x := range xs {
		exact := bigLog(bigFloat(x))
		near(t, "Log", 0.52, Log(x, Natural), exact, x)
		near(t, "Log10", 0.52, Log(x, Base10), new(big.Float).Quo(exact, ln10), x)
		near(t, "Log2", 0.52, Log(x, Base2), new(big.Float).Quo(exact, ln2), x)
		e := (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(15)-4))
		if e = max(min(e, 709.78), -745); e > -708 {
			near(t, "Exp", 0.6, Exp(e), bigExp(bigFloat(e)), e)
		} else {
			near(t, "Exp", 1, Exp(e), bigExp(bigFloat(e)), e)
		}
		y := (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(12)))
		if r.IntN(3) == 0 {
			y = math.Round(y)
		}
		if p := y * math.Log(x); p < 709 && p > -708 {
			near(t, "Pow", 0.75, Pow(x, y), bigExp(new(big.Float).Mul(exact, bigFloat(y))), x, y)
		}
	}
}

// Results that are numbers of 53 bits come out exactly.
func TestExactPowers(t *testing.T) {
	for b := 2; b < 40; b++ {
		for e := 0; e < 60; e++ {
			n := new(big.Int).Exp(big.NewInt(int64(b)), big.NewInt(int64(e)), nil)
			want, accuracy := new(big.Float).SetInt(n).Float64()
			if accuracy != big.Exact {
				break
			}
			if got := Pow(float64(b), float64(e)); got != want {
				t.Errorf("%d^%d is %v", b, e, got)
			}
			if got := Pow(-float64(b), float64(e)); math.Abs(got) != want || (got < 0) != (e%2 == 1) {
				t.Errorf("(-%d)^%d is %v", b, e, got)
			}
			if got := Pow(want*want, 0.5); want < 1e150 && got != want && want*want/want == want && b%2 == 0 && b&(b-1) == 0 {
				t.Errorf("root of %v^2 is %v", want, got)
			}
		}
	}
	for e := -307; e <= 308; e++ {
		if got := Log(math.Ldexp(1, e), Base2); got != float64(e) {
			t.Errorf("Log2(2^%d) is %v", e, got)
		}
		if e >= 0 && e <= 22 {
			if got := Log(math.Pow10(e), Base10); got != float64(e) {
				t.Errorf("Log10(10^%d) is %v", e, got)
			}
		}
	}
	for _, c := range [][2]float64{{Exp(0), 1}, {Exp(709.7), 1.6549840276802644e+308}, {Exp(710), math.Inf(1)}, {Exp(-746), 0}, {Exp(math.Inf(1)), math.Inf(1)}, {Exp(math.Inf(-1)), 0}} {
		if c[0] != c[1] {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

var oddFloats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1e300, -1e300, 1e-300, -1e-300, 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1 << 64, 1 << 65, -1 << 65,
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 709.78, 709.79, -745.2, 1 + 0x1p-52, 1 - 0x1p-53}

// Special cases are those of math.Pow, which errs by more than units where squares add up.
func TestSpecialPowers(t *testing.T) {
	for _, x := range oddFloats {
		for _, y := range oddFloats {
			got, want := Pow(x, y), math.Pow(x, y)
			if got == want || got != got && want != want {
				continue
			}
			if !(math.Abs(got-want) <= 1e-4*math.Abs(want)) {
				t.Errorf("%v^%v is %v, want %v", x, y, got, want)
			}
		}
	}
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// The loops give the bits that the functions give.
func TestTranscendentalLoops(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(22, 2))
		pick := func(odd bool) float64 {
			switch {
			case odd && r.IntN(20) == 0:
				return oddFloats[r.IntN(len(oddFloats))]
			case r.IntN(3) == 0:
				return (r.Float64() - 0.5) * 1500
			}
			return anyFloat(r)
		}
		for turn := range 400 {
			n, odd := r.IntN(70), turn%2 == 0
			x, y, dst := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range n {
				if x[i], y[i] = pick(odd), pick(odd); !odd {
					x[i] = math.Abs(x[i])
				}
			}
			check := func(what string, want func(i int) float64) {
				t.Helper()
				for i, got := range dst {
					if w := want(i); !sameBits(got, w) {
						t.Fatalf("%s of %v, %v: %v, want %v", what, x[i], y[i], got, w)
					}
				}
			}
			for b := Natural; b <= Base10; b++ {
				Logs(dst, x, b)
				check("Log", func(i int) float64 { return Log(x[i], b) })
			}
			Exps(dst, y)
			check("Exp", func(i int) float64 { return Exp(y[i]) })
			Pows(dst, x, y)
			check("Pow", func(i int) float64 { return Pow(x[i], y[i]) })
			Sqrts(dst, y)
			check("Sqrt", func(i int) float64 { return math.Sqrt(y[i]) })
			Floors(dst, y)
			check("Floor", func(i int) float64 { return math.Floor(y[i]) })
			Ceilings(dst, y)
			check("Ceil", func(i int) float64 { return math.Ceil(y[i]) })
		}
	})
}

func BenchmarkTranscendental(b *testing.B) {
	x, y, dst := make([]float64, 1024), make([]float64, 1024), make([]float64, 1024)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i], y[i] = r.Float64()*100+1e-3, r.Float64()*20-10
	}
	for name, f := range map[string]func(){"log": func() { Logs(dst, x, Natural) }, "exp": func() { Exps(dst, y) }, "pow": func() { Pows(dst, x, y) }} {
		b.Run(name, func(b *testing.B) {
			EachLevel(b.Run, func(b *testing.B) {
				for range b.N {
					f()
				}
			})
		})
	}
}
