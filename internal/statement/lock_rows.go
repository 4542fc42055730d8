package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage"
)

// lockingStream starts a query that may lock the rows that it returns. Outside of a transaction,
// locks would end with the query, so none are taken.
func lockingStream(r *run, tx *storage.Tx, n ast.Node) (*Result, error) {
	if !mayLock(r) || len(locking(n)) == 0 {
		return streamQuery(r, tx, n)
	}
	sel, ok := n.(*ast.SelectStmt)
	if locks, _ := selectLocks(sel); !ok || !locks || countsAll(n) {
		if err := r.lockRows(tx, n, nil); err != nil {
			return nil, err
		}
		return streamQuery(r, tx, n)
	}
	bound, err := r.binder(tx).Locking(storage.IsVersion).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	named := sel
	if bound.Beyond {
		named = nil
	}
	if err := r.lockRows(tx, n, named); err != nil {
		return nil, err
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	res, err := r.start(plan, false)
	if err != nil {
		return nil, err
	}
	return &Result{Columns: resultColumns(bound), src: &lockedRows{res, tx, bound}, plan: plan}, nil
}

// mayLock reports whether a locking clause may matter. It avoids searching large statements for
// one.
func mayLock(r *run) bool {
	if r.s.Tx == nil {
		return false
	}
	text := r.stmt.Text
	return hasFold(text, "update") || hasFold(text, "share")
}

// hasFold reports whether text contains word, which is in lower case, ignoring case.
func hasFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func selectLocks(n *ast.SelectStmt) (locks, share bool) {
	if n == nil {
		return false, false
	}
	return binder.Locks(n)
}

// lockedRows records the rows that a query returns as locked, and removes their ids from the
// result.
type lockedRows struct {
	result.Source
	tx    *storage.Tx
	bound *binder.Bound
}

// Next implements result.Source.
func (l *lockedRows) Next() (*vec.Batch, error) {
	b, err := l.Source.Next()
	if err != nil || b == nil {
		return nil, err
	}
	noteLocks(l.tx, l.bound, b)
	visible := *b
	visible.Cols = b.Cols[:len(l.bound.Names)]
	return &visible, nil
}

func noteLocks(tx *storage.Tx, bound *binder.Bound, b *vec.Batch) {
	for _, lock := range bound.Locks {
		ids := make([]int64, 0, b.N)
		col := b.Cols[lock.Col].Flatten(nil)
		for i, id := range col.I64[:b.N] {
			if col.Null == nil || !col.Null[i] {
				ids = append(ids, id)
			}
		}
		tx.LockRows(lock.Table, ids, lock.Share)
	}
}

// lockRows locks what the locking clauses within n refer to, except that of named: all rows that a
// SELECT with such a clause reads, before grouping and LIMIT, or whole tables if those rows cannot
// be determined, as in a correlated subquery.
func (r *run) lockRows(tx *storage.Tx, n ast.Node, named *ast.SelectStmt) error {
	if !mayLock(r) {
		return nil
	}
	for _, sel := range locking(n) {
		switch sel.LockInfo.LockType {
		case ast.SelectLockForUpdateSkipLocked, ast.SelectLockForShareSkipLocked:
			r.s.Warn(uint16(sqlerr.NotSupportedYet), "SKIP LOCKED skips no rows: transactions lock them without waiting, and the first one to commit wins")
		}
		if sel == named {
			continue
		}
		done, err := lockRead(r, tx, sel)
		if err != nil {
			return err
		}
		if !done {
			_, share := binder.Locks(sel)
			lockNamed(r, tx, r.s.Tables(tx, r.source), r.stmt.Node, share)
		}
	}
	return nil
}

// lockRead locks the rows that a SELECT reads. done is false if it cannot determine them.
func lockRead(r *run, tx *storage.Tx, sel *ast.SelectStmt) (done bool, err error) {
	if sel.From == nil || !repeatable(sel.From) {
		return sel.From == nil, nil
	}
	q := &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect, From: sel.From, With: sel.With, LockInfo: sel.LockInfo,
		Fields: &ast.FieldList{Fields: []*ast.SelectField{{Expr: ast.NewValueExpr(1, "", "")}}},
	}
	if sel.Where != nil && repeatable(sel.Where) {
		q.Where = sel.Where
	}
	bound, err := r.binder(tx).Locking(storage.IsVersion).Query(r.ctx, &r.stmt, q)
	if err != nil || bound.Beyond {
		return false, nil // the statement itself reports what is wrong, if anything is
	}
	plan, err := r.optimize(bound.Node)
	if err != nil {
		return false, err
	}
	return true, r.each(plan, func(b *vec.Batch) error { noteLocks(tx, bound, b); return nil })
}

// lockNamed locks all tables named within n, and those behind views. A name without a table may
// belong to a common table expression.
func lockNamed(r *run, tx *storage.Tx, res catalog.Resolver, n ast.Node, share bool) {
	for _, t := range tableNames(n) {
		obj, err := res.Table(r.ctx, t.Schema.O, t.Name.O)
		switch {
		case err != nil:
		case obj.View == nil:
			tx.LockTable(obj.Table, share)
		default:
			if stmts, err := parse.Parse(obj.View.SQL, obj.View.Mode); err == nil && len(stmts) == 1 {
				lockNamed(r, tx, res.In(obj.View.Within), stmts[0].Node, share)
			}
		}
	}
}

// visitor calls a function for every node of a tree.
type visitor func(ast.Node)

// Enter implements ast.Visitor.
func (v visitor) Enter(n ast.Node) (ast.Node, bool) {
	v(n)
	return n, false
}

// Leave implements ast.Visitor.
func (v visitor) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// locking returns the SELECTs within n that have locking clauses.
func locking(n ast.Node) (out []*ast.SelectStmt) {
	n.Accept(visitor(func(n ast.Node) {
		if sel, ok := n.(*ast.SelectStmt); ok {
			if locks, _ := binder.Locks(sel); locks {
				out = append(out, sel)
			}
		}
	}))
	return out
}

// tableNames returns the table names within n.
func tableNames(n ast.Node) (out []*ast.TableName) {
	n.Accept(visitor(func(n ast.Node) {
		if t, ok := n.(*ast.TableName); ok {
			out = append(out, t)
		}
	}))
	return out
}

// volatile lists the functions that have an effect, or another value at each call.
var volatile = map[string]bool{
	"rand": true, "random_bytes": true, "uuid": true, "uuid_short": true, "sysdate": true, "sleep": true, "benchmark": true, "last_insert_id": true,
	"get_lock": true, "release_lock": true, "release_all_locks": true, "is_free_lock": true, "is_used_lock": true,
}

// repeatable reports whether computing n again yields the same value and has no effect.
func repeatable(n ast.Node) bool {
	same := true
	n.Accept(visitor(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncCallExpr:
			same = same && !volatile[n.FnName.L]
		case *ast.VariableExpr:
			same = same && n.Value == nil
		}
	}))
	return same
}
