package rollup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var (
	bigint = types.T(types.Int64)
	text   = types.T(types.String)
)

// groups returns groups that differ in a number, a text and a number, with a value each.
func groups(rows, numbers, texts int) *optest.Relation {
	rng := rand.New(rand.NewPCG(11, 12))
	rel := optest.New(1, bigint, text, bigint, bigint)
	seen := map[string]bool{}
	for len(rel.Rows) < rows {
		row := []catalog.Datum{optest.Value(bigint, rng.IntN(numbers)), optest.Value(text, rng.IntN(texts)), optest.Value(bigint, rng.IntN(1000)), optest.Value(bigint, rng.IntN(50))}
		for i := range row {
			if rng.IntN(10) == 0 {
				row[i] = catalog.NullOf(rel.Cols[i].T)
			}
		}
		if at := fmt.Sprint(row[:3]); !seen[at] {
			seen[at] = true
			rel.Rows = append(rel.Rows, row)
		}
	}
	return rel
}

// caseOf returns a rollup by some columns that takes the least of column 3.
func caseOf(rel *optest.Relation, keys []int, want [][]catalog.Datum) optest.Case {
	plan := &physical.Rollup{Aggs: []*expr.Agg{{Fn: expr.Min, Args: []expr.Expr{rel.Col(3)}, T: bigint}}}
	n := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}
	for _, k := range keys {
		plan.Keys = append(plan.Keys, rel.Col(k))
		n.Cols = append(n.Cols, logical.Column{T: rel.Cols[k].T})
	}
	n.Cols = append(n.Cols, logical.Column{T: bigint}, logical.Column{T: bigint})
	return optest.Case{Inputs: []*optest.Relation{rel}, Want: want, Build: func(in []op.Operator) (op.Operator, error) { return New(n, in[0]) }}
}

// oracle groups all rows once per level.
func oracle(rel *optest.Relation, keys []int) (out [][]catalog.Datum) {
	for depth := range len(keys) + 1 {
		at := map[string]int{}
		for _, row := range rel.Rows {
			group := make([]catalog.Datum, 0, len(keys)+2)
			for i, k := range keys {
				if i < depth {
					group = append(group, row[k])
				} else {
					group = append(group, catalog.NullOf(rel.Cols[k].T))
				}
			}
			name := fmt.Sprint(group)
			i, ok := at[name]
			if !ok {
				i = len(out)
				at[name] = i
				out = append(out, append(group, catalog.Int(int64(depth)), catalog.NullOf(bigint)))
			}
			if least := &out[i][len(keys)+1]; !row[3].Null && (least.Null || row[3].I64 < least.I64) {
				*least = row[3]
			}
		}
	}
	return out
}

func TestRollup(t *testing.T) {
	for _, c := range []struct {
		rows int
		keys []int
	}{{0, []int{0, 1, 2}}, {1, []int{0, 1, 2}}, {300, []int{0, 1, 2}}, {100, []int{1, 0, 1, 2, 0}}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			rel := groups(c.rows, 5, 20)
			caseOf(rel, c.keys, oracle(rel, c.keys)).Run(t)
		})
	}
}

func TestSpilledRollup(t *testing.T) {
	rel, keys := groups(10_000, 10, 1000), []int{0, 1, 2}
	caseOf(rel, keys, oracle(rel, keys)).RunSpilling(t, 0.6, 0.4)
}
