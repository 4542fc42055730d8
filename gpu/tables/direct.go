package tables

import (
	"context"
	"errors"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/gpu/engine"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Direct is a scan of a table whose readers write to the blocks of a stream, in any order. Columns have the
// form that statistics suggest, so that no row is read twice or kept in host memory. It implements run.Feed.
type Direct struct {
	ctx     *op.Ctx
	table   catalog.Table
	prune   []catalog.Range
	account *mem.Account
}

// NewDirect returns the scan of the rows of a table that prune does not exclude. The caller frees it.
func NewDirect(ctx *op.Ctx, table catalog.Table, prune []catalog.Range) *Direct {
	return &Direct{ctx: ctx, table: table, prune: prune, account: ctx.Account("Rows of " + table.Name())}
}

// Directly reports whether a column may be read by a Direct: it is no text, whose dictionary would have to
// be known beforehand, and the table's rows are counted.
func Directly(table catalog.Table, ordinal int) bool {
	return table.Stats().Exact && refusal(table, ordinal) == nil && table.Schema().Columns[ordinal].Type.Kind() != types.KindStr
}

// Free ends the scan's account.
func (d *Direct) Free() { d.account.End() }

// Stream implements run.Feed. The error is column.ErrRange if a value is not within the bounds of the
// statistics.
func (d *Direct) Stream(s *engine.Stream, ordinals []int, run func(b *engine.Block, first, rows int64) error) error {
	spec := catalog.ScanSpec{Columns: ordinals, Prune: d.prune, BatchSize: batchRows, Narrow: true, Passing: true, Mem: d.account, Progress: d.ctx.Read}
	workers := min(max(d.ctx.Workers, 1), s.Workers(d.table.Stats().Rows))
	var read atomic.Int64
	err := scanWith(d.ctx, d.table, spec, workers, func(ctx context.Context, source catalog.Source, _ int) error {
		rows, err := newRowPlacer(d.table, source, ordinals)
		if err != nil {
			return err
		}
		r := &directReader{stream: s, placer: rows, run: run}
		err = errors.Join(r.read(ctx), rows.close())
		read.Add(r.total)
		return err
	})
	if err != nil {
		return err
	}
	if rows := d.table.Stats().Rows; read.Load() > rows || len(d.prune) == 0 && read.Load() != rows {
		return sqlerr.Internal("%d rows of %s, which has %d", read.Load(), d.table.Name(), rows)
	}
	return nil
}

// directReader fills blocks with the batches of one reader.
type directReader struct {
	stream *engine.Stream
	placer *rowPlacer
	run    func(b *engine.Block, first, rows int64) error
	block  *engine.Block
	rows   int64 // in the block
	total  int64 // so far
}

// read passes all rows of the reader to the stream.
func (r *directReader) read(ctx context.Context) (err error) {
	if err = r.placer.each(ctx, r.add); err == nil && r.rows > 0 {
		err = r.flush()
	}
	if r.block != nil {
		r.stream.Drop(r.block)
	}
	return err
}

// add writes a batch to blocks and passes on those that are full.
func (r *directReader) add(rows int) (err error) {
	for from := 0; from < rows; {
		if r.block == nil {
			if r.block, err = r.stream.Block(); err != nil {
				return err
			}
			for _, bits := range r.block.Valid {
				clear(bits)
			}
		}
		n := min(rows-from, int(r.stream.Rows-r.rows))
		for i := range r.placer.columns {
			if err := r.placer.place(i, r.block.Values[i], r.block.Valid[i], int(r.rows), from, from+n); err != nil {
				return err
			}
		}
		from, r.rows, r.total = from+n, r.rows+int64(n), r.total+int64(n)
		if r.rows == r.stream.Rows {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush passes on the block.
func (r *directReader) flush() error {
	b, n := r.block, r.rows
	r.block, r.rows = nil, 0
	return r.run(b, 0, n)
}
