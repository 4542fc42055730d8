package optest

import (
	"errors"
	"fmt"
	"slices"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Once runs the operator once with the memory, workers, batch size and spill space of ctx and
// returns its rows in the form of Lines. The vectors of the inputs have varying forms if forms is
// set; otherwise they are flat. Once returns an error of its own if memory, a stream or an input
// is not released, or if an input is not closed exactly once.
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

// Rows opens an operator and returns its rows in the form of Lines.
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

// Difference describes the difference between sorted rows and the expected ones. It returns "" if
// there is none.
func Difference(got, want []string) string { return difference(got, want) }
