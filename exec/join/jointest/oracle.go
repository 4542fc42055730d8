package jointest

import (
	"errors"
	"slices"
	"strings"

	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// truth is a value of three-valued logic, ordered such that AND is the minimum.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// condition evaluates the join's condition for two rows by its definition.
func (c *Case) condition(l, r []catalog.Datum) truth {
	result := yes
	for i := range c.Operands {
		a, b := l[c.operand("l", i)], r[c.operand("r", i)]
		if i < len(c.NullSafe) && c.NullSafe[i] && (a.Null || b.Null) {
			result = min(result, truthOf(a.Null && b.Null))
			continue
		}
		if a.Null || b.Null {
			result = min(result, unknown)
			continue
		}
		cmp, comparable := Compare(a, b)
		fn := expr.FuncEQ
		if i >= len(c.NullSafe) {
			fn = c.Ranges[i-len(c.NullSafe)]
		}
		ok := map[expr.FuncID]bool{expr.FuncEQ: cmp == 0, expr.FuncLT: cmp < 0, expr.FuncLE: cmp <= 0, expr.FuncGT: cmp > 0, expr.FuncGE: cmp >= 0}[fn]
		result = min(result, truthOf(ok && comparable))
	}
	lv, rv := l[len(l)-1], r[len(r)-1]
	switch {
	case c.Residual == "":
	case lv.Null || rv.Null:
		result = min(result, unknown)
	case c.Residual == "sum":
		result = min(result, truthOf((lv.I64+rv.I64)%3 == 0))
	case c.Residual == "less":
		result = min(result, truthOf(lv.I64 < rv.I64))
	}
	return result
}

// Compare compares two values that are not NULL; ok is false if one is NaN.
func Compare(a, b catalog.Datum) (cmp int, ok bool) {
	switch a.Type.Kind() {
	case types.KindI64:
		return orderOf(a.I64, b.I64), true
	case types.KindU64:
		return orderOf(uint64(a.I64), uint64(b.I64)), true
	case types.KindF64:
		return orderOf(a.F64, b.F64), a.F64 == a.F64 && b.F64 == b.F64
	case types.KindDec:
		return a.Dec.Cmp(b.Dec), true
	}
	return strings.Compare(a.Str, b.Str), true
}

func orderOf[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var errTwoRows = errors.New("two rows for Single")

// Oracle returns the join's rows in the form of optest.Lines.
func (c *Case) Oracle() ([]string, error) {
	rows, err := c.Rows()
	return optest.Lines(rows), err
}

// Rows returns the join's rows by the definition of its kind, comparing every left row with every
// right row.
func (c *Case) Rows() ([][]catalog.Datum, error) {
	var out [][]catalog.Datum
	met := make([]bool, len(c.Right.Rows))
	for _, l := range c.Left.Rows {
		matches, best := 0, no
		for i, r := range c.Right.Rows {
			is := c.condition(l, r)
			best = max(best, is)
			if is == yes {
				matches, met[i] = matches+1, true
				if c.returnsPairs() {
					out = append(out, slices.Concat(l, r))
				}
			}
		}
		if c.Kind == logical.Single && matches > 1 {
			return nil, errTwoRows
		}
		if !c.NullAware && best == unknown {
			best = no
		}
		mark := catalog.Int(int64(vec.One(best == yes)))
		mark.Null = best == unknown
		switch {
		case c.Kind == logical.Mark:
			out = append(out, append(slices.Clone(l), mark))
		case c.Kind == logical.Semi && best == yes, c.Kind == logical.Anti && best == no:
			out = append(out, l)
		case c.returnsPairs() && c.Kind != logical.Inner && matches == 0:
			out = append(out, slices.Concat(l, nullsOf(c.Right.Cols)))
		}
	}
	for i, r := range c.Right.Rows {
		if c.Kind == logical.Full && !met[i] {
			out = append(out, slices.Concat(nullsOf(c.Left.Cols), r))
		}
	}
	return out, nil
}

// returnsPairs reports whether the join returns the columns of both sides.
func (c *Case) returnsPairs() bool {
	return c.Kind == logical.Inner || c.Kind == logical.Left || c.Kind == logical.Single || c.Kind == logical.Full
}

func nullsOf(cols []logical.Column) []catalog.Datum {
	nulls := make([]catalog.Datum, len(cols))
	for i, col := range cols {
		nulls[i] = catalog.NullOf(col.T)
	}
	return nulls
}
