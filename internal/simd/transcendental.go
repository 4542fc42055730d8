package simd

import "math"

// The errors of logarithms, exponentials and powers are below 0.52, 0.6 and 0.75 units in the last
// place, and all processors return the same bits: the loops with vector instructions perform the
// operations of the functions here, one by one. Products that are added with separate rounding are
// converted to float64, to keep the compiler from fusing them.

// Base is that of a logarithm.
type Base uint8

// The bases.
const (
	Natural Base = iota
	Base2
	Base10
)

// perBase has the factors of natural logarithms, as sums of two numbers.
var perBase = [...][2]float64{
	Natural: {1, 0},
	Base2:   {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56},
	Base10:  {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57},
}

const (
	leastNormal      = 0x1p-1022
	mathPerIteration = 8 // elements per iteration of the loops
)

// Logs computes the logarithms of xs, which must be at least as long as dst.
func Logs(dst, xs []float64, base Base) {
	xs = xs[:len(dst)]
	f := perBase[base]
	done, odd := 0, uint64(0)
	if n := len(dst) &^ (mathPerIteration - 1); current.logarithms != nil && n > 0 {
		odd = current.logarithms(&dst[0], &xs[0], f[0], f[1], n)
		done = n
	}
	for i, x := range xs[:done] {
		if odd == 0 {
			break
		}
		if !isNormal(x) {
			dst[i] = Log(x, base)
		}
	}
	for i := done; i < len(xs); i++ {
		dst[i] = Log(xs[i], base)
	}
}

// Exps computes e to the powers xs, which must be at least as long as dst.
func Exps(dst, xs []float64) {
	for i := elementwise(current.exponentials, dst, xs); i < len(dst); i++ {
		dst[i] = Exp(xs[i])
	}
}

// Pows computes x to the power of y, which must both be at least as long as dst.
func Pows(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	done, odd := 0, uint64(0)
	if n := len(dst) &^ (mathPerIteration - 1); current.powers != nil && n > 0 {
		odd = current.powers(&dst[0], &x[0], &y[0], n)
		done = n
	}
	for i := range dst[:done] {
		if odd == 0 {
			break
		}
		if !isNormal(x[i]) || !(math.Abs(y[i]) <= 1<<64) {
			dst[i] = Pow(x[i], y[i])
		}
	}
	for i := done; i < len(dst); i++ {
		dst[i] = Pow(x[i], y[i])
	}
}

// Sqrts computes the square roots, NaN for negative numbers, of xs, which must be at least as long
// as dst.
func Sqrts(dst, xs []float64) {
	for i := elementwise(current.squareRoots, dst, xs); i < len(dst); i++ {
		dst[i] = math.Sqrt(xs[i])
	}
}

// Floors rounds xs down. It must be at least as long as dst.
func Floors(dst, xs []float64) {
	for i := elementwise(current.floors, dst, xs); i < len(dst); i++ {
		dst[i] = math.Floor(xs[i])
	}
}

// Ceilings rounds xs up. It must be at least as long as dst.
func Ceilings(dst, xs []float64) {
	for i := elementwise(current.ceilings, dst, xs); i < len(dst); i++ {
		dst[i] = math.Ceil(xs[i])
	}
}

// elementwise runs a loop, nil if there is none, over the first done elements.
func elementwise(f func(dst, src *float64, n int) uint64, dst, xs []float64) (done int) {
	if done = len(dst) &^ (mathPerIteration - 1); f == nil || done == 0 {
		return 0
	}
	_ = xs[done-1]
	f(&dst[0], &xs[0], done)
	return done
}

// isNormal reports whether x is positive, normal and finite.
func isNormal(x float64) bool { return x >= leastNormal && x <= math.MaxFloat64 }

// Log returns the logarithm of x: minus infinity of zero, NaN of negative numbers.
func Log(x float64, base Base) float64 {
	switch {
	case isNormal(x):
	case x > 0 && x < leastNormal:
		return times(logarithm(x*0x1p54, 54), base)
	default:
		return math.Log(x)
	}
	return times(logarithm(x, 0), base)
}

// Exp returns e to the power of x.
func Exp(x float64) float64 { return exponential(sum{hi: x}) }

// Pow returns x to the power of y. In all special cases it returns the result of math.Pow.
func Pow(x, y float64) float64 {
	m := math.Abs(x)
	switch {
	case m == 0 || m > math.MaxFloat64 || !(math.Abs(y) <= 1<<64) || x != x:
		return math.Pow(x, y)
	case x > 0:
		return power(m, y)
	case y != math.Trunc(y):
		return math.NaN()
	case math.Mod(y, 2) != 0:
		return -power(m, y)
	}
	return power(m, y)
}

