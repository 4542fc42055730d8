package statement

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"golang.org/x/sync/errgroup"

	"gsql/exec/op"
	"gsql/internal/result"
	"gsql/internal/tpch"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
)

// call runs CALL. There are no stored procedures, only gsql_tpch.
func call(r *run, n *ast.CallStmt) (*Result, error) {
	f := n.Procedure
	if f.Schema.O != "" || !strings.EqualFold(f.FnName.O, "gsql_tpch") {
		return absent(r, &parse.Absent{What: "PROCEDURE", DB: f.Schema.O, Name: f.FnName.O})
	}
	if len(f.Args) != 1 {
		return nil, sqlerr.New(sqlerr.SPWrongNoOfArgs, "Incorrect number of arguments for PROCEDURE gsql_tpch; expected 1, got %d", len(f.Args)).
			WithHint("Write CALL gsql_tpch(1) for scale factor 1, about a gigabyte.")
	}
	d, err := r.scalar(f.Args[0])
	if err != nil {
		return nil, err
	}
	sf, _ := strconv.ParseFloat(d.Text(), 64) // what is no number is refused as 0 is
	tables, err := tpch.Tables(sf)
	if err != nil {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to gsql_tpch: %s", err)
	}
	return definition(r, func(tx *storage.Tx) (*Result, error) { return createTPCH(r, tx, tables) })
}

// unitsAtOnce is how many rows (orders, of lineitem) a worker makes at a time: about a megabyte, which
// is not charged to the statement.
const unitsAtOnce = 2000

// createTPCH creates the tables of TPC-H with their primary keys, except for the one of lineitem, by
// far the largest, and fills them. It returns their numbers of rows.
func createTPCH(r *run, tx *storage.Tx, tables []tpch.Table) (*Result, error) {
	var out [][]*string
	for _, t := range tables {
		schema, err := schemaOf(t)
		if err != nil {
			return nil, err
		}
		if err := tx.DDL().CreateTable("", t.Name(), schema); err != nil {
			return nil, err
		}
		rows, err := fillTPCH(r, tx, t)
		if err != nil {
			return nil, err
		}
		out = append(out, result.Row(t.Name(), strconv.FormatInt(rows, 10)))
	}
	return textResult(result.TextColumns("Table", "Rows"), out), nil
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

// fillTPCH adds the rows of a table, made by all workers, in the order of their keys.
func fillTPCH(r *run, tx *storage.Tx, t tpch.Table) (rows int64, err error) {
	obj, err := tx.Table(r.ctx, "", t.Name())
	if err != nil {
		return 0, err
	}
	app, err := storage.NewAppender(tx, obj.Table)
	if err != nil {
		return 0, err
	}
	writers := make([]*storage.AppendWriter, r.s.Settings().Workers)
	for i := range writers {
		writers[i] = app.NewWriter()
	}
	var next atomic.Int64
	g, ctx := errgroup.WithContext(r.ctx)
	for _, w := range writers {
		g.Go(func() error { return op.Guard(func() error { return appendTPCH(ctx, t, w, &next) }) })
	}
	if err := g.Wait(); err != nil {
		app.Abandon(err)
		return 0, err
	}
	return app.Finish(r.ctx)
}

// appendTPCH makes the units that next hands out, and closes the writer.
func appendTPCH(ctx context.Context, t tpch.Table, w *storage.AppendWriter, next *atomic.Int64) error {
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
