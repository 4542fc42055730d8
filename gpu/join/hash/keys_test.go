//go:build sim || cuda

package hash

import (
	"math"
	"math/rand/v2"

	"gsql/gpu/column"
	"gsql/gpu/join/jointest"
)

// shapes of keys of 32 bits: the i-th of n, with random numbers from r.
var shapes = map[string]func(r *rand.Rand, i, n int) int64{
	"unique":  func(_ *rand.Rand, i, _ int) int64 { return int64(int32(uint32(i) * 2654435761)) },
	"dense":   func(_ *rand.Rand, i, n int) int64 { return int64((i*7919)%n) - 5 },
	"sparse":  func(r *rand.Rand, _, _ int) int64 { return int64(int32(r.Uint32())) },
	"equal":   func(*rand.Rand, int, int) int64 { return 42 },
	"few":     func(r *rand.Rand, _, _ int) int64 { return r.Int64N(9) - 4 },
	"half":    func(r *rand.Rand, _, n int) int64 { return r.Int64N(int64(n)/2 + 1) },
	"zipf":    func(r *rand.Rand, _, n int) int64 { return int64(math.Pow(float64(n+1), r.Float64())) },
	"extreme": func(r *rand.Rand, _, _ int) int64 { return []int64{math.MinInt32, math.MaxInt32, 0, -1, 1}[r.IntN(5)] },
}

// crowded reports whether joins of a shape are nearly products.
func crowded(shape string) bool { return shape == "equal" || shape == "few" || shape == "extreme" }

// widened spreads 32-bit values over 64 bits, and extremes to extremes.
func widened(x int64) int64 {
	switch x {
	case math.MinInt32:
		return math.MinInt64
	case math.MaxInt32:
		return math.MaxInt64
	case -1, 0, 1:
		return x
	}
	return x * 0x1_0000_0001
}

// keys makes n keys. Doubles have NaNs, infinities and the smallest values among them; every
// tenth row or so is NULL where nulls is set.
func keys(kind column.Kind, shape string, n int, seed uint64, nulls bool) jointest.Values {
	r := rand.New(rand.NewPCG(seed, 7))
	v := jointest.Values{Kind: kind}
	for i := range n {
		x := shapes[shape](r, i, n)
		switch {
		case kind == column.F64 && i%13 == 5:
			v.Doubles = append(v.Doubles, []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}[i%4])
		case kind == column.F64:
			v.Doubles = append(v.Doubles, float64(x)/8)
		case kind == column.I64 && shape != "dense":
			v.Ints = append(v.Ints, widened(x))
		default:
			v.Ints = append(v.Ints, x)
		}
	}
	if nulls {
		v.Null = make([]bool, n)
		for i := range v.Null {
			v.Null[i] = r.IntN(10) == 0
		}
	}
	return v
}
