//go:build sim || cuda

package jointest

import (
	"math/big"

	"gsql/gpu/column"
	"gsql/gpu/join"
)

// Condition is a conjunct on the CPU.
type Condition struct {
	Op          join.Op
	Left, Right Values
}

// holds reports whether the condition is true for row i of the left and j of the right side.
func (c Condition) holds(i, j int) bool {
	if c.Left.IsNull(i) || c.Right.IsNull(j) {
		return false
	}
	order := c.Left.compare(i, c.Right, j)
	switch c.Op {
	case join.EQ:
		return order == 0
	case join.NE:
		return order != 0
	case join.LT:
		return order < 0
	case join.LE:
		return order <= 0
	case join.GT:
		return order > 0
	}
	return order >= 0
}

// Pair is the row numbers of a joined pair.
type Pair struct{ Left, Right int32 }

// Pairs returns the join by nested loops, in the order of its pairs.
func Pairs(left, right int64, conditions []Condition) []Pair {
	var pairs []Pair
	for i := range int(left) {
		for j := range int(right) {
			all := true
			for _, c := range conditions {
				all = all && c.holds(i, j)
			}
			if all {
				pairs = append(pairs, Pair{int32(i), int32(j)})
			}
		}
	}
	return pairs
}

// Agg is an aggregate on the CPU.
type Agg struct {
	Func   join.AggFunc
	Left   bool
	Column Values
}

// Value returns its result over joined pairs: NULL, or an integer or a double.
type Value struct {
	Null bool
	Int  *big.Int
	F    float64
}

// Aggregate folds the pairs one by one.
func (a Agg) Aggregate(pairs []Pair) Value {
	v := Value{Null: a.Func != join.CountRows && a.Func != join.Count, Int: new(big.Int)}
	for _, p := range pairs {
		row := int(p.Right)
		if a.Left {
			row = int(p.Left)
		}
		switch {
		case a.Func == join.CountRows:
			v.Int.Add(v.Int, big.NewInt(1))
		case a.Column.IsNull(row):
		case a.Func == join.Count:
			v.Int.Add(v.Int, big.NewInt(1))
		case a.Column.Kind == column.F64:
			v.fold(a.Func, nil, a.Column.Doubles[row])
		default:
			v.fold(a.Func, big.NewInt(a.Column.Ints[row]), 0)
		}
	}
	return v
}

// fold adds a non-NULL value.
func (v *Value) fold(f join.AggFunc, n *big.Int, x float64) {
	first := v.Null
	v.Null = false
	switch {
	case n == nil && f == join.Sum:
		v.F += x
	case n == nil && (first || f == join.Min && x < v.F || f == join.Max && x > v.F):
		v.F = x
	case n != nil && f == join.Sum:
		v.Int.Add(v.Int, n)
	case n != nil && (first || f == join.Min && n.Cmp(v.Int) < 0 || f == join.Max && n.Cmp(v.Int) > 0):
		v.Int.Set(n)
	}
}
