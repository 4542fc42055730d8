package statement

import (
	"context"
	"errors"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/database"
	"gsql/internal/plancache"
	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/constraint"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// alterTable runs ALTER TABLE: either all of its parts or none.
func alterTable(r *run, tx *storage.Tx, n *ast.AlterTableStmt) (*Result, error) {
	a, err := r.binder(tx).AlterTable(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	if !a.Renamed {
		if err := alterRows(r, tx, a); err != nil {
			return nil, err
		}
	}
	if a.ToName != "" {
		err = tx.DDL().Rename(a.DB, a.Name, a.ToDB, a.ToName)
	}
	return &Result{}, err
}

// alterRows changes the definition and rows of a table.
func alterRows(r *run, tx *storage.Tx, a *binder.AlterTable) error {
	if err := checkDefaults(r, &a.Schema); err != nil {
		return err
	}
	if err := addRules(r, tx, a.Name, &a.Schema); err != nil {
		return err
	}
	was := a.Table.Schema()
	todo := storage.Alteration{Schema: &a.Schema, Check: a.Check, AutoIncrement: a.AutoIncrement, Columns: make([]storage.AlteredColumn, len(a.Columns))}
	for i, c := range a.Columns {
		todo.Columns[i] = storage.AlteredColumn{From: c.From, Generated: c.Generated}
		if c.Expr == nil {
			continue
		}
		ids := a.Old
		if c.Generated {
			ids = a.New
		}
		var err error
		if todo.Columns[i].Compute, todo.Columns[i].Inputs, err = computed(r, c.Expr, ids); err != nil {
			return err
		}
		if at := was.Ordinal(a.Schema.Columns[i].Name); at >= 0 && was.Columns[at].Type.IsString() && a.Schema.Columns[i].Type.IsString() {
			todo.Columns[i].Compute = truncating(todo.Columns[i].Compute)
		}
	}
	return tx.DDL().Alter(r.ctx, a.Table, todo)
}

// computed compiles an expression for storage. inputs are the ordinals of the columns ids that it
// reads.
func computed(r *run, e expr.Expr, ids []expr.ColID) (f storage.Compute, inputs []int, err error) {
	refers := map[expr.ColID]bool{}
	expr.Cols(e, refers)
	var columns []expr.ColID
	for o, id := range ids {
		if refers[id] {
			inputs, columns = append(inputs, o), append(columns, id)
		}
	}
	f, err = constraint.Compute(e, columns, r.s)
	return f, inputs, err
}

// truncating returns error 1265, where storing would return 1406, for text that does not fit its
// new column.
func truncating(f storage.Compute) storage.Compute {
	return func(inputs []*vec.Vector, n, row0 int) (*vec.Vector, int64, error) {
		v, held, err := f(inputs, n, row0)
		if e := new(sqlerr.Error); errors.As(err, &e) && e.Code == sqlerr.DataTooLong {
			cut := *e
			cut.Code, cut.Msg = sqlerr.WarnDataTruncated, "Data truncated"+cut.Msg[len("Data too long"):]
			return nil, 0, &cut
		}
		return v, held, err
	}
}

// addRules compiles a schema's generated columns and constraints.
func addRules(r *run, tx *storage.Tx, table string, schema *catalog.Schema) error {
	bound, err := r.binder(tx).TableRules(r.ctx, table, schema)
	if err != nil {
		return err
	}
	schema.Rules = nil
	if !bound.Empty() {
		schema.Rules, err = constraint.New(schema, bound.Columns, bound.Generated, bound.Checks)
	}
	return err
}

// RecoveredRules returns the rules of a table that was read from a folder. They are compiled when
// rows are first stored, because no session exists while a DB is opened.
func RecoveredRules(db *database.DB, in, table string, schema *catalog.Schema) catalog.RowRules {
	return constraint.Deferred(func() (catalog.RowRules, error) {
		c := Connect(db, &plancache.Plans{}, &plancache.Texts{})
		defer c.Close()
		c.s.Database = in
		r := &run{c: c, s: c.s, ctx: context.Background()}
		tx, done := c.s.View()
		defer done()
		compiled := *schema
		err := addRules(r, tx, table, &compiled)
		return compiled.Rules, err
	})
}

// renameTables runs RENAME TABLE. The parts take effect one after another, either all or none.
func renameTables(r *run, tx *storage.Tx, n *ast.RenameTableStmt) (*Result, error) {
	for _, t := range n.TableToTables {
		to := r.inDatabase(t.NewTable.Schema.O)
		if err := tx.DDL().Rename(t.OldTable.Schema.O, t.OldTable.Name.O, to, t.NewTable.Name.O); err != nil {
			return nil, err
		}
	}
	return &Result{}, nil
}
