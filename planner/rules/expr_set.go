package rules

import (
	"hash/maphash"

	"gsql/sql/expr"
)

var hashSeed = maphash.MakeSeed()

// exprHash gives equal expressions equal numbers.
func exprHash(e expr.Expr) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	hashInto(&h, e)
	return h.Sum64()
}

func hashInto(h *maphash.Hash, e expr.Expr) {
	switch x := e.(type) {
	case *expr.Col:
		maphash.WriteComparable(h, x.ID)
	case *expr.Const:
		maphash.WriteComparable(h, x.Value)
	case *expr.Param:
		maphash.WriteComparable(h, x.Slot)
	case *expr.Subquery:
		maphash.WriteComparable(h, x)
	case *expr.Call:
		h.WriteString(x.Fn)
		maphash.WriteComparable(h, len(x.Args))
		for _, a := range x.Args {
			hashInto(h, a)
		}
	}
}

// exprSet is a set of expressions.
type exprSet map[uint64][]expr.Expr

// add puts e in and tells whether it was new.
func (s exprSet) add(e expr.Expr) bool {
	h := exprHash(e)
	for _, o := range s[h] {
		if expr.Equal(o, e) {
			return false
		}
	}
	s[h] = append(s[h], e)
	return true
}

func (s exprSet) has(e expr.Expr) bool {
	for _, o := range s[exprHash(e)] {
		if expr.Equal(o, e) {
			return true
		}
	}
	return false
}
