package tables

import (
	"context"
	"errors"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// errNoPlaces is the error of placed if the table's readers do not know the positions of rows.
var errNoPlaces = errors.New("readers without positions")

// placeable reports whether the form of a column follows from exact statistics. Such a column need not be measured: its
// values are written once, in the device's form.
func placeable(table catalog.Table, ordinal int) bool {
	if _, ok := table.(catalog.PlaceReader); !ok || !Directly(table, ordinal) || table.Stats().Rows == 0 {
		return false
	}
	stats := table.Stats().Columns
	return table.Schema().Columns[ordinal].Type.Kind() == types.KindF64 || ordinal < len(stats) && stats[ordinal].Min != nil && stats[ordinal].Max != nil
}

// Placed returns the form that a column will have after Load, if it follows from exact statistics.
func Placed(table catalog.Table, ordinal int) (c column.Narrow, ok bool) {
	if !placeable(table, ordinal) {
		return c, false
	}
	c, err := Statistics{}.Column(table, ordinal)
	return c, err == nil
}

// placed loads placeable columns by one scan. The error is errNoPlaces or column.ErrRange if they must be loaded in
// another way.
func placed(ctx *op.Ctx, t *engine.Task, table catalog.Table, ordinals []int, cacheable bool) (columns []column.Narrow, uploaded int64, err error) {
	keys, forms := make([]engine.Key, len(ordinals)), make([]column.Narrow, len(ordinals))
	for i, o := range ordinals {
		keys[i] = Key(table, o)
		if forms[i], err = (Statistics{}).Column(table, o); err != nil {
			return nil, 0, err
		}
	}
	p, err := t.NewPlacing(keys, cacheable, forms)
	if err != nil {
		return nil, 0, err
	}
	account := ctx.Account("Device columns of " + table.Name())
	defer account.End()
	spec := catalog.ScanSpec{Columns: ordinals, BatchSize: batchRows, Narrow: true, Passing: true, Mem: account, Progress: ctx.Read}
	err = scanWith(ctx, table, spec, max(ctx.Workers, 1), func(ctx context.Context, source catalog.Source, _ int) error {
		rows, err := newRowPlacer(table, source, ordinals)
		if err != nil {
			return err
		}
		w := &placer{to: p, rows: rows}
		return errors.Join(w.read(ctx), rows.close())
	})
	if err = p.Close(err); err != nil {
		return nil, 0, err
	}
	for i := range p.Columns {
		uploaded += p.Columns[i].Bytes()
	}
	return p.Columns, uploaded, nil
}

// placer writes the batches of one reader to the blocks that have their rows.
type placer struct {
	to   *engine.Placing
	rows *rowPlacer
}

func (w *placer) read(ctx context.Context) error {
	at, ok := w.rows.reader.(catalog.PlacedReader)
	if !ok {
		return errNoPlaces
	}
	return w.rows.each(ctx, func(rows int) error {
		row, ok := at.Place()
		if !ok {
			return errNoPlaces
		}
		return w.write(ctx, rows, row)
	})
}

// write writes a batch whose first row has a position.
func (w *placer) write(ctx context.Context, rows int, row int64) error {
	for from := 0; from < rows; {
		block, err := w.to.Block(ctx, row)
		if err != nil {
			return err
		}
		at := int(row - block.First)
		n := min(rows-from, int(block.Rows)-at)
		if err := w.part(block, at, from, from+n); err != nil {
			return err
		}
		if err := w.to.Written(block, int64(n)); err != nil {
			return err
		}
		from, row = from+n, row+int64(n)
	}
	return nil
}

// wordRows is the number of rows whose validity bits share a word.
const wordRows = 64

// part writes some rows of a batch to a block.
func (w *placer) part(block *engine.PlacedBlock, at int, from, to int) error {
	if end := at + to - from; at%wordRows != 0 || end%wordRows != 0 && end < int(block.Rows) {
		block.Mu.Lock()
		defer block.Mu.Unlock()
	}
	for i := range w.rows.columns {
		if err := w.rows.place(i, block.Values[i], block.Valid[i], at, from, to); err != nil {
			return err
		}
	}
	return nil
}
