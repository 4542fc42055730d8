package jointest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

var (
	// Types of operands.
	Bigint   = types.T(types.Int64)
	Unsigned = types.T(types.Uint64)
	Double   = types.T(types.Float64)
	Date     = types.T(types.Date)
	Decimal  = types.Dec(12, 2)
	Wide     = types.Dec(38, 2)
	Text     = types.T(types.String)
	Null     = types.T(types.Null)
)

// ValueOf returns the x-th value of a type; edge cases are among the first.
func ValueOf(t types.Type, x int) catalog.Datum {
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

// AllKinds lists the kinds of joins.
var AllKinds = []logical.JoinKind{logical.Inner, logical.Left, logical.Semi, logical.Anti, logical.Mark, logical.Single, logical.Full}

// Generator makes relations of random values.
type Generator struct {
	*rand.Rand
	Nulls    float64 // share of NULLs in operands and v
	Distinct int     // distinct operand values
	Zipf     bool
	NoNaN    bool // the evaluator of residual predicates treats NaN differently
}

// Relation returns a side with the given number of rows and with column ids from base on.
func (g *Generator) Relation(base, rows int, operands []types.Type) *optest.Relation {
	rel := &optest.Relation{Cols: ColumnsOf(base, operands)}
	for i := range rows {
		row := []catalog.Datum{catalog.Int(int64(i))}
		for _, t := range operands {
			row = append(row, g.datum(t))
		}
		v := catalog.Int(g.Int64N(10))
		v.Null = g.Float64() < g.Nulls
		rel.Rows = append(rel.Rows, append(row, v))
	}
	return rel
}

func (g *Generator) datum(t types.Type) catalog.Datum {
	if g.Float64() < g.Nulls || t.ID == types.Null {
		return catalog.NullOf(t)
	}
	x := g.IntN(g.Distinct)
	if g.Zipf {
		x = int(float64(g.Distinct) * g.Float64() * g.Float64() * g.Float64() * g.Float64())
	}
	if d := ValueOf(t, x); !g.NoNaN || d.F64 == d.F64 {
		return d
	}
	return ValueOf(t, x+1)
}

// Unique drops the rows of rel whose key, in the second column, occurred before.
func Unique(rel *optest.Relation) {
	seen := map[string]bool{}
	kept := rel.Rows[:0]
	for _, row := range rel.Rows {
		if k := row[1].Text(); !seen[k] {
			seen[k] = true
			kept = append(kept, row)
		}
	}
	rel.Rows = kept
}
