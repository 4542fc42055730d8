package agg

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// oracle aggregates naively: it collects the rows of each group and applies the definition of each
// function.
func oracle(rel *optest.Relation, keys []int, aggs []*expr.Agg) [][]catalog.Datum {
	groups := map[string][][]catalog.Datum{}
	for _, row := range rel.Rows {
		var k strings.Builder
		for _, c := range keys {
			fmt.Fprintf(&k, "%v %q,", row[c].Null, row[c].SQL())
		}
		groups[k.String()] = append(groups[k.String()], row)
	}
	if len(keys) == 0 && len(groups) == 0 {
		groups[""] = nil
	}
	var out [][]catalog.Datum
	for _, rows := range groups {
		var line []catalog.Datum
		for _, c := range keys {
			line = append(line, rows[0][c])
		}
		for _, a := range aggs {
			line = append(line, define(rel, rows, a))
		}
		out = append(out, line)
	}
	return out
}

// define evaluates one aggregate over the rows of a group; arguments are columns.
func define(rel *optest.Relation, rows [][]catalog.Datum, a *expr.Agg) catalog.Datum {
	if a.Fn == expr.CountStar {
		return catalog.Int(int64(len(rows)))
	}
	var at []int
	for _, e := range a.Args {
		for i, c := range rel.Cols {
			if c.ID == e.(*expr.Col).ID {
				at = append(at, i)
			}
		}
	}
	met := map[string]bool{}
	var vals []catalog.Datum
next:
	for _, row := range rows {
		k := ""
		for _, c := range at {
			if row[c].Null {
				continue next
			}
			k += row[c].SQL() + ","
		}
		if !a.Distinct || !met[k] {
			met[k] = true
			vals = append(vals, row[at[0]])
		}
	}
	return fold(vals, a)
}

func fold(vals []catalog.Datum, a *expr.Agg) catalog.Datum {
	d := catalog.Datum{Type: a.T}
	switch a.Fn {
	case expr.Count:
		return catalog.Int(int64(len(vals)))
	case expr.BitAnd, expr.BitOr, expr.BitXor:
		x := uint64(0)
		if a.Fn == expr.BitAnd {
			x = math.MaxUint64
		}
		for _, v := range vals {
			switch a.Fn {
			case expr.BitAnd:
				x &= uint64(v.I64)
			case expr.BitOr:
				x |= uint64(v.I64)
			default:
				x ^= uint64(v.I64)
			}
		}
		d.I64 = int64(x)
		return d
	}
	if len(vals) == 0 {
		return catalog.NullOf(a.T)
	}
	switch a.Fn {
	case expr.Sum, expr.Avg:
		return sumOrAvg(vals, a)
	case expr.Median:
		sort.SliceStable(vals, func(i, j int) bool { return vals[i].Compare(vals[j]) < 0 })
		mean := *a
		mean.Fn = expr.Avg
		return sumOrAvg(vals[(len(vals)-1)/2:len(vals)/2+1], &mean)
	case expr.Min, expr.Max:
		best := vals[0]
		for _, v := range vals {
			if c := v.Compare(best); a.Fn == expr.Min && c < 0 || a.Fn == expr.Max && c > 0 {
				best = v
			}
		}
		return best
	case expr.GroupConcat: // ordered by value
		var parts []string
		for _, v := range vals {
			parts = append(parts, v.Text())
		}
		sort.Strings(parts)
		d.Str = strings.Join(parts, a.Sep)
		return d
	}
	n := float64(len(vals))
	mean, m2 := 0.0, 0.0
	for _, v := range vals {
		mean += v.Float() / n
	}
	for _, v := range vals {
		m2 += (v.Float() - mean) * (v.Float() - mean)
	}
	if a.Fn == expr.VarSamp || a.Fn == expr.StddevSamp {
		if n--; n == 0 {
			return catalog.NullOf(a.T)
		}
	}
	if d.F64 = m2 / n; a.Fn == expr.StddevPop || a.Fn == expr.StddevSamp {
		d.F64 = math.Sqrt(d.F64)
	}
	return d
}

func sumOrAvg(vals []catalog.Datum, a *expr.Agg) catalog.Datum {
	d := catalog.Datum{Type: a.T}
	if a.T.Kind() == types.KindF64 {
		for _, v := range vals {
			d.F64 += v.F64
		}
		if a.Fn == expr.Avg {
			d.F64 /= float64(len(vals))
		}
		return d
	}
	sum := new(big.Rat)
	for _, v := range vals {
		x := new(big.Int)
		switch v.Type.Kind() {
		case types.KindI64:
			x.SetInt64(v.I64)
		case types.KindU64:
			x.SetUint64(uint64(v.I64))
		default:
			x = v.Dec.BigInt()
		}
		sum.Add(sum, new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Type.Scale)), nil)))
	}
	if a.Fn == expr.Avg {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(vals))))
	}
	// FloatString rounds half away from zero.
	digits := strings.Replace(sum.FloatString(int(a.T.Scale)), ".", "", 1)
	x, _ := new(big.Int).SetString(digits, 10)
	d.Dec = decimal128.FromBigInt(x)
	return d
}
