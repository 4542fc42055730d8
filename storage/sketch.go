package storage

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/axiomhq/hyperloglog"

	"gsql/internal/simd"
	"gsql/sql/sqlerr"
)

// A sketch counts distinct values: HyperLogLog with 4096 registers, whose standard error is
// 1.6 %.
type sketch struct {
	registers *hyperloglog.Sketch
	// Hashes that have any of these bits have a rank that no register is below: almost all of
	// them, once there were many. Zero is always right.
	vain  uint64
	later int // hashes to come before vain is looked at again
	// Where values recur, vain stays zero: these, each at the place that its last bits say, were
	// entered. A 1 stands at the place of 0, which is not its own.
	recent *[1 << 10]int64
}

const (
	sketchBits = 12 // of the hash, the top ones, choose the register
	rankBits   = 64 - sketchBits
	vainEvery  = 1 << 15
)

func newSketch() *sketch {
	registers, err := hyperloglog.NewSketch(sketchBits, false)
	if err != nil {
		panic(err) // the library refuses other numbers of bits
	}
	return &sketch{registers: registers, later: vainEvery}
}

// ranks gives a copy of the registers.
func (s *sketch) ranks() []byte {
	data, err := s.registers.MarshalBinary()
	if err != nil {
		panic(err) // the library refuses sketches that were never made
	}
	return data[len(data)-1<<sketchBits:] // the format has them last, a byte each
}

// seen counts n hashes that may all have been entered.
func (s *sketch) seen(n int) {
	if s.later -= n; s.later > 0 {
		return
	}
	least := min(slices.Min(s.ranks()), rankBits)
	s.vain, s.later = (1<<least-1)<<(rankBits-least), vainEvery
}

func addAll[T any](s *sketch, xs []T, hash func(T) uint64) {
	vain := s.vain
	for _, x := range xs {
		if h := hash(x); h&vain == 0 {
			s.registers.InsertHash(h)
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
			s.registers.InsertHash(hashInt(xs[r]))
		}
		xs = xs[done:]
		s.seen(done)
	}
	if s.vain != 0 || len(xs) < recurring {
		addAll(s, xs, hashInt)
		return
	}
	s.addRecurring(xs)
}

// recurring is how many values at once are worth a look at recent ones.
const recurring = 64

// addRecurring enters values but those that were entered lately.
func (s *sketch) addRecurring(xs []int64) {
	if s.recent == nil {
		s.recent = &[len(s.recent)]int64{1}
	}
	recent := s.recent
	for _, x := range xs {
		if at := &recent[uint64(x)%uint64(len(recent))]; *at != x {
			*at = x
			s.registers.InsertHash(hashInt(x))
		}
	}
	if s.seen(len(xs)); s.vain != 0 {
		s.recent = nil
	}
}

func (s *sketch) addFloats(xs []float64) {
	addAll(s, xs, hashFloat)
}

// with gives what has noted all that s and o have; either may be nil, neither is changed.
func (s *sketch) with(o *sketch) *sketch {
	switch {
	case s == nil || s == o:
		return o
	case o == nil:
		return s
	}
	both := s.registers.Clone()
	if err := both.Merge(o.registers); err != nil {
		panic(sqlerr.Internal("sketches of different sizes: %v", err))
	}
	return &sketch{registers: both, later: vainEvery}
}

// estimate gives the number of distinct hashes.
func (s *sketch) estimate() float64 { return float64(s.registers.Estimate()) }

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

func hashFloat(x float64) uint64 { return hashInt(int64(math.Float64bits(x + 0))) } // -0 is 0

func hashDecimal(x decimal128.Num) uint64 {
	return hashInt(int64(hashInt(x.HighBits())) ^ int64(x.LowBits()))
}
