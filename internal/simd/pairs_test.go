package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

var floatEdges = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}

// element makes numbers of any size, edges among them.
func element[T Element](r *rand.Rand, small bool) T {
	switch any(T(0)).(type) {
	case float64:
		if r.IntN(4) == 0 {
			return T(floatEdges[r.IntN(len(floatEdges))])
		}
		return T(float64(number(r)) / 8)
	case int32:
		if small {
			return T(number(r)>>41 | int64(r.IntN(2)))
		}
	}
	return T(number(r))
}

func compute[T Element](op Operation, a, b T) T {
	switch op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul, MulNarrow:
		return a * b
	}
	return T(int64(a) % int64(b))
}

func testArithmetic[T Element](t *testing.T, ops ...Operation) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		op := ops[r.IntN(len(ops))]
		n := r.IntN(200)
		a, b, dst := make([]T, n), make([]T, n), make([]T, n+1)
		for i := range a {
			a[i], b[i] = element[T](r, op == RemSmall), element[T](r, op == RemSmall)
			if op == MulNarrow {
				a[i], b[i] = T(int32(a[i])), T(int32(b[i]))
			}
			if op >= Rem && b[i] == 0 {
				b[i] = 1
			}
		}
		dst[n] = 42
		check := func(form string, x, y func(i int) T) {
			if dst[n] != 42 {
				t.Fatalf("%s %d: more than %d done", form, op, n)
			}
			for i := range n {
				if want := compute(op, x(i), y(i)); !same(dst[i], want) {
					t.Fatalf("%s: %v op %d %v gives %v, not %v", form, x(i), op, y(i), dst[i], want)
				}
			}
		}
		at := func(xs []T) func(int) T { return func(i int) T { return xs[i] } }
		Arithmetic(op, dst[:n], a, b)
		check("VV", at(a), at(b))
		if n == 0 {
			continue
		}
		c := func(int) T { return b[0] }
		ArithmeticConst(op, dst[:n], a, b[0])
		check("VC", at(a), c)
		ConstArithmetic(op, dst[:n], a[0], b)
		check("CV", func(int) T { return a[0] }, at(b))
	}
}

// same compares floats by their bits, so that zeroes of either sign differ, but for NaN.
func same[T Element](a, b T) bool {
	if x, ok := any(a).(float64); ok && x == x {
		return math.Float64bits(x) == math.Float64bits(float64(b))
	}
	return a == b || a != a && b != b
}

func TestArithmetic(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		t.Run("int32", func(t *testing.T) { testArithmetic[int32](t, Add, Sub, Mul, Rem, RemSmall) })
		t.Run("int64", func(t *testing.T) { testArithmetic[int64](t, Add, Sub, Mul, MulNarrow) })
		t.Run("float64", func(t *testing.T) { testArithmetic[float64](t, Add, Sub, Mul) })
	})
}

// Quotients just below an integer must not be rounded up to it, those of multiples not down.
func TestRemainderNearMultiples(t *testing.T) { EachLevel(t.Run, testRemainderNearMultiples) }

func testRemainderNearMultiples(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, op := range []Operation{Rem, RemSmall} {
		most := int64(math.MaxInt32)
		if op == RemSmall {
			most = 1<<23 - 1
		}
		for range 3000 {
			a, b, dst := make([]int32, 64), make([]int32, 64), make([]int32, 64)
			near := func(y int64) int32 {
				x := int32((1+r.Int64N(most/y))*y - r.Int64N(2))
				if r.IntN(2) == 0 {
					return -x
				}
				return x
			}
			divisor := func() int64 { return 1 + r.Int64N(most)>>r.IntN(23) }
			for i := range a {
				y := divisor()
				a[i], b[i] = near(y), int32(y)
				if r.IntN(2) == 0 {
					b[i] = -b[i]
				}
			}
			Arithmetic(op, dst, a, b)
			checkRemainders(t, dst, a, func(i int) int32 { return b[i] })
			c := divisor()
			for i := range a {
				a[i] = near(c)
			}
			for _, c := range []int32{int32(c), int32(-c)} {
				ArithmeticConst(op, dst, a, c)
				checkRemainders(t, dst, a, func(int) int32 { return c })
			}
		}
	}
}

func checkRemainders(t *testing.T, dst, a []int32, b func(i int) int32) {
	t.Helper()
	for i, x := range dst {
		if x != a[i]%b(i) {
			t.Fatalf("%d %% %d gives %d", a[i], b(i), x)
		}
	}
}

func holds[T Element](p Predicate, a, b T) bool {
	switch p {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return a < b
	case LessEqual:
		return a <= b
	case Greater:
		return a > b
	}
	return a >= b
}

