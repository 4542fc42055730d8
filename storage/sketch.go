package storage

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/axiomhq/hyperloglog"

	"gsql/sql/sqlerr"
)

// A sketch counts distinct values: HyperLogLog with 4096 registers, whose standard error is
// 1.6 %.
type sketch struct{ registers *hyperloglog.Sketch }

const sketchBits = 12 // of the hash that choose the register

func newSketch() *sketch {
	registers, err := hyperloglog.NewSketch(sketchBits, false)
	if err != nil {
		panic(err) // the library refuses other numbers of bits
	}
	return &sketch{registers}
}

func addAll[T any](s *sketch, xs []T, hash func(T) uint64) {
	for _, x := range xs {
		s.registers.InsertHash(hash(x))
	}
}

func (s *sketch) addInts(xs []int64) { addAll(s, xs, hashInt) }

func (s *sketch) addFloats(xs []float64) {
	for _, x := range xs {
		s.registers.InsertHash(hashInt(int64(math.Float64bits(x + 0)))) // -0 is 0
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
	both := s.registers.Clone()
	if err := both.Merge(o.registers); err != nil {
		panic(sqlerr.Internal("sketches of different sizes: %v", err))
	}
	return &sketch{both}
}

// estimate gives the number of distinct hashes.
func (s *sketch) estimate() float64 { return float64(s.registers.Estimate()) }

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
