package sort

import (
	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/sql/eval"
	"gsql/sql/vec"
)

// collector gathers the rows of one worker.
type collector struct {
	o     *Operator
	store *colstore.Store
	evals []*eval.Evaluator // of the computed keys
	batch vec.Batch
	rows  eval.Divider
	bound []*vec.Vector // the keys of the last of the rows to keep, one vector per key; nil until there are enough rows
	idx   []int32
	ties  []int32
	held  int64 // bytes reserved for sorting the store's rows into a run
}

func (o *Operator) newCollector() *collector {
	c := &collector{o: o, store: colstore.New(o.types, o.account)}
	for _, k := range o.keys {
		if k.program != nil {
			c.evals = append(c.evals, k.program.NewEvaluator(o.ctx.Eval))
			c.rows.Whole = c.rows.Whole || k.volatile
		}
	}
	return c
}

// collect takes all rows of a stream. If bounded is set, it takes only those that may be within
// the limit.
func (c *collector) collect(in op.Stream, bounded bool) error {
	defer c.freeEvals()
	for {
		if err := c.o.ctx.Err(); err != nil {
			return err
		}
		b, err := in.Next()
		if err != nil || b == nil {
			return err
		}
		for c.rows.Add(b); !c.rows.Done(); {
			if err := c.rows.Compute(c.withKeys); err != nil {
				return err
			}
			if bounded {
				err = c.offer(&c.batch)
			} else {
				err = c.keep(&c.batch)
			}
			if err != nil {
				return err
			}
		}
	}
}

// freeEvals frees the texts of computed keys, which the store accounts for.
func (c *collector) freeEvals() {
	for _, e := range c.evals {
		e.Free()
	}
	c.batch = vec.Batch{}
}

// withKeys makes c.batch the rows of b with the computed keys appended to their columns.
func (c *collector) withKeys(b *vec.Batch) error {
	for _, e := range c.evals {
		e.Release()
	}
	c.batch.N, c.batch.Morsel = b.N, b.Morsel
	c.batch.Cols = append(c.batch.Cols[:0], b.Cols...)
	for _, e := range c.evals {
		v, err := e.Eval(b)
		if err != nil {
			return err
		}
		c.batch.Cols = append(c.batch.Cols, v)
	}
	return nil
}

// offer keeps the rows of a batch that may be among the first of the result.
func (c *collector) offer(b *vec.Batch) error {
	if c.bound != nil {
		switch idx := c.before(b); {
		case len(idx) == 0:
			return nil
		case len(idx) < b.N:
			b = vec.Select(b, idx)
		}
	}
	if c.o.ctx.Spill != nil {
		return c.offerScarce(b)
	}
	if err := c.store.Append(b); err != nil {
		return err
	}
	if c.isFull() {
		return c.shrink()
	}
	return nil
}

// shrinkRows is the number of rows, besides those to keep, from which the store shrinks. It is small
// because the bound that this makes saves a scan from reading more rows.
const shrinkRows = 256

// isFull reports whether the store has so many rows that dropping all but the first ones pays.
func (c *collector) isFull() bool { return int64(c.store.Rows()) >= 2*c.o.limit+shrinkRows }

// shrink keeps the first rows and sets the bound.
func (c *collector) shrink() error {
	sorted, err := order(c.o.ctx, c.o.account, c.o.sortKeys(c.store.Columns()), c.store.Rows())
	if err != nil {
		return err
	}
	defer sorted.Free()
	return c.pick(sorted.S)
}

// pick keeps the first of the store's rows; sorted lists the numbers of all of them in order.
func (c *collector) pick(sorted []int32) error {
	best := sorted[:c.o.limit]
	bound := c.boundOf(best)
	kept, err := c.store.Pick(best)
	if err != nil {
		return err
	}
	c.store.Free()
	c.store = kept
	c.tighten(bound)
	return nil
}

// boundOf returns the keys of the last of the rows in best.
func (c *collector) boundOf(best []int32) []*vec.Vector {
	keys := c.o.sortKeys(c.store.Columns())
	bound := make([]*vec.Vector, len(keys))
	for i, k := range keys {
		bound[i] = (&vec.Vector{Type: k.v.Type, Form: vec.View, N: 1, Base: k.v, Idx: best[len(best)-1:]}).Flatten(nil)
	}
	return bound
}

// mostBound is the greatest number of bytes of texts in a bound, which no account is charged for.
const mostBound = 64 << 10

// tighten sets the bound, unless its texts are long.
func (c *collector) tighten(bound []*vec.Vector) {
	text := int64(0)
	for _, v := range bound {
		text += v.TextBytes()
	}
	if text > mostBound {
		return
	}
	c.bound = bound
	if c.o.Bound != nil {
		c.o.Bound.Tighten(bound[0])
	}
}

// before returns the rows of b that come before the bound.
func (c *collector) before(b *vec.Batch) []int32 {
	c.idx, c.ties = c.idx[:0], c.ties[:0]
	first := c.o.keys[0]
	v := b.Cols[first.col].Flatten(nil)
	c.idx, c.ties = split(v, c.bound[0], first.desc, c.idx, c.ties)
	if len(c.ties) == 0 || len(c.o.keys) == 1 {
		return c.idx
	}
	return c.breakTies(b)
}

// breakTies adds the rows that equal the bound in the first key and come before it by the others.
func (c *collector) breakTies(b *vec.Batch) []int32 {
	keys := c.o.keys[1:]
	cols := make([]column, len(keys))
	for i, k := range keys {
		cols[i] = column{b.Cols[k.col].Flatten(nil), k.desc}
	}
	n := len(c.idx)
	for _, row := range c.ties {
		if compareTo(cols, row, c.bound[1:]) < 0 {
			c.idx = append(c.idx, row)
		}
	}
	return mergeAscending(c.idx, n)
}
