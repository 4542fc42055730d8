// Package load fills tables of a store with the rows of TPC-H.
package load

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/exec/op"
	"gsql/internal/tpch"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
)

// unitsAtOnce is the number of rows (for lineitem, of orders) that a worker makes at a time: about
// a megabyte, which is not charged to the statement.
const unitsAtOnce = 2000

// Create creates a table in the transaction's database, with its primary key unless it is lineitem, by
// far the largest, and fills it with a number of workers. It returns the number of rows.
func Create(ctx context.Context, tx *storage.Tx, t tpch.Table, workers int) (rows int64, err error) {
	schema, err := schemaOf(t)
	if err != nil {
		return 0, err
	}
	if err := tx.DDL().CreateTable("", t.Name(), schema); err != nil {
		return 0, err
	}
	return fill(ctx, tx, t, workers)
}

// schemaOf returns the columns and the key of a table of TPC-H.
func schemaOf(t tpch.Table) (*catalog.Schema, error) {
	s := &catalog.Schema{}
	for _, f := range t.Schema().Fields() {
		typ, ok := types.FromArrow(f.Type)
		if !ok {
			return nil, sqlerr.Internal("%s is of type %s", f.Name, f.Type)
		}
		s.Columns = append(s.Columns, catalog.Column{Name: f.Name, Type: typ, NotNull: !f.Nullable})
	}
	if t.Name() == "lineitem" {
		return s, nil
	}
	key := catalog.Index{Name: "PRIMARY", Unique: true, Primary: true}
	for _, name := range t.Key() {
		key.Columns = append(key.Columns, s.Ordinal(name))
	}
	s.Indexes = append(s.Indexes, key)
	return s, nil
}

// fill adds the rows of a table, made by all workers, in the order of their keys.
func fill(ctx context.Context, tx *storage.Tx, t tpch.Table, workers int) (rows int64, err error) {
	obj, err := tx.Table(ctx, "", t.Name())
	if err != nil {
		return 0, err
	}
	app, err := storage.NewAppender(tx, obj.Table)
	if err != nil {
		return 0, err
	}
	writers := make([]*storage.AppendWriter, workers)
	for i := range writers {
		writers[i] = app.NewWriter()
	}
	var next atomic.Int64
	g, all := errgroup.WithContext(ctx)
	app.InStep(ctx)
	for _, w := range writers {
		g.Go(func() error {
			err := op.Guard(func() error { return makeRows(all, t, w, &next) })
			if err != nil {
				app.Abandon(err)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	return app.Finish(ctx)
}

// makeRows makes the units that next returns, and closes the writer.
func makeRows(ctx context.Context, t tpch.Table, w *storage.AppendWriter, next *atomic.Int64) error {
	for {
		i := next.Add(1) - 1
		if i*unitsAtOnce >= t.Units() {
			return w.Close()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rec := t.Rows(i*unitsAtOnce, (i+1)*unitsAtOnce)
		err := w.AppendRecord(i, rec)
		if rec.Release(); err != nil {
			return err
		}
	}
}
