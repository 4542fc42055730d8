package rules

import (
	"hash/maphash"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
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

// equal tells whether two expressions are the same term.
func equal(a, b expr.Expr) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *expr.Col:
		y, ok := b.(*expr.Col)
		return ok && x.ID == y.ID
	case *expr.Const:
		y, ok := b.(*expr.Const)
		return ok && sameDatum(x.Value, y.Value)
	case *expr.Param:
		y, ok := b.(*expr.Param)
		return ok && x.Slot == y.Slot
	case *expr.Call:
		y, ok := b.(*expr.Call)
		if !ok || x.Fn != y.Fn || x.T != y.T || len(x.Args) != len(y.Args) {
			return false
		}
		for i := range x.Args {
			if !equal(x.Args[i], y.Args[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// sameDatum compares literals of one type; NaN and payloads of NULLs do not occur.
func sameDatum(a, b catalog.Datum) bool {
	if a.Null || b.Null || a.Type.ID == types.Null {
		return a.Null == b.Null && a.Type == b.Type
	}
	return a == b
}

// exprSet is a set of expressions.
type exprSet map[uint64][]expr.Expr

// add puts e in and tells whether it was new.
func (s exprSet) add(e expr.Expr) bool {
	h := exprHash(e)
	for _, o := range s[h] {
		if equal(o, e) {
			return false
		}
	}
	s[h] = append(s[h], e)
	return true
}

func (s exprSet) has(e expr.Expr) bool {
	for _, o := range s[exprHash(e)] {
		if equal(o, e) {
			return true
		}
	}
	return false
}
