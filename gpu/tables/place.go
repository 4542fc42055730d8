package tables

import (
	"context"
	"errors"

	"gsql/gpu/column"
	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// rowPlacer writes the columns of a reader's batches in the form of device memory. It must be used by one goroutine only.
type rowPlacer struct {
	reader  catalog.Reader
	stored  catalog.StoredReader // the reader, or nil if it shows vectors only
	columns []placedColumn
}

// placedColumn is a column of the current batch.
type placedColumn struct {
	placer *column.Placer
	stored catalog.Stored
	vector *vec.Vector // nil if stored has the rows
}

// newRowPlacer returns a placer for a new reader of the source, whose columns are ordinals of the table. It must be closed.
func newRowPlacer(table catalog.Table, source catalog.Source, ordinals []int) (*rowPlacer, error) {
	p := &rowPlacer{}
	for _, o := range ordinals {
		form, err := Statistics{}.Column(table, o)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, placedColumn{placer: column.NewPlacer(table.Schema().Columns[o].Type, form)})
	}
	r, err := source.NewReader()
	if err != nil {
		return nil, err
	}
	p.reader = r
	p.stored, _ = r.(catalog.StoredReader)
	return p, nil
}

// each calls f with the number of rows of each batch, which place then writes.
func (p *rowPlacer) each(ctx context.Context, f func(rows int) error) error {
	if p.stored == nil {
		return eachBatch(ctx, p.reader, func(b *vec.Batch) error {
			for i := range p.columns {
				p.columns[i].vector = b.Cols[i]
			}
			return f(b.N)
		})
	}
	for {
		rows, live, err := p.stored.Advance()
		if err = errors.Join(err, ctx.Err()); rows == 0 || err != nil {
			return err
		}
		if live != nil {
			rows = len(live)
		}
		for i := range p.columns {
			if err := p.load(i, live); err != nil {
				return err
			}
		}
		if err := f(rows); err != nil {
			return err
		}
	}
}

// load reads a column of the current batch.
func (p *rowPlacer) load(i int, live []int32) (err error) {
	c := &p.columns[i]
	c.vector, c.stored = nil, catalog.Stored{}
	if live == nil {
		if c.stored, err = p.stored.Stored(i); err != nil || !c.stored.Empty() {
			return err
		}
	}
	c.vector, err = p.stored.Column(i, live)
	return err
}

// place writes rows [from, to) of a column of the batch as column.Placer does.
func (p *rowPlacer) place(i int, values, valid []byte, at, from, to int) error {
	c := &p.columns[i]
	if c.vector == nil {
		return c.placer.PlaceStored(values, valid, at, c.stored.Slice(from, to))
	}
	v := c.vector
	if from > 0 || to < v.N {
		v = v.Slice(from, to)
	}
	return c.placer.Place(values, valid, at, v)
}

func (p *rowPlacer) close() error { return p.reader.Close() }
