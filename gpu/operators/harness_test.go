//go:build sim

package operators_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec"
	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/gpu/operators"
	_ "gsql/gpu/sim" // registers the simulated device
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

const device physical.Device = "sim:0"

// crossing returns n below a node that moves it to or from the device.
func crossing(kind physical.Op, n *physical.Node) *physical.Node {
	return &physical.Node{Op: kind, In: []*physical.Node{n}, Cols: n.Cols, Device: device}
}

// place moves the node of a join to the device, over inputs that stay on the host.
func place(join *physical.Node) (inputs []*physical.Node) {
	join.Device = device
	for i, in := range join.In {
		in.Op, in.Device = &physical.Values{}, physical.CPU
		inputs = append(inputs, in)
		join.In[i] = crossing(&physical.ToDevice{}, in)
	}
	return inputs
}

// build makes the operators of a plan whose nodes inputs are the operators in.
func build(top *physical.Node, inputs []*physical.Node, in []op.Operator) (op.Operator, error) {
	reg := exec.DefaultRegistry()
	operators.Register(reg, operators.Config{Cacheable: func(catalog.Table) bool { return false }})
	reg.Register((&physical.Values{}).Kind(), physical.CPU, func(_ *exec.Inputs, n *physical.Node) (op.Operator, error) {
		for i := range inputs {
			if inputs[i] == n {
				return in[i], nil
			}
		}
		return nil, errors.New("a node that is no input")
	})
	return exec.Build(top, reg)
}

// onDevice returns the case of a join on the device. The device must do the work: falling back is an
// error.
func onDevice(t testing.TB, c *jointest.Case) optest.Case {
	want, err := c.Rows()
	h := c.Harness(t, want, err)
	h.Build = func(in []op.Operator) (op.Operator, error) {
		n := c.Node(t)
		inputs := place(n)
		o, err := build(crossing(&physical.FromDevice{}, n), inputs, in)
		return strict{o}, err
	}
	return h
}

// strict refuses to fall back to the CPU.
type strict struct{ op.Operator }

// Open implements op.Operator.
func (s strict) Open(ctx *op.Ctx) error {
	own := *ctx
	own.FellBack = func(operator string, cause error) error {
		return fmt.Errorf("%s fell back: %w", operator, cause)
	}
	return s.Operator.Open(&own)
}

// drivable returns a join whose conditions a device can drive: of range joins a single comparison.
func drivable(g *jointest.Generator, algo physical.JoinAlgo, kind logical.JoinKind) *jointest.Case {
	const left, right = 40, 30
	c := jointest.SimpleCase(g, algo, kind, left, right)
	if algo == physical.Range {
		c.Operands, c.NullSafe, c.Ranges = []types.Type{jointest.Date}, nil, []expr.FuncID{expr.FuncLT}
		c.Left, c.Right = g.Relation(jointest.LeftID, left, c.Operands), g.Relation(jointest.RightID, right, c.Operands)
	}
	return c
}

// TestJoinsOnDevice runs joins of every kind by every algorithm as operators. It checks their rows,
// failing and cancelled inputs, little memory, streams that are read alternately, and that nothing
// leaks.
func TestJoinsOnDevice(t *testing.T) {
	kinds := []logical.JoinKind{logical.Inner, logical.Left, logical.Semi, logical.Anti, logical.Mark}
	for _, algo := range jointest.AllAlgos {
		for i, kind := range kinds {
			t.Run(fmt.Sprintf("%s %v", algo, kind), func(t *testing.T) {
				g := &jointest.Generator{Rand: rand.New(rand.NewPCG(uint64(i), 7)), Distinct: 9, Nulls: 0.1}
				c := drivable(g, algo, kind)
				if i%2 == 0 {
					c.Residual = "sum"
				}
				onDevice(t, c).Run(t)
			})
		}
	}
}

// TestAggregatesOnDevice runs aggregates over joins on the device in the same way.
func TestAggregatesOnDevice(t *testing.T) {
	for i, algo := range jointest.AllAlgos {
		t.Run(string(algo), func(t *testing.T) {
			g := &jointest.Generator{Rand: rand.New(rand.NewPCG(uint64(i), 8)), Distinct: 9, Nulls: 0.1}
			aggregated(t, drivable(g, algo, logical.Inner), func(*physical.Node) {}).Run(t)
		})
	}
}

// aggregated returns the case of COUNT(*), SUM(l.v), MIN(r.v) and MAX(r.v) over a join on the device. change
// is called with the plan.
func aggregated(t testing.TB, c *jointest.Case, change func(plan *physical.Node)) optest.Case {
	joined, err := c.Rows()
	if err != nil {
		t.Fatal(err)
	}
	lv, rv := len(c.Left.Cols)-1, len(c.Left.Cols)+len(c.Right.Cols)-1
	h := c.Harness(t, [][]catalog.Datum{totals(joined, lv, rv)}, nil)
	h.Build = func(in []op.Operator) (op.Operator, error) {
		n := c.Node(t)
		inputs := place(n)
		l, r := n.Cols[lv].Ref(), n.Cols[rv].Ref()
		top := &physical.HashAgg{Aggs: []*expr.Agg{
			{Fn: expr.CountStar, T: jointest.Bigint},
			{Fn: expr.Sum, Args: []expr.Expr{l}, T: types.Dec(38, 0)},
			{Fn: expr.Min, Args: []expr.Expr{r}, T: jointest.Bigint},
			{Fn: expr.Max, Args: []expr.Expr{r}, T: jointest.Bigint},
		}}
		var cols []logical.Column
		for i, a := range top.Aggs {
			cols = append(cols, logical.Column{ID: expr.ColID(300 + i), T: a.T})
		}
		plan := crossing(&physical.FromDevice{}, &physical.Node{Op: top, In: []*physical.Node{n}, Cols: cols, Device: device})
		change(plan)
		o, err := build(plan, inputs, in)
		return strict{o}, err
	}
	return h
}

// totals returns the number of rows, the sum of column l, and the extremes of column r.
func totals(rows [][]catalog.Datum, l, r int) []catalog.Datum {
	sum := catalog.Datum{Type: types.Dec(38, 0), Null: true}
	least, most := catalog.Datum{Type: jointest.Bigint, Null: true}, catalog.Datum{Type: jointest.Bigint, Null: true}
	total := int64(0)
	for _, row := range rows {
		if !row[l].Null {
			total, sum.Null = total+row[l].I64, false
		}
		if row[r].Null {
			continue
		}
		if least.Null || row[r].I64 < least.I64 {
			least = row[r]
		}
		if most.Null || row[r].I64 > most.I64 {
			most = row[r]
		}
	}
	sum.Dec = decimal128.FromI64(total)
	return []catalog.Datum{catalog.Int(int64(len(rows))), sum, least, most}
}
