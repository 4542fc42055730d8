package groupjoin

import (
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/optest"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// oracle compares every pair, following the definitions of the join and of each aggregate.
func oracle(probe, build *optest.Relation, passed []int, plan *physical.GroupJoin) [][]catalog.Datum {
	var out [][]catalog.Datum
	for _, p := range probe.Rows {
		var partners [][]catalog.Datum
		for _, b := range build.Rows {
			if matches(probe, build, p, b, plan) {
				partners = append(partners, b)
			}
		}
		if len(partners) == 0 && !plan.Outer {
			continue
		}
		var line []catalog.Datum
		for _, at := range passed {
			line = append(line, p[at])
		}
		for _, a := range plan.Aggs {
			line = append(line, define(build, partners, a, plan.Outer))
		}
		out = append(out, line)
	}
	return out
}

func matches(probe, build *optest.Relation, p, b []catalog.Datum, plan *physical.GroupJoin) bool {
	for _, k := range plan.Keys {
		x, y := value(probe, p, k.L), value(build, b, k.R)
		switch {
		case x.Null || y.Null:
			if !k.NullSafe || x.Null != y.Null {
				return false
			}
		case x.Compare(y) != 0:
			return false
		}
	}
	for _, r := range plan.Ranges {
		x, y := value(probe, p, r.L), value(build, b, r.R)
		if x.Null || y.Null || !holds(r.Op, x.Compare(y)) {
			return false
		}
	}
	for _, e := range plan.Where {
		if !isTrue(probe, build, p, b, e) {
			return false
		}
	}
	return true
}

// isTrue evaluates a comparison of numbers computed from both sides, or an OR of such
// comparisons.
func isTrue(probe, build *optest.Relation, p, b []catalog.Datum, e expr.Expr) bool {
	c := e.(*expr.Call)
	if c.Fn == "or" {
		return isTrue(probe, build, p, b, c.Args[0]) || isTrue(probe, build, p, b, c.Args[1])
	}
	x, y := number(probe, build, p, b, c.Args[0]), number(probe, build, p, b, c.Args[1])
	return x != nil && y != nil && (c.Fn == "=" && x.Cmp(y) == 0 || c.Fn != "=" && holds(c.Fn, x.Cmp(y)))
}

// number returns the value of an integer or decimal expression, or nil for NULL.
func number(probe, build *optest.Relation, p, b []catalog.Datum, e expr.Expr) *big.Rat {
	switch e := e.(type) {
	case *expr.Const:
		return rational(e.Value)
	case *expr.Col:
		for i := range probe.Cols {
			if probe.Cols[i].ID == e.ID {
				return rational(p[i])
			}
		}
		return rational(value(build, b, e))
	}
	c := e.(*expr.Call)
	x := number(probe, build, p, b, c.Args[0])
	if c.Fn == "cast" || x == nil {
		return x
	}
	y := number(probe, build, p, b, c.Args[1])
	switch {
	case y == nil:
		return nil
	case c.Fn == "+":
		return x.Add(x, y)
	case c.Fn == "-":
		return x.Sub(x, y)
	}
	return x.Mul(x, y)
}

func rational(d catalog.Datum) *big.Rat {
	switch {
	case d.Null:
		return nil
	case d.Type.Kind() == types.KindDec:
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Type.Scale)), nil)
		return new(big.Rat).SetFrac(d.Dec.BigInt(), ten)
	}
	return new(big.Rat).SetInt64(d.I64)
}

func holds(op expr.FuncID, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	return c != 0
}

// value returns the value of an operand: a column, or a column plus an integer.
func value(rel *optest.Relation, row []catalog.Datum, e expr.Expr) catalog.Datum {
	if c, ok := e.(*expr.Call); ok {
		d := value(rel, row, c.Args[0])
		d.I64 += c.Args[1].(*expr.Const).Value.I64
		d.Type = c.T
		return d
	}
	for i, c := range rel.Cols {
		if c.ID == e.(*expr.Col).ID {
			return row[i]
		}
	}
	panic("no such column")
}

func define(rel *optest.Relation, rows [][]catalog.Datum, a *expr.Agg, outer bool) catalog.Datum {
	if a.Fn == expr.CountStar {
		if outer && len(rows) == 0 {
			return catalog.Int(1)
		}
		return catalog.Int(int64(len(rows)))
	}
	var vals []catalog.Datum
	for _, row := range rows {
		if d := value(rel, row, a.Args[0]); !d.Null {
			vals = append(vals, d)
		}
	}
	switch {
	case a.Fn == expr.Count:
		return catalog.Int(int64(len(vals)))
	case len(vals) == 0:
		return catalog.NullOf(a.T)
	case a.Fn == expr.Sum:
		return total(vals, a.T)
	}
	best := vals[0]
	for _, d := range vals[1:] {
		if c := d.Compare(best); c < 0 && a.Fn == expr.Min || c > 0 && a.Fn == expr.Max {
			best = d
		}
	}
	return best
}

func total(vals []catalog.Datum, t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t}
	sum := new(big.Int)
	for _, v := range vals {
		switch v.Type.Kind() {
		case types.KindF64:
			d.F64 += v.F64
		case types.KindDec:
			sum.Add(sum, v.Dec.BigInt())
		case types.KindU64:
			sum.Add(sum, new(big.Int).SetUint64(uint64(v.I64)))
		default:
			sum.Add(sum, big.NewInt(v.I64))
		}
	}
	d.Dec = decimal128.FromBigInt(sum)
	return d
}
