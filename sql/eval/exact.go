package eval

import (
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// exactly computes an expression for single rows with all digits of MySQL's decimals. It serves
// rows whose intermediate values exceed 128 bits although the result may not.
type exactly struct {
	rt    kernel.Runtime
	root  *exactNode
	batch *vec.Batch
	i     int           // the current row of batch
	row   []*vec.Vector // its values of the columns in used
	used  []int         // the columns that programs read
}

// exactNode is a part of the expression: an operator over its kids, or a program.
type exactNode struct {
	e    expr.Expr
	call *expr.Call
	op   exactOp
	kids []*exactNode
	// If op is nil, ev computes e from the row's columns followed by the values of the kids.
	ev   *Evaluator
	cols []*vec.Vector
}

// exactOp computes a node for the current row.
type exactOp func(x *exactly, n *exactNode) (amount, error)

func newExact(e expr.Expr, input []expr.ColID, ctx kernel.Ctx) (*exactly, error) {
	x := &exactly{rt: kernel.Runtime{Ctx: ctx}, row: make([]*vec.Vector, len(input))}
	var err error
	x.root, err = x.node(e, input)
	return x, err
}

func (x *exactly) node(e expr.Expr, input []expr.ColID) (*exactNode, error) {
	n := &exactNode{e: e}
	if n.op = exactLeaf(e, input[:min(len(input), len(x.row))]); n.op != nil {
		return n, nil
	}
	c, ok := e.(*expr.Call)
	if !ok || !expr.CarriesWithin(e) && c.T.ID != types.Decimal {
		return n, x.compile(n, input)
	}
	n.call = c
	if n.op = exactOpOf(c); n.op != nil {
		for _, a := range c.Args {
			kid, err := x.node(a, input)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		return n, nil
	}
	next := expr.ColID(1)
	for _, id := range input {
		next = max(next, id+1)
	}
	own := *c
	own.Args = slices.Clone(c.Args)
	input = slices.Clone(input)
	for i, a := range c.Args {
		if _, constant := a.(*expr.Const); constant || !expr.CarriesWithin(a) {
			continue
		}
		kid, err := x.node(a, input[:len(x.row)])
		if err != nil {
			return nil, err
		}
		own.Args[i] = &expr.Col{ID: next, T: a.Type()}
		n.kids = append(n.kids, kid)
		input = append(input, next)
		next++
	}
	n.e = &own
	return n, x.compile(n, input)
}

// exactLeaf returns the operation that reads a column of the input or a constant, or nil for other
// expressions.
func exactLeaf(e expr.Expr, input []expr.ColID) exactOp {
	switch e := e.(type) {
	case *expr.Const:
		v := amountOf(e.Value)
		return func(*exactly, *exactNode) (amount, error) { return v, nil }
	case *expr.Col:
		if at := slices.Index(input, e.ID); at >= 0 {
			return func(x *exactly, _ *exactNode) (amount, error) {
				return amountOf(catalog.DatumAt(x.batch.Cols[at], x.i)), nil
			}
		}
	}
	return nil
}

// compile compiles the program of a node that has no exactOp.
func (x *exactly) compile(n *exactNode, input []expr.ColID) error {
	p, err := Compile(n.e, input)
	if err != nil {
		return err
	}
	n.ev = p.NewEvaluator(x.rt.Ctx)
	n.ev.alone = true
	n.cols = make([]*vec.Vector, len(input))
	p.Columns(func(c int) {
		if c < len(x.row) && !slices.Contains(x.used, c) {
			x.used = append(x.used, c)
		}
	})
	return nil
}

// at computes row i of a batch.
func (x *exactly) at(b *vec.Batch, i int) (catalog.Datum, error) {
	x.batch, x.i = b, i
	for _, c := range x.used {
		x.row[c] = catalog.DatumAt(b.Cols[c], i).Vector(1)
	}
	return x.datum(x.root)
}

func (x *exactly) value(n *exactNode) (amount, error) {
	if n.op != nil {
		return n.op(x, n)
	}
	copy(n.cols, x.row)
	for i, k := range n.kids {
		d, err := x.datum(k)
		if err != nil {
			return amount{}, err
		}
		n.cols[len(x.row)+i] = d.Vector(1)
	}
	v, err := n.ev.Eval(&vec.Batch{Cols: n.cols, N: 1})
	if err != nil {
		return amount{}, err
	}
	return amountOf(catalog.DatumAt(v, 0)), nil
}

// datum returns the value of a node, converted to the node's type.
func (x *exactly) datum(n *exactNode) (catalog.Datum, error) {
	v, err := x.value(n)
	if err != nil {
		return catalog.Datum{}, err
	}
	d, ok := v.as(n.e.Type())
	if !ok {
		return d, x.outOfRange(n)
	}
	return d, nil
}

func (x *exactly) outOfRange(n *exactNode) error {
	if n.call == nil {
		n.call = &expr.Call{Fn: expr.FuncCast, Args: []expr.Expr{n.e}, T: n.e.Type(), Pos: -1}
	}
	x.rt.Call = n.call
	if n.e.Type().IsInteger() {
		return x.rt.OutOfRange("BIGINT")
	}
	return x.rt.OutOfRange(kernel.DecimalName)
}

// divisionByZero reports a warning and returns NULL.
func (x *exactly) divisionByZero(n *exactNode) amount {
	x.rt.Call = n.call
	x.rt.DivisionByZero()
	return amount{}
}
