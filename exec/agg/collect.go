package agg

import (
	"gsql/exec/op"
	"gsql/internal/mem"
)

// newAccount returns an account, with a share of the query's memory if memory grows with the rows:
// the pool has no shares for other aggregates.
func (o *Operator) newAccount(ctx *op.Ctx) *mem.Account {
	if o.keepsRows {
		return ctx.Account("HashAggregate")
	}
	return ctx.Mem.Child("HashAggregate")
}

// closeInput closes the input once: as soon as it is drained, because operators above may need the
// memory that it holds, or with the operator.
func (o *Operator) closeInput() error {
	if o.inClosed {
		return nil
	}
	o.inClosed = true
	return o.in.Close()
}

// collect drains the input into o.parts and o.splits, which are set on errors too.
func (o *Operator) collect() error {
	o.leaveRoom()
	locals, err := o.drain()
	o.account.Lift()
	for _, l := range locals {
		if l != nil && l.split != nil {
			o.splits = append(o.splits, l.split)
		}
		if l != nil && l.groups != nil {
			o.parts = append(o.parts, l.groups)
		}
	}
	return err
}

// drain has each worker group the batches that it pulls.
func (o *Operator) drain() ([]*local, error) {
	locals := make([]*local, o.ctx.Workers)
	arbiter := o.sets.Begin()
	defer o.sets.End()
	err := op.Drain(o.ctx, o.in, func(w int, s op.Stream) error {
		l := o.newLocal()
		locals[w] = l
		arbiter.Begin()
		defer arbiter.End(&l.held)
		defer l.end()
		for {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			b, err := s.Next()
			if err != nil || b == nil {
				return err
			}
			if err := l.add(b); err != nil {
				return err
			}
			l.dropTexts()
		}
	})
	return locals, err
}
