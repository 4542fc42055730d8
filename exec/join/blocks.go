package join

import (
	"errors"
	"math"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Held says which side an operator over two inputs holds while the other one streams past.
type Held uint8

// The sides.
const (
	HoldLeft Held = iota
	HoldRight
	HoldBoth
)

// Blocks reads the inputs of an operator that holds one of them, or both, whole. Where memory
// has no room for that both go to disk, and the operator holds as many rows as fit at a time:
// see blockwise. The rows there are what Collectors make of the inputs' rows.
type Blocks struct {
	g      *grace
	stores [2]*colstore.Store
	read   [2]bool
}

// ErrOnDisk is Collect's answer where an input's rows are on disk.
var ErrOnDisk = errors.New("the rows are on disk")

// NewBlocks makes Blocks of inputs that left and right read. held says what one operator holds
// that over makes, of inputs as Stored describes them; its left one has the numbers of its
// rows as a last column.
func NewBlocks(left, right *Collector, held Held, over func(l, r op.Operator) (op.Operator, error)) *Blocks {
	make := func(_ *plan, l, r op.Operator, _ bool) (op.Operator, error) { return over(l, r) }
	b := &blockwise{make: make, both: held == HoldBoth, given: true, left: held == HoldLeft, numbered: true}
	return &Blocks{g: &grace{plan: &plan{left: left.spec, right: right.spec}, held: b}}
}

// NumberType is the type of row numbers.
var NumberType = types.T(types.Int64)

// Stored gives the columns of c's rows on disk, whose ids are those of columns that c reads as
// they are and else from here on, and what stands for each of c's expressions among them.
func (c *Collector) Stored(from expr.ColID) (cols []logical.Column, exprs []expr.Expr) {
	ts, at := c.spec.stored()
	for i, t := range ts {
		cols = append(cols, logical.Column{ID: from + expr.ColID(i), T: t})
	}
	for i, e := range c.spec.exprs {
		if col, ok := e.(*expr.Col); ok {
			cols[at[i]].ID = col.ID
		}
	}
	for _, k := range at {
		exprs = append(exprs, cols[k].Ref())
	}
	return cols, exprs
}

// Exprs gives the expressions that c reads.
func (c *Collector) Exprs() []expr.Expr { return c.spec.exprs }

func sideOf(left bool) int {
	if left {
		return leftSide
	}
	return rightSide
}

// Collect reads an input, which is open, as a Collector does. The rows stay b's. The error is
// ErrOnDisk where they, or those of the other side for them, went to disk.
func (b *Blocks) Collect(ctx *op.Ctx, left bool, in op.Operator, acct *mem.Account) (*Side, error) {
	which := sideOf(left)
	b.read[which] = true
	side, store, err := b.g.collect(ctx, which, in, acct, b.stores[rightSide])
	if err != nil {
		return nil, err
	}
	if b.stores[which] = store; side == nil || b.g.onDisk(rightSide) {
		return nil, ErrOnDisk
	}
	return side, nil
}

// Away tells whether an error means that b's rows are, or have to be, on disk.
func (b *Blocks) Away(err error) bool {
	return b != nil && (errors.Is(err, ErrOnDisk) || errors.Is(err, sqlerr.OutOfMemory))
}

// PutAway puts all rows on disk, also those of inputs that were not read before: open opens
// one.
func (b *Blocks) PutAway(ctx *op.Ctx, inputs [2]op.Operator, open func(left bool) error, acct *mem.Account) error {
	for which := range b.stores {
		if _, err := b.g.dealt(ctx, which); err != nil {
			return err
		}
		if s := b.stores[which]; s != nil {
			b.stores[which] = nil
			if err := b.g.put(ctx, which, s); err != nil {
				return err
			}
		}
	}
	for which, in := range inputs {
		if b.read[which] {
			continue
		}
		b.read[which] = true
		if err := open(which == leftSide); err != nil {
			return err
		}
		if _, _, err := b.g.collect(ctx, which, in, acct, nil); err != nil {
			return err
		}
	}
	return nil
}

// Turns gives the rows of the operators over blocks of the sides on disk, as an operator
// without a state of its own. They leave half the memory to what takes their rows.
func (b *Blocks) Turns() op.Operator { return &turnsOf{g: b.g} }

// Close frees the rows in memory and removes those on disk.
func (b *Blocks) Close() error {
	if b == nil {
		return nil
	}
	for _, s := range b.stores {
		s.Free()
	}
	return b.g.close()
}

// turnsOf gives what the turns of a grace give.
type turnsOf struct {
	g   *grace
	ctx *op.Ctx
}

// Open implements op.Operator.
func (t *turnsOf) Open(ctx *op.Ctx) error {
	alone := *ctx
	if left := ctx.Mem.Left(); left < math.MaxInt64 {
		alone.Mem = ctx.Mem.Limited("blocks", left/2)
	}
	t.ctx = &alone
	return nil
}

// Ordered implements op.Operator.
func (t *turnsOf) Ordered() bool { return false }

// Stream implements op.Operator.
func (t *turnsOf) Stream() (op.Stream, error) { return t.g.stream(t.ctx), nil }

// Close implements op.Operator.
func (t *turnsOf) Close() error { return nil }