func power(x, y float64) float64 {
	scale := 0.0
	if x < leastNormal {
		x, scale = x*0x1p54, 54
	}
	l := logarithm(x, scale)
	p := y * l.hi
	rest := math.FMA(y, l.lo, math.FMA(y, l.hi, -p))
	return exponential(sum{p, max(min(rest, 1), -1)})
}

// sum is a number represented as the sum of two, the second of which is small.
type sum struct{ hi, lo float64 }

func times(x sum, base Base) float64 {
	f := perBase[base]
	p := f[0] * x.hi
	cross := math.FMA(f[0], x.lo, float64(f[1]*x.hi))
	return p + (math.FMA(f[0], x.hi, -p) + cross)
}

// logarithm returns the natural logarithm of a positive, normal number over 2^scale to about 66
// bits. x is 2^k * z with z between the roots of 1/2 and 2. The logarithm of z is the series of
// 2*atanh(r), r = (z-1)/(z+1): 2*(r + r^3/3 + ...), whose terms from r^5 on are a polynomial.
func logarithm(x, scale float64) sum {
	bits := math.Float64bits(x)
	exponent := (bits + (1023<<52 - 0x3fe6a09e667f3bcd)) >> 52
	z := math.Float64frombits(bits - exponent<<52 + 1023<<52)
	k := math.Float64frombits(exponent|0x433<<52) - (1<<52 + 1023) - scale

	f, d := z-1, z+1
	rest := z - (d - 1)
	g := 1 / d
	r := f * g
	rLow := math.FMA(-r, rest, math.FMA(-r, d, f)) * g
	square := r * r
	squareLow := math.FMA(r+r, rLow, math.FMA(r, r, -square))

	q := 0x1.b8d433113b7fap-4
	for _, c := range [...]float64{0x1.ac4a89c964b82p-4, 0x1.e1f7fa7547177p-4, 0x1.1110dfad0f8eap-3, 0x1.3b13b1bc75cd4p-3,
		0x1.745d174513593p-3, 0x1.c71c71c71cfd9p-3, 0x1.2492492492491p-2, 0x1.999999999999ap-2} {
		q = math.FMA(q, square, c)
	}
	const third, thirdLow = 0x1.5555555555555p-1, 0x1.5555555555555p-55
	t := float64(q * square)
	u := third + t
	uLow := third - u + t + thirdLow
	w := square * u
	wLow := math.FMA(squareLow, u, math.FMA(square, uLow, math.FMA(square, u, -w)))
	v := r * w
	vLow := math.FMA(rLow, w, math.FMA(r, wLow, math.FMA(r, w, -v)))
	twice := r + r
	h := twice + v
	l := (twice - h + v) + (vLow + (rLow + rLow))

	whole := float64(k * ln2)
	a := whole + h
	b := (whole - a + h) + math.FMA(k, ln2Low, l)
	hi := a + b
	return sum{hi, a - hi + b}
}

// The logarithm of 2. The first part has few enough digits to be multiplied exactly.
const (
	ln2    = 0x1.62e42fefa4p-1
	ln2Low = -0x1.8432a1b0e2634p-43
)

// exponential returns e to the power of x: 2^k times e^r with r within half of ln 2, where e^r is 1
// + r + r^2 times a polynomial.
func exponential(x sum) float64 {
	hi := x.hi
	if !(hi < 720) {
		hi = 720
	}
	hi = max(hi, -760)
	const shift = 3 << 51 // moves whole numbers into the lowest bits
	k := math.FMA(hi, 0x1.71547652b82fep+0, shift) - shift
	b := math.FMA(-k, ln2Low, x.lo)
	h := math.FMA(-k, ln2, hi)
	r := h + b
	rLow := h - r + b
	q := 0x1.1f730349868cep-29
	for _, c := range [...]float64{0x1.af4de97ca4194p-26, 0x1.27e4db646b17ep-22, 0x1.71de0231960ebp-19, 0x1.a01a01a6d889cp-16, 0x1.a01a01abe7fe1p-13,
		0x1.6c16c16c162d4p-10, 0x1.11111111100dcp-7, 0x1.5555555555556p-5, 0x1.5555555555557p-3, 0x1p-1} {
		q = math.FMA(q, r, c)
	}
	w := math.FMA(float64(r*r), q, math.FMA(rLow, r, rLow))
	one := 1 + r
	y := one + (w + (1 - one + r))

	first := math.FMA(k, 0.5, shift)
	second := k - (first - shift) + shift
	return float64(y*powerOfTwo(first)) * powerOfTwo(second)
}

// powerOfTwo returns 2 to the power of a whole number that was added to 3*2^51.
func powerOfTwo(x float64) float64 { return math.Float64frombits(math.Float64bits(x)<<52 + 1023<<52) }
