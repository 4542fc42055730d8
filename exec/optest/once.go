package optest

import (
	"errors"
	"fmt"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Once runs the operator once with the memory, workers, batches and disk of ctx, over inputs whose
// vectors have varying forms or are all flat, and returns its rows as Lines does. An error of its own
// says that something was left open, or that an input was not closed exactly once.
func (c Case) Once(ctx *op.Ctx, forms bool) ([]string, error) {
	mem.PoisonFreed()
	var sources []*source
	for _, rel := range c.Inputs {
		s := newSource(rel, ctx.Rows(), forms)
		s.alone = true
		sources = append(sources, s)
	}
	rows, err := c.runOver(ctx, config{size: ctx.Rows(), forms: forms, workers: ctx.Workers, most: ctx.Rows()}, sources)
	for i, s := range sources {
		if s.closed != 1 {
			return nil, fmt.Errorf("input %d was closed %d times (error: %v)", i, s.closed, err)
		}
	}
	slices.Sort(rows)
	return rows, err
}

// Rows opens an operator and returns its rows as Lines does.
func Rows(ctx *op.Ctx, o op.Operator) ([]string, error) {
	if err := o.Open(ctx); err != nil {
		return nil, err
	}
	rows, err := drain(ctx, o, ctx.Rows())
	slices.Sort(rows)
	return rows, err
}

// StreamRows reads a stream to its end and returns its rows as texts.
func StreamRows(s op.Stream) (rows []string, err error) {
	for err == nil {
		var b *vec.Batch
		if b, err = s.Next(); b == nil || err != nil {
			break
		}
		rows, err = appendLines(rows, b)
	}
	return rows, errors.Join(err, s.Close())
}

// Difference describes in what sorted rows differ from those wanted; it is empty where they do not.
func Difference(got, want []string) string { return difference(got, want) }
