package gsql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlerr"
)

// lockTables runs LOCK TABLES t WRITE, which keeps out other sessions that lock the tables,
// too, until UNLOCK TABLES, the next transaction or the session's end. It commits first, as
// in MySQL.
func (r *stmtRun) lockTables(n *ast.LockTablesStmt) (*Rows, error) {
	if _, err := r.commit(); err != nil {
		return nil, err
	}
	r.s.db.tableLocks.releaseAll(r.s.id)
	names, err := r.tablesToLock(n)
	if err != nil {
		return nil, err
	}
	for _, name := range names { // in order, so that no two sessions wait for each other
		if _, err := r.s.db.tableLocks.await(r.ctx, name, r.s.id, nil); err != nil {
			r.s.db.tableLocks.releaseAll(r.s.id)
			return nil, err
		}
	}
	return &Rows{}, nil
}

// tablesToLock gives the names of the tables, of which each is there, in order.
func (r *stmtRun) tablesToLock(n *ast.LockTablesStmt) ([]string, error) {
	tx, done := r.view()
	defer done()
	var names []string
	for _, l := range n.TableLocks {
		if l.Type != ast.TableLockWrite {
			return nil, sqlerr.Unsupported(0, "LOCK TABLES ... %s", l.Type).WithHint("A transaction reads one snapshot.")
		}
		db := l.Table.Schema.O
		if db == "" {
			db = r.s.database
		}
		if _, err := r.s.resolver(tx, nil).Table(r.ctx, l.Table.Schema.O, l.Table.Name.O); err != nil {
			return nil, r.locate(err, l.Table.Name.O)
		}
		names = append(names, ast.NewCIStr(db).L+"."+l.Table.Name.L)
	}
	slices.Sort(names)
	return names, nil
}

func (r *stmtRun) unlockTables() (*Rows, error) {
	r.s.db.tableLocks.releaseAll(r.s.id)
	return &Rows{}, nil
}
