package binder

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
)

// Write is a bound statement that changes rows.
type Write[W any] interface {
	// Query gives the plan that finds its rows or makes them.
	Query() logical.Node
	// Only gives the table that it changes where it is one, and what it does depends on the
	// statement, the table's shape and Query alone.
	Only() (t Target, ok bool)
	// On gives the same for another version of that table.
	On(t catalog.Table) W
}

// Query implements Write.
func (w *Update) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Update) Only() (Target, bool) { return only(w.Tables) }

// On implements Write.
func (w *Update) On(t catalog.Table) *Update {
	return &Update{Tables: changesOf(w.Tables, t), Ignore: w.Ignore}
}

// Query implements Write.
func (w *Delete) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Delete) Only() (Target, bool) { return only(w.Tables) }

// On implements Write.
func (w *Delete) On(t catalog.Table) *Delete { return &Delete{Tables: changesOf(w.Tables, t)} }

// Query implements Write.
func (w *Insert) Query() logical.Node { return w.Node }

// Only implements Write.
func (w *Insert) Only() (Target, bool) { return w.Target, w.Upsert == nil && w.Extra == 0 }

// On implements Write.
func (w *Insert) On(t catalog.Table) *Insert {
	return &Insert{Target: Target{Table: t, DB: w.DB, Name: w.Name}, Replace: w.Replace, Ignore: w.Ignore}
}

func only(tables []Change) (Target, bool) {
	if len(tables) != 1 {
		return Target{}, false
	}
	return tables[0].Target, true
}

func changesOf(tables []Change, t catalog.Table) []Change {
	out := []Change{tables[0]}
	out[0].Table = t
	return out
}

// ReadsOnly tells whether a plan reads no other table than t.
func ReadsOnly(n logical.Node, t catalog.Table) bool {
	ok := true
	each(n, func(n logical.Node) {
		if s, is := n.(*logical.Scan); is && s.Table != t {
			ok = false
		}
	})
	return ok
}
