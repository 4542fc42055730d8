package dml

import (
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/catalog"
)

// Write is a bound statement that changes rows.
type Write[W any] interface {
	// Query returns the plan that finds or computes the statement's rows.
	Query() logical.Node
	// Only returns the table that the statement changes if there is only one and the effect
	// depends only on the statement, the table's schema and Query.
	Only() (t scope.Target, ok bool)
	// On returns the same statement for another version of that table.
	On(t catalog.Table) W
}

// Query implements Write.
func (w *Update) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Update) Only() (scope.Target, bool) { return only(w.Tables) }

// On implements Write.
func (w *Update) On(t catalog.Table) *Update {
	return &Update{Tables: changesOf(w.Tables, t), Ignore: w.Ignore}
}

// Query implements Write.
func (w *Delete) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Delete) Only() (scope.Target, bool) { return only(w.Tables) }

// On implements Write.
func (w *Delete) On(t catalog.Table) *Delete { return &Delete{Tables: changesOf(w.Tables, t)} }

// Query implements Write.
func (w *Insert) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Insert) Only() (scope.Target, bool) { return w.Target, w.Upsert == nil && w.Extra == 0 }

// On implements Write.
func (w *Insert) On(t catalog.Table) *Insert {
	return &Insert{Target: scope.Target{Table: t, DB: w.DB, Name: w.Name}, Replace: w.Replace, Ignore: w.Ignore}
}

func only(tables []Change) (scope.Target, bool) {
	if len(tables) != 1 {
		return scope.Target{}, false
	}
	return tables[0].Target, true
}

func changesOf(tables []Change, t catalog.Table) []Change {
	out := []Change{tables[0]}
	out[0].Table = t
	return out
}

// ReadsOnly reports whether a plan reads no table other than t.
func ReadsOnly(n logical.Node, t catalog.Table) bool {
	ok := true
	statement.EachNode(n, func(n logical.Node) {
		if s, is := n.(*logical.Scan); is && s.Table != t {
			ok = false
		}
	})
	return ok
}
