// Package lookup determines which equalities find rows of a table by one of its keys.
package lookup

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// LeastRows is how many rows a table has, at least, that is worth looking rows up in.
const LeastRows = 256

// Key is a key of a table, all columns of which equalities fix.
type Key struct {
	Columns  []int // ordinals
	Operands []int // by column, of which operand it must be the value
}

// Of returns the key of fewest columns by which t finds the rows where the operands, expressions
// over it, have some values. ordinal returns the column of t that an id is, negative for none. ok is
// false where there is no such key.
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

// ordinalOf returns the column of t by whose values rows are found where e has some values, or a
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

// fixedBy returns for each of some columns the place where it is among others, or nil.
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

// Column returns the column that e has the values of, or of text with a collation their keys by
// that collation: what a catalog.KeyFinder finds rows by. Values of unsigned columns that are
// cast to signed integers have the same bits. nil for other expressions.
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

// IsCollationKey reports whether e is the key of a text by a collation.
func IsCollationKey(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && c.Fn == expr.FuncCollationKey
}

// PlainColumn strips casts between signed integers, which change no value.
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

// SameForm reports whether values of both types are equal exactly when their payloads
// are, and ordered alike.
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