func testCompare[T Element](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		n, p := r.IntN(200), Predicate(r.IntN(int(predicates)))
		a, b, dst := make([]T, n+1), make([]T, n+1), make([]uint64, n/64+2)
		for i := range a {
			if a[i], b[i] = element[T](r, false), element[T](r, false); r.IntN(3) == 0 {
				b[i] = a[i]
			}
		}
		check := func(done int, b func(i int) T) {
			if done > n || level > None && done != n&^63 || dst[done/64] != 0 {
				t.Fatalf("%d of %d done", done, n)
			}
			for i := range done {
				if dst[i/64]>>(i%64)&1 == 1 != holds(p, a[i], b(i)) {
					t.Fatalf("%v %d %v is wrong", a[i], p, b(i))
				}
			}
		}
		check(Compare(dst, a[:n], b[:n], p), func(i int) T { return b[i] })
		clear(dst)
		check(CompareConst(dst, a[:n], b[n], p), func(int) T { return b[n] })
	}
}

func TestCompare(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		t.Run("int32", testCompare[int32])
		t.Run("int64", testCompare[int64])
		t.Run("float64", testCompare[float64])
	})
}

func TestMasked(t *testing.T) { EachLevel(t.Run, testMasked) }

func testMasked(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 3000 {
		n := r.IntN(300)
		xs, us, mask := make([]int64, n), make([]uint64, n), make([]uint64, n/64+1)
		for i := range xs {
			xs[i] = number(r)
			us[i] = uint64(number(r))
		}
		for i := range mask {
			mask[i] = r.Uint64() & r.Uint64()
		}
		sum, done := SumMasked(xs, mask)
		least, same := LeastMasked(us, mask)
		if done != same || level > None && done != n&^63 {
			t.Fatalf("%d and %d of %d done", done, same, n)
		}
		var wantSum int64
		wantLeast := uint64(math.MaxUint64)
		for i := range done {
			if mask[i/64]>>(i%64)&1 == 1 {
				wantSum += xs[i]
				wantLeast = min(wantLeast, us[i])
			}
		}
		if sum != wantSum || least != wantLeast {
			t.Fatalf("sum %d, least %d, not %d and %d", sum, least, wantSum, wantLeast)
		}
	}
}

// BenchmarkPairs measures the time of 2048 elements at each level.
func BenchmarkPairs(b *testing.B) {
	a, c, dst, mask := make([]int32, 2048), make([]int32, 2048), make([]int32, 2048), make([]uint64, 32)
	wide, sums, floats, products := make([]int64, 2048), make([]int64, 2048), make([]float64, 2048), make([]float64, 2048)
	for i := range a {
		a[i], c[i], wide[i], floats[i] = int32(i*7919%1000), int32(1+i%1000), int64(i), float64(i)
	}
	EachLevel(b.Run, func(b *testing.B) {
		run := func(name string, f func()) {
			b.Run(name, func(b *testing.B) {
				for range b.N {
					f()
				}
			})
		}
		run("add int32", func() { ArithmeticConst(Add, dst, a, 3) })
		run("multiply int32", func() { ArithmeticConst(Mul, dst, a, 3) })
		run("multiply int64", func() { ArithmeticConst(Mul, sums, wide, 3) })
		run("multiply narrow", func() { ArithmeticConst(MulNarrow, sums, wide, 3) })
		run("multiply float64", func() { ArithmeticConst(Mul, products, floats, 3) })
		run("compare int32", func() { CompareConst(mask, a, 3, Less) })
		run("compare int64", func() { CompareConst(mask, wide, 3, Less) })
		run("compare float64", func() { CompareConst(mask, floats, 3, Less) })
		run("remainder", func() { ConstArithmetic(Rem, dst, 999, c) })
		run("remainder by constant", func() { ArithmeticConst(Rem, dst, c, 999) })
		run("small remainder", func() { ConstArithmetic(RemSmall, dst, 999, c) })
		run("small remainder by constant", func() { ArithmeticConst(RemSmall, dst, c, 999) })
		run("doubles", func() { Doubles(products, wide) })
		run("finite", func() { AreFinite(floats) })
		run("magnitudes", func() { Magnitudes(wide) })
		run("sum", func() { SumMasked(wide, mask) })
		run("least", func() { LeastMasked(make([]uint64, 2048), mask) })
		run("select int32", func() { Select(dst, a, 500, Less) })
		run("select int64", func() { Select(dst, wide, 500, Less) })
		run("select float64", func() { Select(dst, floats, 500, Less) })
	})
}
