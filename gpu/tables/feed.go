package tables

import (
	"errors"
	"sync"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// Feed holds columns of a table in host memory in the form that they have on a device, from where pipelines
// read them in blocks. It implements run.Feed.
type Feed struct {
	scan    *scan
	layouts map[int]*column.Layout // by ordinal
	rows    int64
}

// Read reads columns of a table by one scan with all of the query's workers. The errors are those of Load. The
// caller frees the feed.
func Read(ctx *op.Ctx, table catalog.Table, ordinals []int) (f *Feed, err error) {
	for _, o := range ordinals {
		if err := refusal(table, o); err != nil {
			return nil, err
		}
	}
	f = &Feed{scan: newScan(ctx, table, ordinals), layouts: map[int]*column.Layout{}}
	if err = f.scan.read(); err == nil {
		err = f.layOut()
	}
	if err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func (f *Feed) layOut() error {
	for i, o := range f.scan.ordinals {
		l, err := f.scan.layout(i)
		if err != nil {
			return named(f.scan.table, o, err)
		}
		f.layouts[o], f.rows = l, l.Rows
	}
	return nil
}

// Free returns the memory of the columns. It may be called on nil.
func (f *Feed) Free() {
	if f != nil {
		f.scan.free()
	}
}

// Column describes a column. It has no address; Valid only says whether there are NULLs.
func (f *Feed) Column(ordinal int) column.Narrow {
	l := f.layouts[ordinal]
	c := l.Narrow
	if l.Nulls > 0 {
		c.Valid = 1
	}
	return c
}

// Upload copies a column to the device, as Load does.
func (f *Feed) Upload(t *engine.Task, ordinal int, cacheable bool) (column.Narrow, error) {
	return upload(t, Key(f.scan.table, ordinal), cacheable, f.layouts[ordinal])
}

// Stream implements run.Feed. All cores fill blocks, each one of its own.
func (f *Feed) Stream(s *engine.Stream, ordinals []int, run func(b *engine.Block, first, rows int64) error) error {
	errs := make([]error, s.Workers(f.rows))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				first := next.Add(s.Rows) - s.Rows
				if first >= f.rows {
					return
				}
				errs[w] = sqlerr.Guard(func() error { return f.block(s, ordinals, first, run) })
			}
			next.Store(f.rows) // the others stop
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// block fills and runs the block that begins with a row.
func (f *Feed) block(s *engine.Stream, ordinals []int, first int64, run func(b *engine.Block, first, rows int64) error) error {
	if err := f.scan.ctx.Err(); err != nil {
		return err
	}
	b, err := s.Block()
	if err != nil {
		return err
	}
	rows := min(s.Rows, f.rows-first)
	err = sqlerr.Guard(func() error {
		for i, o := range ordinals {
			l := f.layouts[o]
			l.Values(b.Values[i][:(rows*int64(l.Width)+7)/8*8], first)
			if b.Valid[i] != nil {
				l.ValidBits(b.Valid[i][:(rows+63)/64*8], first)
			}
		}
		return nil
	})
	if err != nil {
		s.Drop(b)
		return err
	}
	return run(b, first, rows)
}
