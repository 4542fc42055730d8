package exec

import (
	"context"
	"errors"
	"sync"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// run executes the inner plan for r. A small plan runs in the calling goroutine, concurrently with
// those of other streams. Only one large plan runs at a time, with all workers. A plan that lacked
// memory runs once more, alone and without the cached results.
func (a *apply) run(r *result, params []catalog.Datum) error {
	err := a.attempt(r, params, a.small)
	if errors.Is(err, sqlerr.OutOfMemory) && (a.makeRoom() || a.small) && a.ctx.Err() == nil {
		err = a.attempt(r, params, false)
	}
	return err
}

// attempt executes the inner plan, concurrently with others or alone.
func (a *apply) attempt(r *result, params []catalog.Datum, beside bool) error {
	if beside {
		a.running.RLock()
		defer a.running.RUnlock()
	} else {
		a.running.Lock()
		defer a.running.Unlock()
	}
	inner, err := a.inputs.Build(a.node.In[1])
	if err != nil {
		return err
	}
	ctx := *a.ctx
	ctx.Eval.Params = params
	stop, cancel := context.WithCancel(a.ctx.Context)
	defer cancel()
	ctx.Context = stop
	if a.small {
		ctx.Workers = 1
	}
	rows := &innerRows{a: a, stores: make([]*colstore.Store, ctx.Workers)}
	for i := range rows.stores {
		rows.stores[i] = colstore.New(a.types, a.account)
	}
	err = inner.Open(&ctx)
	if err == nil {
		err = op.Each(&ctx, inner, func(w int, b *vec.Batch) error {
			if err := rows.add(w, b); err != nil {
				return err
			}
			if n := a.enough(); n > 0 && rows.stores[w].Rows() >= n {
				cancel() // the rows so far determine the result
			}
			return nil
		})
	}
	if errors.Is(err, context.Canceled) && a.ctx.Err() == nil {
		err = nil
	}
	err = errors.Join(err, inner.Close())
	if err == nil {
		err = rows.finish(r)
	}
	if err != nil {
		err = errors.Join(err, rows.discard())
	}
	return err
}

// innerRows collects the rows of one execution of the inner plan, in memory as long as it suffices.
type innerRows struct {
	a      *apply
	stores []*colstore.Store // by worker
	mu     sync.Mutex        // guards the following
	file   *spill.File
	blocks []spill.Block
	rows   int // in blocks
}

// add appends the rows of b to the store of a worker, or to the file.
func (c *innerRows) add(w int, b *vec.Batch) error {
	s := c.stores[w]
	err := s.Append(b)
	if errors.Is(err, sqlerr.OutOfMemory) && c.a.makeRoom() {
		err = s.Append(b)
	}
	if !errors.Is(err, sqlerr.OutOfMemory) || c.a.ctx.Spill == nil {
		return err
	}
	if s.Rows() > 0 {
		if err := c.put(s); err != nil {
			return err
		}
		if err = s.Append(b); !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
	}
	s.Free() // what the first columns took
	return c.write(b)
}

// put spills the rows of a store to the file.
func (c *innerRows) put(s *colstore.Store) error {
	err := c.write(&vec.Batch{Cols: s.Columns(), N: s.Rows()})
	s.Free()
	return err
}

// write appends rows to the file.
func (c *innerRows) write(b *vec.Batch) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		if c.file, err = c.a.ctx.Spill.Create(c.a.types); err != nil {
			return err
		}
	}
	most := c.a.ctx.Rows()
	for from := 0; from < b.N; from += most {
		if err := c.a.ctx.Err(); err != nil {
			return err
		}
		n := min(most, b.N-from)
		blocks, err := c.file.WriteAll(b.Slice(from, from+n), n)
		if err != nil {
			return err
		}
		c.blocks, c.rows = append(c.blocks, blocks...), c.rows+n
	}
	return nil
}

// finish passes the rows to r. They stay in memory if each stream could hold as many and half of
// the free memory would remain.
func (c *innerRows) finish(r *result) (err error) {
	bytes, _ := colstore.ConcatBytes(c.stores...)
	for _, s := range c.stores {
		bytes += s.Bytes()
	}
	if c.file == nil && (c.a.ctx.Spill == nil || bytes <= c.a.account.Left()/int64(2*c.a.ctx.Workers)) {
		if r.store, err = colstore.Concat(c.a.ctx, c.stores...); err == nil {
			r.rows = r.store.Rows()
		}
		return err
	}
	for _, s := range c.stores {
		if s.Rows() == 0 {
			s.Free()
		} else if err := c.put(s); err != nil {
			return err
		}
	}
	r.file, r.blocks, r.rows = c.file, c.blocks, c.rows
	return nil
}

// discard frees all rows.
func (c *innerRows) discard() error {
	for _, s := range c.stores {
		s.Free()
	}
	return c.file.Close()
}
