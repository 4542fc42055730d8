package storage

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// A sketch counts distinct values: HyperLogLog with one byte a register (Flajolet et al.,
// "HyperLogLog", 2007), estimated as in Ertl, "New cardinality estimation algorithms for
// HyperLogLog sketches", 2017, section 2, which needs no correction of small or large
// counts. The standard error is 1.6 %.
type sketch [1 << sketchBits]uint8

const (
	sketchBits = 12              // of the hash that choose the register
	maxRank    = 64 - sketchBits // of the other bits; a register holds at most one more
)

// add notes a hash.
func (s *sketch) add(hash uint64) {
	rank := uint8(bits.LeadingZeros64(hash<<sketchBits|1<<(sketchBits-1))) + 1
	if r := &s[hash>>maxRank]; rank > *r {
		*r = rank
	}
}

func addAll[T any](s *sketch, xs []T, hash func(T) uint64) {
	for _, x := range xs {
		s.add(hash(x))
	}
}

func (s *sketch) addInts(xs []int64) {
	for _, x := range xs {
		s.add(hashInt(x))
	}
}

func (s *sketch) addFloats(xs []float64) {
	for _, x := range xs {
		s.add(hashInt(int64(math.Float64bits(x + 0)))) // -0 is 0
	}
}

// merge notes all that o has noted.
func (s *sketch) merge(o *sketch) {
	for i, r := range o {
		s[i] = max(s[i], r)
	}
}

// with gives what has noted all that s and o have; either may be nil, neither is changed.
func (s *sketch) with(o *sketch) *sketch {
	switch {
	case s == nil || s == o:
		return o
	case o == nil:
		return s
	}
	both := *s
	both.merge(o)
	return &both
}

// estimate gives the number of distinct hashes.
func (s *sketch) estimate() float64 {
	var count [maxRank + 2]float64
	for _, r := range s {
		count[r]++
	}
	const m = float64(len(s))
	z := m * tau(1-count[maxRank+1]/m)
	for k := maxRank; k >= 1; k-- {
		z = 0.5 * (z + count[k])
	}
	z += m * sigma(count[0]/m)
	return m * m / (2 * math.Ln2 * z)
}

// sigma sums x + x^2 + 2 x^4 + 4 x^8 + ... (Ertl, equation 13).
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	z := x
	for y, last := 1.0, 0.0; z != last; y *= 2 {
		x *= x
		last = z
		z += x * y
	}
	return z
}

// tau is what the registers at their limit add (Ertl, equation 18).
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	z := 1 - x
	for y, last := 1.0, 0.0; z != last; {
		x = math.Sqrt(x)
		last = z
		y *= 0.5
		z -= (1 - x) * (1 - x) * y
	}
	return z / 3
}

// hashInt is the finaliser of MurmurHash3 (Appleby), a bijection whose bits all depend
// on all bits of x.
func hashInt(x int64) uint64 {
	h := uint64(x)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func hashDecimal(x decimal128.Num) uint64 {
	return hashInt(int64(hashInt(x.HighBits())) ^ int64(x.LowBits()))
}
