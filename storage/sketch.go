package storage

import (
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
)

// A sketch counts distinct values: HyperLogLog (Flajolet et al., 2007) with 4096 registers,
// whose standard error is 1.6 %.
type sketch struct {
	ranks [1 << sketchBits]uint8
	// Hashes that have any of these bits have a rank that no register is below: almost all of
	// them, once there were many. Zero is always right.
	vain  uint64
	later int // hashes to come before vain is looked at again
}

const (
	sketchBits = 12 // of the hash, the top ones, choose the register
	rankBits   = 64 - sketchBits
	vainEvery  = 1 << 15
)

func newSketch() *sketch { return &sketch{later: vainEvery} }

// add enters the hash of a value. The rank is the number of zeros before the first one of its
// other bits, plus one.
func (s *sketch) add(hash uint64) {
	r := &s.ranks[hash>>rankBits]
	*r = max(*r, uint8(bits.LeadingZeros64(hash<<sketchBits|1<<(sketchBits-1))+1))
}

// seen counts n hashes that may all have been entered.
func (s *sketch) seen(n int) {
	if s.later -= n; s.later > 0 {
		return
	}
	least := min(slices.Min(s.ranks[:]), rankBits)
	s.vain, s.later = (1<<least-1)<<(rankBits-least), vainEvery
}

func addAll[T any](s *sketch, xs []T, hash func(T) uint64) {
	vain := s.vain
	for _, x := range xs {
		if h := hash(x); h&vain == 0 {
			s.add(h)
		}
	}
	s.seen(len(xs))
}

func (s *sketch) addInts(xs []int64) {
	var rows [512]int32
	for s.vain != 0 && len(xs) > 0 {
		selected, done := simd.SelectHashes(rows[:], xs[:min(len(xs), len(rows))], s.vain)
		if done == 0 {
			break
		}
		for _, r := range rows[:selected] {
			s.add(hashInt(xs[r]))
		}
		xs = xs[done:]
		s.seen(done)
	}
	addAll(s, xs, hashInt)
}

func (s *sketch) addFloats(xs []float64) {
	addAll(s, xs, func(x float64) uint64 { return hashInt(int64(math.Float64bits(x + 0))) }) // -0 is 0
}

// with gives what has noted all that s and o have; either may be nil, neither is changed.
func (s *sketch) with(o *sketch) *sketch {
	switch {
	case s == nil || s == o:
		return o
	case o == nil:
		return s
	}
	both := newSketch()
	for i, r := range s.ranks {
		both.ranks[i] = max(r, o.ranks[i])
	}
	return both
}

// estimate gives the number of distinct hashes, by the improved raw estimator of Ertl, "New
// cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6: it is as
// good for few as for many.
func (s *sketch) estimate() float64 {
	const m = 1 << sketchBits
	var count [rankBits + 2]float64
	for _, r := range s.ranks {
		count[r]++
	}
	z := m * tau(1-count[rankBits+1]/m)
	for k := rankBits; k > 0; k-- {
		z = (z + count[k]) / 2
	}
	z += m * sigma(count[0]/m)
	return math.Round(m * m / (2 * math.Ln2 * z))
}

// sigma is the sum of x and of x^(2^k) 2^(k-1) for all k from 1 on.
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	for y, z := 1.0, x; ; y *= 2 {
		x *= x
		last := z
		if z += x * y; z == last {
			return z
		}
	}
}

// tau is a third of 1-x less the sum of (1-x^(2^-k))^2 2^-k for all k from 1 on.
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	for y, z := 0.5, 1-x; ; y /= 2 {
		x = math.Sqrt(x)
		last := z
		if z -= (1 - x) * (1 - x) * y; z == last {
			return z / 3
		}
	}
}

// hashInt is the finaliser of MurmurHash3 (Appleby), a bijection whose bits all depend
// on all bits of x; simd.SelectHashes computes it too.
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
