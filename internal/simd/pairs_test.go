package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// element makes numbers of any size, edges among them.
func element[T Element](r *rand.Rand, small bool) T {
	switch any(T(0)).(type) {
	case float64:
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
	case Mul:
		return a * b
	}
	return T(int64(a) % int64(b))
}

func testArithmetic[T Element](t *testing.T, last Operation) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		op := Operation(r.IntN(int(last) + 1))
		n := r.IntN(200)
		a, b, dst := make([]T, n), make([]T, n), make([]T, n+1)
		for i := range a {
			a[i], b[i] = element[T](r, op == RemSmall), element[T](r, op == RemSmall)
			if op >= Rem && b[i] == 0 {
				b[i] = 1
			}
		}
		dst[n] = 42
		check := func(form string, done int, x, y func(i int) T) {
			if dst[n] != 42 || done > n || hasMasked() && done != n&^63 && form != "CV" {
				t.Fatalf("%s %d: %d of %d done", form, op, done, n)
			}
			for i := range done {
				if want := compute(op, x(i), y(i)); dst[i] != want {
					t.Fatalf("%s: %v op %d %v gives %v, not %v", form, x(i), op, y(i), dst[i], want)
				}
			}
		}
		at := func(xs []T) func(int) T { return func(i int) T { return xs[i] } }
		check("VV", Arithmetic(op, dst[:n], a, b), at(a), at(b))
		if n == 0 {
			continue
		}
		c := func(int) T { return b[0] }
		check("VC", ArithmeticConst(op, dst[:n], a, b[0]), at(a), c)
		check("CV", ConstArithmetic(op, dst[:n], a[0], b), func(int) T { return a[0] }, at(b))
	}
}

func TestArithmetic(t *testing.T) {
	t.Run("int32", func(t *testing.T) { testArithmetic[int32](t, RemSmall) })
	t.Run("int64", func(t *testing.T) { testArithmetic[int64](t, Mul) })
	t.Run("float64", func(t *testing.T) { testArithmetic[float64](t, Mul) })
}

// Quotients just below an integer must not be rounded up to it.
func TestRemainderNearMultiples(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, op := range []Operation{Rem, RemSmall} {
		most := int64(math.MaxInt32)
		if op == RemSmall {
			most = 1<<23 - 1
		}
		for range 3000 {
			a, b, dst := make([]int32, 64), make([]int32, 64), make([]int32, 64)
			for i := range a {
				y := 1 + r.Int64N(most)>>r.IntN(23)
				k := 1 + r.Int64N(most/y)
				a[i], b[i] = int32(k*y-1), int32(y)
				if r.IntN(2) == 0 {
					a[i] = -a[i]
				}
				if r.IntN(2) == 0 {
					b[i] = -b[i]
				}
			}
			if Arithmetic(op, dst, a, b) == 0 {
				return
			}
			for i := range a {
				if dst[i] != a[i]%b[i] {
					t.Fatalf("%d %% %d gives %d", a[i], b[i], dst[i])
				}
			}
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
			if done > n || hasMasked() && done != n&^63 || dst[done/64] != 0 {
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
	t.Run("int32", testCompare[int32])
	t.Run("int64", testCompare[int64])
	t.Run("float64", testCompare[float64])
}

func TestMasked(t *testing.T) {
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
		if done != same || hasMasked() && done != n&^63 {
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

// hasMasked tells whether the loops here do anything.
func hasMasked() bool {
	_, done := SumMasked(make([]int64, 64), make([]uint64, 1))
	return done == 64
}

// BenchmarkPairs gives the time of 2048 elements.
func BenchmarkPairs(b *testing.B) {
	a, c, dst, mask := make([]int32, 2048), make([]int32, 2048), make([]int32, 2048), make([]uint64, 32)
	wide, sums := make([]int64, 2048), make([]int64, 2048)
	for i := range a {
		a[i], c[i] = int32(i*7919%1000), int32(1+i%1000)
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				f()
			}
		})
	}
	run("multiply int32", func() { ArithmeticConst(Mul, dst, a, 3) })
	run("multiply int64", func() { ArithmeticConst(Mul, sums, wide, 3) })
	run("compare int32", func() { CompareConst(mask, a, 3, Less) })
	run("compare int64", func() { CompareConst(mask, wide, 3, Less) })
	run("remainder", func() { ConstArithmetic(Rem, dst, 999, c) })
	run("small remainder", func() { ConstArithmetic(RemSmall, dst, 999, c) })
	run("sum", func() { SumMasked(wide, mask) })
}
