package lower

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gsql/gpu/column"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Derived is a function of a table's column. The host computes it for all rows, and its values
// become a column on the device.
type Derived struct {
	Ordinal int
	Column  expr.ColID // the column in Expr
	Expr    *expr.Call
}

// Key returns a text that is the same for equal functions of a column, whatever its ID is, and for no
// others.
func (d *Derived) Key() string {
	var b strings.Builder
	describe(&b, d.Expr)
	return b.String()
}

// describe writes an expression of one column.
func describe(b *strings.Builder, e expr.Expr) {
	t := e.Type()
	fmt.Fprintf(b, "[%d %d %d %d %d %d %d]", t.ID, t.Prec, t.Scale, t.Coll, t.Len, t.ShownPrec, t.ShownScale)
	switch x := e.(type) {
	case *expr.Call:
		fmt.Fprintf(b, "%s(", x.Fn)
		for _, a := range x.Args {
			describe(b, a)
		}
		b.WriteByte(')')
	case *expr.Const:
		v := &x.Value
		fmt.Fprintf(b, "%t %d %x %d %d %q", v.Null, v.I64, math.Float64bits(v.F64), v.Dec.HighBits(), v.Dec.LowBits(), v.Str)
	}
}

// hosted returns a call as a Derived column; ok is false if the host does not compute it.
func (l *scalars) hosted(in env, c *expr.Call) (v value, ok bool, err error) {
	col, err := onlyColumn(c)
	if err != nil || column.Narrowable(c.T) != nil {
		return v, false, nil
	}
	b := in[col.ID]
	if b == nil || b.over == nil {
		return v, false, nil
	}
	members := false // types with members have no Key
	expr.Walk(c, func(e expr.Expr) bool {
		members = members || e.Type().HasMembers()
		return !members
	})
	if members {
		return v, false, nil
	}
	return b.over(c, col)
}

// derived returns a function of a column of a table.
func (l *lowering) derived(t catalog.Table, relation, ordinal int, c *expr.Call, col *expr.Col) (value, bool, error) {
	d := Derived{Ordinal: ordinal, Column: col.ID, Expr: c}
	n, err := l.known.Derived(t, d)
	if err != nil {
		return value{}, true, err
	}
	r, key := &l.q.Relations[relation], d.Key()
	at := slices.IndexFunc(r.Derived, func(x Derived) bool { return x.Ordinal == ordinal && x.Key() == key })
	if at < 0 {
		at = len(r.Derived)
		r.Derived = append(r.Derived, d)
	}
	return l.columnValue(n, relation, len(t.Schema().Columns)+at, c.T), true, nil
}

// over returns the function that loads Derived columns of a build side's column at the row that the
// probe found. It returns nil if the host does not compute such columns.
func (j *joining) over(b *binding) overFunc {
	if b.over == nil {
		return nil
	}
	return func(c *expr.Call, col *expr.Col) (value, bool, error) {
		if j.padded {
			if null, err := evaluate(c, col, withNull(col.T, 0, true)); err != nil || !null.IsNull(0) {
				return value{}, false, nil // padded rows would not have the function's value for NULL
			}
		}
		v, ok, err := b.over(c, col)
		if ok && err == nil {
			v.e, err = j.fetched(v.e)
		}
		return v, ok, err
	}
}

// truths reports whether a call's result is a truth value.
func truths(c *expr.Call) bool {
	_, compares := comparisons[c.Fn]
	switch c.Fn {
	case expr.FuncAnd, expr.FuncOr, expr.FuncNot, expr.FuncIsNull, expr.FuncIn, expr.FuncLike, expr.FuncNullSafeEQ:
		return true
	}
	return compares
}

// Expected describes the values of a Derived column of a table with so many rows before they are known.
func (d *Derived) Expected(rows int64) column.Narrow {
	c := column.Narrow{Rows: rows, Width: 4, Min: math.MinInt32, Max: math.MaxInt32, Bias: math.MinInt32, Valid: 1}
	switch kind := d.Expr.T.Kind(); {
	case kind == types.KindF64:
		c = column.Narrow{Rows: rows, Float: true, Width: 8, Valid: 1}
	case kind == types.KindStr:
		c.Min, c.Bias, c.Max = 0, 0, min(max(rows-1, 0), math.MaxUint16)
	case truths(d.Expr):
		c.Min, c.Bias, c.Max, c.Width = 0, 0, 1, 1
	}
	return c
}
