package join

import (
	"slices"

	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// residual holds the residual predicates: a condition on pairs.
type residual struct {
	left, right []int // positions of the columns it reads, among the needed ones of each side
	filter      *eval.Filter
	value       *eval.Program // for null-aware joins: distinguishes FALSE from NULL
}

func (p *plan) newResidual(preds []expr.Expr) (*residual, error) {
	at, ids := p.columnsOf(preds)
	r := &residual{left: at[0], right: at[1]}
	all := slices.Concat(ids[0], ids[1])
	var err error
	if !p.nullAware {
		r.filter, err = eval.CompileFilter(preds, all)
		return r, err
	}
	whole := preds[0]
	if len(preds) > 1 {
		if whole, err = expr.NewCall(expr.FuncAnd, preds, -1); err != nil {
			return nil, err
		}
	}
	r.value, err = eval.Compile(expr.Truth(whole), all)
	return r, err
}

// columnsOf returns the columns that predicates read, by side: their positions among the needed
// columns, and their ids.
func (p *plan) columnsOf(preds []expr.Expr) (at [2][]int, ids [2][]expr.ColID) {
	used := make(map[expr.ColID]bool)
	for _, e := range preds {
		expr.Cols(e, used)
	}
	for side, s := range [2]*input.Spec{p.left, p.right} {
		for i, from := range s.At {
			if id := s.Columns[from].ID; used[id] {
				at[side], ids[side] = append(at[side], i), append(ids[side], id)
			}
		}
	}
	return at, ids
}

// selector is the evaluator of a filter.
type selector interface {
	Select(b *vec.Batch) (idx []int32, all bool, err error)
}

// checker evaluates residual predicates in one goroutine.
type checker struct {
	*residual
	filter      selector
	value       *eval.Evaluator
	batch       vec.Batch
	lIdx, rIdx  vec.Composer
	unknownRows []int32
	truth       vec.Vector
}

func (r *residual) checker(ctx *op.Ctx) *checker {
	if r == nil {
		return nil
	}
	c := &checker{residual: r}
	if r.value != nil {
		c.value = r.value.NewEvaluator(ctx.Eval)
	} else {
		c.filter = r.filter.NewEvaluator(ctx.Eval)
	}
	return c
}

// pairs returns a batch of the pairs' columns.
func (c *checker) pairs(left, right *match.Side, l, r []int32) *vec.Batch {
	c.batch.N, c.batch.Cols = len(l), c.batch.Cols[:0]
	c.lIdx.Reset()
	c.rIdx.Reset()
	for _, at := range c.left {
		c.batch.Cols = append(c.batch.Cols, c.lIdx.View(left.Cols[at], l))
	}
	for _, at := range c.right {
		c.batch.Cols = append(c.batch.Cols, c.rIdx.View(right.Cols[at], r))
	}
	return &c.batch
}

// keep keeps the pairs for which the condition is TRUE, in place, and returns their number. For
// null-aware joins it also returns the left rows of pairs for which the condition is NULL, valid
// until the next call.
func (c *checker) keep(left, right *match.Side, l, r []int32) (n int, unknown []int32, err error) {
	b := c.pairs(left, right, l, r)
	if c.value != nil {
		return c.keepTrue(b, l, r)
	}
	idx, all, err := c.filter.Select(b)
	if err != nil || all {
		return len(l), nil, err
	}
	for i, x := range idx {
		l[i], r[i] = l[x], r[x]
	}
	return len(idx), nil, nil
}

func (c *checker) keepTrue(b *vec.Batch, l, r []int32) (n int, unknown []int32, err error) {
	v, err := c.value.Eval(b)
	if err != nil {
		return 0, nil, err
	}
	c.unknownRows = c.unknownRows[:0]
	if v.Type.ID == types.Null {
		return 0, append(c.unknownRows, l...), nil
	}
	v = v.Flatten(&c.truth)
	for i := range l {
		switch {
		case v.Null != nil && v.Null[i]:
			c.unknownRows = append(c.unknownRows, l[i])
		case v.I64[i] != 0:
			l[n], r[n] = l[i], r[i]
			n++
		}
	}
	return n, c.unknownRows, nil
}
