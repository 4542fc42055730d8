package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/exec/op"
	"gsql/internal/session"
	"gsql/planner/binder"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// change is a statement that changes rows: its work, and the checks around it.
type change struct {
	do     func(tx *storage.Tx) (*Result, error)
	strict bool   // strict mode makes warnings of its expressions errors
	safe   *keyed // what sql_safe_updates checks, or nil
}

// conflictRetries limits how often an autocommitted statement that loses conflicts is rerun.
const conflictRetries = 64

// run executes the change in the session's transaction, or in one of its own that is committed on
// success. An autocommitted statement that loses a conflict is rerun on a newer snapshot.
func (c change) run(r *run) (res *Result, err error) {
	r.s.StartImplicitly()
	acc, err := r.s.MayWrite()
	if err != nil {
		return nil, err
	}
	if r.s.Tx != nil {
		return c.runInTransaction(r)
	}
	for range conflictRetries {
		tx := r.s.NewTx(acc)
		if res, err = c.attempt(r, tx); err != nil {
			tx.Rollback()
		} else {
			err = tx.CommitWithin(r.ctx, &r.c.writing)
		}
		if !session.LostConflict(err) || r.ctx.Err() != nil || binder.AssignsVariables(r.stmt.Text) {
			break
		}
		r.s.Warnings.Clear()
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// runInTransaction executes the change in the session's transaction. A statement that fails leaves
// the transaction as it was, unless it lost a conflict: then, as in MySQL, the whole transaction is
// rolled back.
func (c change) runInTransaction(r *run) (res *Result, err error) {
	tx := r.s.Tx
	mark := tx.Savepoint()
	err = op.Guard(func() (err error) {
		if err := r.lockRows(tx, r.stmt.Node, nil); err != nil {
			return err
		}
		res, err = c.attempt(r, tx)
		return err
	})
	if session.LostConflict(err) {
		r.s.Lose(err)
		return nil, err
	}
	if err != nil {
		tx.RollbackTo(mark)
	}
	tx.Release(mark)
	if err != nil {
		return nil, err
	}
	return res, nil
}

// attempt executes the change once, with its checks.
func (c change) attempt(r *run, tx *storage.Tx) (*Result, error) {
	if c.safe != nil && c.safe.limit == nil && r.s.Settings().SafeUpdates {
		if err := c.safe.check(r, tx); err != nil {
			return nil, err
		}
	}
	if !c.strict || !r.s.Mode.Strict() {
		return c.do(tx)
	}
	r.s.Warnings.StartStrict()
	res, err := c.do(tx)
	if err == nil {
		err = r.s.Warnings.Refused()
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// keyed describes what an UPDATE or DELETE must restrict to a key under sql_safe_updates.
type keyed struct {
	refs  *ast.TableRefsClause
	where ast.ExprNode
	limit *ast.Limit
}

// check returns error 1175 if WHERE names no column that begins a key.
func (k *keyed) check(r *run, tx *storage.Tx) error {
	keys := keyColumns{r: r, tx: tx, names: map[string]bool{}}
	k.refs.Accept(&keys)
	var used columnNames
	if k.where != nil {
		k.where.Accept(&used)
	}
	for _, name := range used {
		if keys.names[name] {
			return nil
		}
	}
	return sqlerr.New(sqlerr.UpdateWithoutKeyInSafeMode, "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column.").
		WithHint("Add a LIMIT, compare a key's first column, or SET sql_safe_updates = 0.")
}

// keyColumns collects, for the tables of a clause, the columns that begin a key.
type keyColumns struct {
	r     *run
	tx    *storage.Tx
	names map[string]bool // in lower case
}

// Enter implements ast.Visitor.
func (k *keyColumns) Enter(n ast.Node) (ast.Node, bool) {
	t, ok := n.(*ast.TableName)
	if !ok {
		return n, false
	}
	schema, err := k.r.columnsOf(k.tx, t)
	if err != nil {
		return n, true // binding the statement reports it
	}
	for _, x := range schema.Indexes {
		k.names[strings.ToLower(schema.Columns[x.Columns[0]].Name)] = true
	}
	return n, true
}

// Leave implements ast.Visitor.
func (k *keyColumns) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// columnNames collects the columns that an expression names, in lower case.
type columnNames []string

// Enter implements ast.Visitor.
func (c *columnNames) Enter(n ast.Node) (ast.Node, bool) {
	if name, ok := n.(*ast.ColumnName); ok {
		*c = append(*c, name.Name.L)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (c *columnNames) Leave(n ast.Node) (ast.Node, bool) { return n, true }
