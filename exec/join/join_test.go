package join

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var (
	bigint   = types.T(types.Int64)
	unsigned = types.T(types.Uint64)
	double   = types.T(types.Float64)
	date     = types.T(types.Date)
	decimal  = types.Dec(12, 2)
	wide     = types.Dec(38, 2)
	text     = types.T(types.String)
	null     = types.T(types.Null)
)

// valueOf gives the x-th value of a type, chosen so that edges are among the first.
func valueOf(t types.Type, x int) catalog.Datum {
	d := catalog.Datum{Type: t}
	switch t.Kind() {
	case types.KindI64:
		d.I64 = int64(x) - 3
		if t.ID == types.Int64 && x == 4 {
			d.I64 = math.MinInt64
		}
		if t.ID == types.Int64 && x == 5 {
			d.I64 = math.MaxInt64
		}
	case types.KindU64:
		d.I64 = int64(x)
		if x == 2 {
			d.I64 = -1 // the greatest
		}
	case types.KindF64:
		d.F64 = float64(x)/4 - 1
		switch x {
		case 0:
			d.F64 = math.NaN()
		case 1:
			d.F64 = math.Copysign(0, -1)
		case 2:
			d.F64 = 0
		case 3:
			d.F64 = math.Inf(-1)
		}
	case types.KindDec:
		d.Dec = decimal128.FromI64(int64(x)*7 - 10)
		if t.Prec > 20 && x%3 == 1 {
			d.Dec = decimal128.New(int64(x)-2, 12345)
		}
	case types.KindStr:
		d.Str = fmt.Sprintf("%0*d", x%20, x)
	}
	return d
}

var allKinds = []logical.JoinKind{logical.Inner, logical.Left, logical.Semi, logical.Anti, logical.Mark, logical.Single}

// check compares a join with the oracle for batch sizes and workers.
func check(t *testing.T, c *joinCase, sizes, workers []int) {
	t.Helper()
	want, wantErr := c.oracle()
	for _, size := range sizes {
		for _, w := range workers {
			for _, forms := range []bool{false, true} {
				got, err := c.run(t, size, w, forms)
				name := fmt.Sprintf("%s kind %d keys %v %v ranges %v residual %q aware %v left %v; %dx%d rows, batches of %d, %d workers, forms %v",
					c.algo, c.kind, c.operands, c.nullSafe, c.ranges, c.residual, c.nullAware, c.buildLeft,
					len(c.left.rows), len(c.right.rows), size, w, forms)
				if wantErr != nil {
					if !errors.Is(err, sqlerr.SubqueryNo1Row) {
						t.Fatalf("%s: error %v, want 1242", name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s:\n%s", name, difference(got, want))
				}
			}
		}
	}
}

func difference(got, want []string) string {
	count := make(map[string]int)
	for _, s := range got {
		count[s]++
	}
	for _, s := range want {
		count[s]--
	}
	out := fmt.Sprintf("%d rows, want %d", len(got), len(want))
	shown := 0
	for s, n := range count {
		if n != 0 && shown < 8 {
			out += fmt.Sprintf("\n%+d %s", n, s)
			shown++
		}
	}
	return out
}

// shapes of key tuples.
var keyShapes = []struct {
	types    []types.Type
	nullSafe []bool
}{
	{[]types.Type{bigint}, []bool{false}},
	{[]types.Type{bigint}, []bool{true}},
	{[]types.Type{unsigned}, []bool{false}},
	{[]types.Type{double}, []bool{false}},
	{[]types.Type{double}, []bool{true}},
	{[]types.Type{date}, []bool{false}},
	{[]types.Type{decimal}, []bool{false}},
	{[]types.Type{wide}, []bool{false}},
	{[]types.Type{text}, []bool{false}},
	{[]types.Type{text}, []bool{true}},
	{[]types.Type{null}, []bool{false}},
	{[]types.Type{null}, []bool{true}},
	{[]types.Type{date, date}, []bool{false, false}},
	{[]types.Type{date, decimal, date}, []bool{false, true, false}},
	{[]types.Type{bigint, unsigned}, []bool{false, true}},
	{[]types.Type{text, date}, []bool{true, false}},
	{[]types.Type{text, wide}, []bool{false, false}},
}

var equalityAlgos = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop}

// TestEquality runs every algorithm, kind and key shape over small inputs with many
// duplicates and NULLs.
func TestEquality(t *testing.T) {
	for _, algo := range equalityAlgos {
		t.Run(string(algo), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, shape := range keyShapes {
				for _, kind := range allKinds {
					for variant := range 12 {
						g := &generator{Rand: r, distinct: 1 + r.IntN(40), nulls: float64(variant%3) * 0.1}
						if kind == logical.Single {
							g.distinct = 300
						}
						c := &joinCase{algo: algo, kind: kind, operands: shape.types, nullSafe: shape.nullSafe,
							residual: []string{"", "sum", "less"}[r.IntN(3)], nullAware: r.IntN(2) == 0, buildLeft: r.IntN(3) == 0}
						c.nullAware = c.nullAware && (kind == logical.Mark || kind == logical.Anti)
						c.left = g.relation(leftID, r.IntN(60), c.operands)
						c.right = g.relation(rightID, r.IntN(30)*r.IntN(2), c.operands)
						check(t, c, []int{3, 64}, []int{1, 2})
					}
				}
			}
		})
	}
}

// TestSizes runs sizes around those of batches and blocks, skewed and unskewed.
func TestSizes(t *testing.T) {
	for _, algo := range equalityAlgos {
		r := rand.New(rand.NewPCG(3, 4))
		for _, rows := range [][2]int{{0, 0}, {0, 5}, {5, 0}, {1, 1}, {2, 1}, {120, 1023}, {1024, 150}, {1025, 100}, {5000, 40}, {40, 5000}} {
			for _, kind := range allKinds {
				g := &generator{Rand: r, distinct: 500, nulls: 0.01, zipf: r.IntN(2) == 0}
				shape := keyShapes[[]int{0, 3, 8, 12}[r.IntN(4)]]
				c := &joinCase{algo: algo, kind: kind, operands: shape.types, nullSafe: shape.nullSafe, buildLeft: r.IntN(2) == 0}
				c.left, c.right = g.relation(leftID, rows[0], c.operands), g.relation(rightID, rows[1], c.operands)
				check(t, c, []int{1, 1024}[r.IntN(2):][:1], []int{1, 4}[r.IntN(2):][:1])
			}
		}
	}
}
