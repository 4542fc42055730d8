//go:build sim || cuda

package hash

import (
	"fmt"
	"math"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
)

// aggregates are all functions over columns of one side.
func aggregates(left bool, columns ...jointest.Values) []jointest.Agg {
	list := []jointest.Agg{{Func: join.CountRows, Left: left}}
	for _, c := range columns {
		for _, f := range []join.AggFunc{join.Count, join.Sum, join.Min, join.Max} {
			list = append(list, jointest.Agg{Func: f, Left: left, Column: c})
		}
	}
	return list
}

// checkAggregates compares each aggregate with a fold over the pairs of nested loops.
func checkAggregates(t *testing.T, e *engine.Engine, left, right int64, conditions []jointest.Condition, aggs []jointest.Agg, opt Options) {
	t.Helper()
	pairs := jointest.Pairs(left, right, conditions)
	one(t, e, func(task *engine.Task) {
		in := upload(t, task, left, right, conditions)
		seen := map[string]column.Column{}
		var list []join.Agg
		for _, a := range aggs {
			d := join.Agg{Func: a.Func, Left: a.Left}
			if a.Func != join.CountRows {
				name := fmt.Sprintf("%p %p", a.Column.Ints, a.Column.Doubles)
				c, ok := seen[name]
				if !ok {
					c = a.Column.Column(t, task)
					seen[name] = c
				}
				d.Column = c
			}
			list = append(list, d)
		}
		got, err := Aggregate(task, in, list, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range aggs {
			want := a.Aggregate(pairs)
			right := got[i].Null == want.Null
			if !want.Null && a.Func != join.CountRows && a.Func != join.Count && a.Column.Kind == column.F64 {
				right = right && math.Abs(got[i].F-want.F) <= 1e-12*math.Max(1, math.Abs(want.F))
			} else if !want.Null {
				right = right && jointest.Integer(got[i]).Cmp(want.Int) == 0
			}
			if !right {
				t.Errorf("%+v: aggregate %d (%d) of left %v is %+v, want %+v", opt, i, a.Func, a.Left, got[i], want)
			}
		}
	})
}

func TestAggregate(t *testing.T) {
	const left, right = 300, 1100
	e := enginetest.New(t, 64<<20)
	numbers := func(kind column.Kind, n int, nulls bool) jointest.Values {
		v := keys(kind, "sparse", n, 9, nulls)
		for i, x := range v.Doubles {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				v.Doubles[i] = 0.5
			}
		}
		if kind == column.I64 {
			v.Ints[0], v.Ints[1] = math.MinInt64, math.MaxInt64
		}
		return v
	}
	for _, shape := range []string{"unique", "dense", "half", "zipf", "few"} {
		for _, kind := range kinds {
			t.Run(fmt.Sprint(shape, "/", kind.Suffix()), func(t *testing.T) {
				l, r := int64(left), int64(right)
				if crowded(shape) {
					l, r = 60, 200
				}
				conditions := equality(keys(kind, shape, int(l), 1, true), keys(kind, shape, int(r), 2, false))
				for i, valueKind := range kinds {
					opt := Options{BuildLeft: i != 1}
					checkAggregates(t, e, l, r, conditions, aggregates(true, numbers(valueKind, int(l), false)), opt)
					checkAggregates(t, e, l, r, conditions, aggregates(false, numbers(valueKind, int(r), true)), opt)
				}
				both := append(aggregates(true, numbers(column.I32, int(l), true)), aggregates(false, numbers(column.I64, int(r), false), numbers(column.F64, int(r), true))...)
				checkAggregates(t, e, l, r, conditions, both, Options{BuildLeft: true})
				checkAggregates(t, e, l, r, conditions, []jointest.Agg{{Func: join.CountRows}}, Options{})
			})
		}
	}
}

// TestAggregateOfNothing has no joined rows: counts are 0, all else is NULL.
func TestAggregateOfNothing(t *testing.T) {
	e := enginetest.New(t, 16<<20)
	some, none := jointest.Ints(column.I32, 1, 2, 3), jointest.Ints(column.I32)
	other := jointest.Ints(column.I32, 7, 8)
	for _, c := range []struct{ l, r jointest.Values }{{some, none}, {none, some}, {some, other}} {
		checkAggregates(t, e, c.l.Rows(), c.r.Rows(), equality(c.l, c.r), append(aggregates(true, c.l), aggregates(false, c.r)...), Options{BuildLeft: true})
	}
}

// TestAggregateWithFurtherConditions filters the pairs before they are aggregated.
func TestAggregateWithFurtherConditions(t *testing.T) {
	const left, right = 300, 700
	e := enginetest.New(t, 16<<20)
	l, r := keys(column.I32, "half", left, 1, true), keys(column.I32, "half", right, 2, false)
	conditions := append(equality(l, r), jointest.Condition{Op: join.GT, Left: keys(column.I64, "few", left, 5, false), Right: keys(column.I64, "few", right, 6, true)})
	checkAggregates(t, e, left, right, conditions, append(aggregates(true, l), aggregates(false, r)...), Options{BuildLeft: true})
}
