package stats

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/axiomhq/hyperloglog"
	"github.com/zeebo/xxh3"

	"gsql/internal/simd"
	"gsql/sql/sqlerr"
)

// Sketch counts distinct values with HyperLogLog (Flajolet et al. 2007). It has 4096 registers
// and a standard error of 1.6 %.
type Sketch struct {
	registers *hyperloglog.Sketch
	// Hashes with any of these bits set have a rank that does not exceed any register, so they
	// change nothing. After many values almost all hashes do. Zero is always correct.
	vain  uint64
	later int // number of hashes to enter before vain is recomputed
	// If values recur, vain stays zero. These are values entered recently, indexed by their low
	// bits. An unused slot 0 holds 1, which cannot belong there.
	recent *[1 << 10]int64
}

const (
	sketchBits = 12 // the top bits of the hash choose the register
	rankBits   = 64 - sketchBits
	vainEvery  = 1 << 15
)

// NewSketch returns an empty sketch.
func NewSketch() *Sketch {
	registers, err := hyperloglog.NewSketch(sketchBits, false)
	if err != nil {
		panic(err) // the library refuses other numbers of bits
	}
	return &Sketch{registers: registers, later: vainEvery}
}

// ranks returns a copy of the registers.
func (s *Sketch) ranks() []byte {
	data, err := s.registers.MarshalBinary()
	if err != nil {
		panic(err) // the library refuses sketches that were never made
	}
	return data[len(data)-1<<sketchBits:] // the registers come last in the format, one byte each
}

// seen records that n hashes were processed, and recomputes vain from time to time.
func (s *Sketch) seen(n int) {
	if s.later -= n; s.later > 0 {
		return
	}
	least := min(slices.Min(s.ranks()), rankBits)
	s.vain, s.later = (1<<least-1)<<(rankBits-least), vainEvery
}

func addAll[T any](s *Sketch, xs []T, hash func(T) uint64) {
	vain := s.vain
	for _, x := range xs {
		if h := hash(x); h&vain == 0 {
			s.registers.InsertHash(h)
		}
	}
	s.seen(len(xs))
}

func (s *Sketch) addInts(xs []int64) {
	var rows [512]int32
	for s.vain != 0 && len(xs) > 0 {
		selected, done := simd.SelectHashes(rows[:], xs[:min(len(xs), len(rows))], s.vain)
		if done == 0 {
			break
		}
		for _, r := range rows[:selected] {
			s.registers.InsertHash(HashInt(xs[r]))
		}
		xs = xs[done:]
		s.seen(done)
	}
	if s.vain != 0 || len(xs) < recurring {
		addAll(s, xs, HashInt)
		return
	}
	s.addRecurring(xs)
}

// recurring is the least number of values at once for which recent values are checked.
const recurring = 64

// addRecurring enters the values that were not entered recently.
func (s *Sketch) addRecurring(xs []int64) {
	if s.recent == nil {
		s.recent = &[len(s.recent)]int64{1}
	}
	recent := s.recent
	for _, x := range xs {
		if at := &recent[uint64(x)%uint64(len(recent))]; *at != x {
			*at = x
			s.registers.InsertHash(HashInt(x))
		}
	}
	if s.seen(len(xs)); s.vain != 0 {
		s.recent = nil
	}
}

func (s *Sketch) addFloats(xs []float64) {
	addAll(s, xs, hashFloat)
}

// With returns the sketch of the values of both s and o. Either may be nil; neither is changed.
func (s *Sketch) With(o *Sketch) *Sketch {
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
	return &Sketch{registers: both, later: vainEvery}
}

// Estimate estimates the number of distinct values.
func (s *Sketch) Estimate() float64 { return float64(s.registers.Estimate()) }

// hashText hashes a text for sketches. The hash is the same in all processes, because sketches are
// stored.
func hashText(x string) uint64 { return xxh3.HashString(x) }

// HashInt is the finaliser of MurmurHash3 (Appleby), a bijection in which all result bits depend
// on all bits of x; simd.SelectHashes computes it too.
func HashInt(x int64) uint64 {
	h := uint64(x)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func hashFloat(x float64) uint64 { return HashInt(int64(math.Float64bits(x + 0))) } // -0 equals 0

func hashDecimal(x decimal128.Num) uint64 {
	return HashInt(int64(HashInt(x.HighBits())) ^ int64(x.LowBits()))
}

// Footprint returns the memory of a sketch in bytes, or 0 for nil.
func (s *Sketch) Footprint() int64 {
	if s == nil {
		return 0
	}
	return 1 << sketchBits
}

// Append appends the registers, one byte each, to dst.
func (s *Sketch) Append(dst []byte) []byte { return append(dst, s.ranks()...) }

// RestoreSketch returns the sketch whose registers Append has written.
func RestoreSketch(registers []byte) (*Sketch, error) {
	s := NewSketch()
	data, err := s.registers.MarshalBinary()
	if err == nil && len(registers) != 1<<sketchBits {
		err = hyperloglog.ErrorInvalidData
	}
	if err == nil {
		copy(data[len(data)-len(registers):], registers)
		err = s.registers.UnmarshalBinary(data)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
