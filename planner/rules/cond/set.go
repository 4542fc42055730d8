package cond

import (
	"hash/maphash"
	"math"

	"gsql/sql/catalog"
	"gsql/sql/expr"
)

var hashSeed = maphash.MakeSeed()

// Hash returns a hash of e. Equal expressions have equal hashes within a process.
func Hash(e expr.Expr) uint64 {
	switch x := e.(type) {
	case *expr.Col:
		return mix(1, uint64(x.ID))
	case *expr.Const:
		return datumHash(&x.Value)
	case *expr.Placeholder:
		return mix(4, uint64(x.Index))
	case *expr.Param:
		return mix(3, uint64(x.Slot))
	case *expr.Subquery:
		return maphash.Comparable(hashSeed, x)
	case *expr.Call:
		h := mix(uint64(len(x.Fn))<<8|uint64(x.Fn[0]), uint64(len(x.Args)))
		for _, a := range x.Args {
			h = mix(h, Hash(a))
		}
		return h
	}
	return 0
}

func datumHash(d *catalog.Datum) uint64 {
	h := mix(2, uint64(d.Type.ID))
	h = mix(h, uint64(d.I64)^math.Float64bits(d.F64)^d.Dec.LowBits())
	if d.Str != "" {
		h = mix(h, maphash.String(hashSeed, d.Str))
	}
	return h
}

// mix combines two numbers by the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fewExprs is the size up to which comparing with each element is faster than hashing.
const fewExprs = 8

// Set is a set of expressions.
type Set struct {
	few  [fewExprs]expr.Expr    // the first elements
	n    int                    // elements of few in use
	many map[uint64][]expr.Expr // all elements by hash, once few is full
}

// Add adds e and reports whether it was new.
func (s *Set) Add(e expr.Expr) bool {
	if s.Has(e) {
		return false
	}
	if s.n < fewExprs {
		s.few[s.n] = e
		s.n++
		return true
	}
	if s.many == nil {
		s.many = make(map[uint64][]expr.Expr, 4*fewExprs)
		for _, o := range s.few {
			s.index(o)
		}
	}
	s.index(e)
	return true
}

func (s *Set) index(e expr.Expr) {
	h := Hash(e)
	s.many[h] = append(s.many[h], e)
}

// Has reports whether the set contains an expression equal to e.
func (s *Set) Has(e expr.Expr) bool {
	list := s.few[:s.n]
	if s.many != nil {
		list = s.many[Hash(e)]
	}
	for _, o := range list {
		if expr.Equal(o, e) {
			return true
		}
	}
	return false
}
