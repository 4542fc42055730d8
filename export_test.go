package gsql

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/format"
)

// MemoryUsed gives the bytes that queries hold.
func (db *DB) MemoryUsed() int64 { return db.mem.Used() }

// SetSegmentRows makes tables that are created from now on have small segments.
func (db *DB) SetSegmentRows(n int) { db.store.SetSegmentRows(n) }

// RunFewWithAll makes plans of few rows run with all workers, as only those of many do otherwise.
func (db *DB) RunFewWithAll() { db.few = true }

// RunTree runs a text of one statement, whatever its outcome, and gives its syntax tree
// as SQL before and after. ok is false for statements whose trees are not kept.
func (s *Session) RunTree(text string) (before, after string, ok bool) {
	s.mode = s.SQLMode()
	stmts, err := s.parse(text, 0)
	if err != nil || len(stmts) != 1 {
		return "", "", false
	}
	c := &statements{}
	c.add(statementKey{text: text}, stmts)
	c.add(statementKey{text: text}, stmts)
	if _, ok = c.get(statementKey{text: text}); ok {
		before = restore(stmts[0])
	}
	rows, err := s.run(context.Background(), stmts, nil)
	for b := rows; err == nil && b != nil; {
		if next, nerr := rows.NextBatch(); nerr != nil || next == nil {
			break
		}
	}
	if rows != nil {
		_ = rows.Close() // the tree is what matters
	}
	if ok {
		after = restore(stmts[0])
	}
	return before, after, ok
}

func restore(s statement) string {
	var out strings.Builder
	if err := s.Node.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &out)); err != nil {
		return err.Error()
	}
	return out.String()
}

// PlansKept counts the plans that wait for their queries to be repeated.
func (db *DB) PlansKept() int {
	db.plans.mu.Lock()
	defer db.plans.mu.Unlock()
	return len(db.plans.made)
}

// ChangesKept counts the plans kept of statements that change rows.
func (db *DB) ChangesKept() int {
	db.plans.mu.Lock()
	defer db.plans.mu.Unlock()
	return db.plans.kept
}
