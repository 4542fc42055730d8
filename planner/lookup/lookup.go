// Package lookup determines which equalities identify rows of a table by one of its keys.
package lookup

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// LeastRows is the minimum number of rows of a table for which lookups are worthwhile.
const LeastRows = 256

// Key is a key of a table whose columns are all fixed by equalities.
type Key struct {
	Columns  []int // ordinals
	Operands []int // by column, the index of the operand that equals it
}

// Of returns the key with the fewest columns by which t finds the rows where operands,
// expressions over t, have given values. ordinal maps a column id to the column of t, or to a
// negative number. ok is false if there is no such key.
func Of(t catalog.Table, operands []expr.Expr, ordinal func(expr.ColID) int) (k Key, ok bool) {
	f, ok := t.(catalog.KeyFinder)
	if !ok {
		return k, false
	}
	columns, some := make([]int, len(operands)), false
	for i, e := range operands {
		columns[i] = ordinalOf(t, e, ordinal)
		some = some || columns[i] >= 0
	}
	if !some {
		return k, false
	}
	for i := range t.Schema().Indexes {
		ix := &t.Schema().Indexes[i]
		if !ix.Unique && !ix.Primary || k.Columns != nil && len(ix.Columns) >= len(k.Columns) {
			continue
		}
		if by := fixedBy(ix.Columns, columns); by != nil && f.FindsBy(ix.Columns) {
			k = Key{Columns: ix.Columns, Operands: by}
		}
	}
	return k, k.Columns != nil
}

// ordinalOf returns the column of t by which rows with a given value of e are found, or a
// negative number.
func ordinalOf(t catalog.Table, e expr.Expr, ordinal func(expr.ColID) int) int {
	col := Column(e)
	if col == nil {
		return -1
	}
	at := ordinal(col.ID)
	if at >= 0 && expr.HasKey(t.Schema().Columns[at].Type) != IsCollationKey(e) {
		return -1
	}
	return at
}

// fixedBy returns the index of each of columns in among, or nil if one is missing.
func fixedBy(columns, among []int) []int {
	out := make([]int, len(columns))
	for i, c := range columns {
		out[i] = -1
		for j, a := range among {
			if a == c {
				out[i] = j
				break
			}
		}
		if out[i] < 0 {
			return nil
		}
	}
	return out
}

// Column returns the column whose values e has, or, for text with a collation, the column whose
// collation keys e has: a catalog.KeyFinder finds rows by these. Unsigned columns cast to signed
// integers count too, since the values have the same bits. Column returns nil for other
// expressions.
func Column(e expr.Expr) *expr.Col {
	c, ok := e.(*expr.Call)
	if ok && c.Fn == expr.FuncCast && signedInt(c.T) && c.T.Bits() == 64 {
		if t := c.Args[0].Type(); t.IsUnsigned() && t.Bits() < 64 {
			return PlainColumn(c.Args[0])
		}
	}
	if !ok || c.Fn != expr.FuncCollationKey {
		return PlainColumn(e)
	}
	col, ok := c.Args[0].(*expr.Col)
	coll, isConst := c.Args[1].(*expr.Const)
	if !ok || !isConst || col.T.ID != types.String || coll.Value.I64 != int64(col.T.Coll) {
		return nil
	}
	return col
}

// IsCollationKey reports whether e computes the collation key of a text.
func IsCollationKey(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && c.Fn == expr.FuncCollationKey
}

// PlainColumn strips casts between signed integers, which change no value. It returns nil unless
// a column remains.
func PlainColumn(e expr.Expr) *expr.Col {
	for {
		switch x := e.(type) {
		case *expr.Col:
			return x
		case *expr.Call:
			if x.Fn != expr.FuncCast || !signedInt(x.T) || !signedInt(x.Args[0].Type()) || x.T.Bits() < x.Args[0].Type().Bits() {
				return nil
			}
			e = x.Args[0]
		default:
			return nil
		}
	}
}

func signedInt(t types.Type) bool { return t.IsInteger() && t.Kind() == types.KindI64 }

// SameForm reports whether values of both types are equal exactly if their payloads are, and are
// ordered in the same way.
func SameForm(a, b types.Type) bool {
	if a.Kind() != b.Kind() || a.Scale != b.Scale || a.Kind() == types.KindNull {
		return false
	}
	if a.IsTemporal() || b.IsTemporal() {
		micros := func(t types.Type) bool { return t.ID == types.Datetime || t.ID == types.Timestamp }
		return a.ID == b.ID || micros(a) && micros(b)
	}
	return true
}
