package spill

import (
	"errors"
	"math"

	"gsql/exec/colstore"
	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// Held is the side that a binary operator holds while the other side streams past.
type Held uint8

const (
	// The sides that an operator can hold.
	HoldLeft Held = iota
	HoldRight
	HoldBoth
)

// Blocks reads the inputs of an operator that holds one or both of them whole. If they do not fit
// in memory, both spill, and operators over as many rows as fit are made one after another. The
// rows on disk are what Collectors read from the inputs.
type Blocks struct {
	g      *Grace
	stores [2]*colstore.Store
	read   [2]bool
}

// ErrSpilled is returned if an input's rows are on disk.
var ErrSpilled = errors.New("the rows are on disk")

// NewBlocks makes the Blocks of inputs that left and right read. held is the side that an
// operator made by over holds. The inputs of over are as described by Collector.Stored; the left
// one also has its row numbers as a last column. equal lists the keys that partners have in
// common, as positions among the expressions of each Collector: rows are partitioned by them, and
// only rows of the same partition are joined.
func NewBlocks(left, right *input.Collector, held Held, equal [2][]int, over func(l, r op.Operator) (op.Operator, error)) *Blocks {
	make := func(_ *Stored, l, r op.Operator, _ bool) (op.Operator, error) { return over(l, r) }
	b := &Blockwise{Make: make, Both: held == HoldBoth, given: true, left: held == HoldLeft, numbered: true, Equal: equal}
	return &Blocks{g: NewBlockwise(&Join{Sides: [2]*input.Spec{left.Spec, right.Spec}, Inner: true}, b)}
}

func sideOf(left bool) int {
	if left {
		return match.LeftSide
	}
	return match.RightSide
}

// Collect reads an input, which is open, as a Collector does. The rows belong to b. The error is
// ErrSpilled if they, or those of the other side in their place, spilled.
func (b *Blocks) Collect(ctx *op.Ctx, left bool, in op.Operator, acct *mem.Account) (*match.Side, error) {
	which := sideOf(left)
	b.read[which] = true
	var right *colstore.Store
	if left {
		right = b.stores[match.RightSide]
	}
	side, store, err := b.g.Collect(ctx, which, in, acct, right)
	if err != nil {
		return nil, err
	}
	if b.stores[which] = store; side == nil || b.g.OnDisk(match.RightSide) {
		return nil, ErrSpilled
	}
	return side, nil
}

// Spilled reports whether err means that the rows are on disk, or must spill.
func (b *Blocks) Spilled(err error) bool {
	return b != nil && (errors.Is(err, ErrSpilled) || errors.Is(err, sqlerr.OutOfMemory))
}

// Spill writes all rows to disk, including those of inputs that were not read before; open opens
// such an input.
func (b *Blocks) Spill(ctx *op.Ctx, inputs [2]op.Operator, open func(left bool) error, acct *mem.Account) error {
	for which := range b.stores {
		if err := b.g.Spill(ctx, which); err != nil {
			return err
		}
		if s := b.stores[which]; s != nil {
			b.stores[which] = nil
			if err := b.g.PutStore(ctx, which, s); err != nil {
				return err
			}
		}
	}
	for which, in := range inputs {
		if b.read[which] {
			continue
		}
		b.read[which] = true
		if err := open(which == match.LeftSide); err != nil {
			return err
		}
		if _, _, err := b.g.Collect(ctx, which, in, acct, nil); err != nil {
			return err
		}
	}
	return nil
}

// Results returns an operator that returns the rows of the operators over blocks of both sides.
// It has no state of its own. These operators leave half of the memory to its consumer.
func (b *Blocks) Results() op.Operator { return &blockResults{g: b.g} }

// Close frees the rows in memory and removes those on disk.
func (b *Blocks) Close() error {
	if b == nil {
		return nil
	}
	for _, s := range b.stores {
		s.Free()
	}
	return b.g.Close()
}

// blockResults returns the rows of a Grace.
type blockResults struct {
	g       *Grace
	ctx     *op.Ctx
	account *mem.Account
}

// Open implements op.Operator.
func (t *blockResults) Open(ctx *op.Ctx) error {
	t.ctx, t.account = ctx, ctx.Account("blocks")
	if left := t.account.Left(); left < math.MaxInt64 {
		t.account.Limit(left / 2)
	}
	return nil
}

// Ordered implements op.Operator.
func (t *blockResults) Ordered() bool { return false }

// Stream implements op.Operator.
func (t *blockResults) Stream() (op.Stream, error) { return t.g.Stream(t.ctx, t.account) }

// Close implements op.Operator.
func (t *blockResults) Close() error {
	t.g.shares.Close()
	t.account.End()
	return nil
}
