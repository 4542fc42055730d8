package plancache

import (
	"context"
	"slices"

	"gsql/internal/session"
	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/storage"
)

// Notes record everything that binding and planning have read besides the store's tables: it must
// be unchanged for a plan to be reused. A nil Notes records nothing.
type Notes struct {
	vars    []readVar    // system variables
	outside []foundTable // files and registered Arrow tables
	unfit   bool         // the plan must not serve again
	views   bool         // at least one was found
	pinned  []pinnedParam
	left    *binder.Placeholders // nil without parameters
	warned  []warning            // while binding, not reported yet
}

type readVar struct {
	name, value string
	ok          bool
}

type foundTable struct {
	db, name string
	table    catalog.Table
}

// pinnedParam is a parameter whose value a plan depends on.
type pinnedParam struct {
	number int
	value  catalog.Datum
}

type warning struct {
	code uint16
	msg  string
}

// Refuse marks the plan as not reusable.
func (n *Notes) Refuse() {
	if n != nil {
		n.unfit = true
	}
}

// Fit reports whether the plan may be reused.
func (n *Notes) Fit() bool { return !n.unfit }

// Views reports whether the statement names views.
func (n *Notes) Views() bool { return n.views }

// Warn adds the warnings of binding to s.
func (n *Notes) Warn(s *session.Session) {
	for _, w := range n.warned {
		s.Warn(w.code, w.msg)
	}
}

// Pin records the values of the parameters that were bound, rather than left as placeholders.
func (n *Notes) Pin(left *binder.Placeholders, params []catalog.Datum) {
	n.left = left
	for i, d := range params {
		if left.Pinned(i) {
			n.pinned = append(n.pinned, pinnedParam{i, d})
		}
	}
}

// Hold reports whether everything recorded still holds for a session's statement, given its
// parameters and the tables that it finds.
func (n *Notes) Hold(ctx context.Context, s session.WithParams, tx *storage.Tx) bool {
	if n.left != nil && !n.left.Fit(s.Values) {
		return false
	}
	for i := range n.pinned {
		if s.Values[n.pinned[i].number] != n.pinned[i].value {
			return false
		}
	}
	for _, v := range n.vars {
		if value, ok := s.Var(v.name); value != v.value || ok != v.ok {
			return false
		}
	}
	if len(n.outside) == 0 {
		return true
	}
	tables := s.Tables(tx, nil)
	return !slices.ContainsFunc(n.outside, func(f foundTable) bool {
		obj, err := tables.Table(ctx, f.db, f.name)
		return err != nil || obj.Table != f.table
	})
}

// Binder returns a binder over tables and a session, and records what it reads from them.
func (n *Notes) Binder(tables session.Tables, s session.WithParams) *binder.Binder {
	if n == nil {
		return binder.New(tables, s)
	}
	return binder.New(notingTables{tables, n}, notingSession{s, n})
}

// notingSession records what is read from a session.
type notingSession struct {
	session.WithParams
	notes *Notes
}

// Var implements binder.Session.
func (n notingSession) Var(name string) (string, bool) {
	value, ok := n.WithParams.Var(name)
	n.notes.vars = append(n.notes.vars, readVar{name, value, ok})
	return value, ok
}

// GlobalVar implements binder.Session.
func (n notingSession) GlobalVar(name string) (string, error) {
	n.notes.Refuse()
	return n.WithParams.GlobalVar(name)
}

// UserVar implements binder.Session.
func (n notingSession) UserVar(name string) (catalog.Datum, bool) {
	n.notes.Refuse()
	return n.WithParams.UserVar(name)
}

// Warn implements binder.Session.
func (n notingSession) Warn(code uint16, msg string) {
	n.notes.Refuse()
	n.notes.warned = append(n.notes.warned, warning{code, msg})
}

// notingTables records the tables found outside the store. Those of information_schema are built
// for one statement only.
type notingTables struct {
	session.Tables
	notes *Notes
}

// Table implements catalog.Resolver.
func (n notingTables) Table(ctx context.Context, db, name string) (catalog.Object, error) {
	obj, err := n.Tables.Table(ctx, db, name)
	n.note(db, name, obj, err)
	return obj, err
}

// Target implements binder.Targets.
func (n notingTables) Target(ctx context.Context, db, name string) (catalog.Object, error) {
	obj, err := n.Tables.Target(ctx, db, name)
	n.note(db, name, obj, err)
	return obj, err
}

func (n notingTables) note(db, name string, obj catalog.Object, err error) {
	switch {
	case err == nil && obj.View != nil:
		n.notes.views = true
	case err != nil || obj.Table == nil || storage.IsVersion(obj.Table):
	case n.IsVirtual(db):
		n.notes.Refuse()
	default:
		n.notes.outside = append(n.notes.outside, foundTable{db, name, obj.Table})
	}
}

// In implements catalog.Resolver.
func (n notingTables) In(db string) catalog.Resolver {
	n.Tables = n.Tables.Within(db)
	return n
}
