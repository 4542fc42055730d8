package tables

import (
	"context"
	"errors"

	"gsql/exec/op"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
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
		w := &placer{to: p}
		for i, o := range ordinals {
			w.placers = append(w.placers, column.NewPlacer(table.Schema().Columns[o].Type, forms[i]))
		}
		return w.read(ctx, source)
	})
	if err = p.Close(err); err != nil {
		return nil, 0, err
	}
	for i := range p.Columns {
		uploaded += p.Columns[i].Bytes()
	}
	return p.Columns, uploaded, nil
}

// placer writes the batches of one reader.
type placer struct {
	to      *engine.Placing
	placers []*column.Placer
}

func (w *placer) read(ctx context.Context, source catalog.Source) (err error) {
	r, err := source.NewReader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	at, ok := r.(catalog.PlacedReader)
	if !ok {
		return errNoPlaces
	}
	return eachBatch(ctx, r, func(b *vec.Batch) error {
		row, ok := at.Place()
		if !ok {
			return errNoPlaces
		}
		return w.write(ctx, b, row)
	})
}

// write writes a batch whose first row has a position.
func (w *placer) write(ctx context.Context, b *vec.Batch, row int64) error {
	for from := 0; from < b.N; {
		block, err := w.to.Block(ctx, row)
		if err != nil {
			return err
		}
		at := int(row - block.First)
		n := min(b.N-from, int(block.Rows)-at)
		if err := w.part(block, at, b, from, from+n); err != nil {
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
func (w *placer) part(block *engine.PlacedBlock, at int, b *vec.Batch, from, to int) error {
	if end := at + to - from; at%wordRows != 0 || end%wordRows != 0 && end < int(block.Rows) {
		block.Mu.Lock()
		defer block.Mu.Unlock()
	}
	for i, v := range b.Cols {
		if from > 0 || to < b.N {
			v = v.Slice(from, to)
		}
		if v.N != to-from {
			return sqlerr.Internal("%d rows of a column of %d", v.N, to-from)
		}
		if err := w.placers[i].Place(block.Values[i], block.Valid[i], at, v); err != nil {
			return err
		}
	}
	return nil
}
