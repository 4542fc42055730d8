package plancache

import (
	"encoding/binary"
	"slices"
	"sync"

	"gsql/internal/result"
	"gsql/internal/session"
	"gsql/planner/physical"
	"gsql/planner/template"
	"gsql/sql/catalog"
	"gsql/storage"
)

const (
	maxPlans    = 1024 // of a database: of queries, and as many of changes
	maxVariants = 4    // of one statement, for parameters of the same types
)

// Plans keeps the plans of statements that connections repeat. Those of queries are all made for
// one committed state of the store and are dropped when it changes: what they assume about tables,
// views and statistics holds until then, and they keep no data alive that is otherwise unreachable.
// The zero value is empty. Safe for concurrent use; a plan itself belongs to its connection.
type Plans struct {
	mu      sync.Mutex
	of      storage.Snapshot // of queries
	queries variants[Query]
	changes variants[Change]
}

// Key is what a plan depends on, in addition to its Notes.
type Key struct {
	Texts    *Texts // of the connection
	Text     TextKey
	Database string
	Planning session.Planning
	Params   string // see ParamTypes
	Devices  int    // see database.Devices.Changes
}

// Query is a plan of a query. It is read-only.
type Query struct {
	Node     *physical.Node
	Template *template.Template // of Node, where that has placeholders, else nil
	Columns  []result.Column
	Notes    Notes
}

// Change is a plan of a statement that changes one table and reads no other. It can be reused for
// all versions of the table that have its schema. It is read-only.
type Change struct {
	Write    any // a binder.Write without a table
	DB, Name string
	Schema   *catalog.Schema
	Template *template.Template
	Notes    Notes
}

// Queries returns the plans of a query on a snapshot. The list is read-only.
func (p *Plans) Queries(key Key, at storage.Snapshot) []*Query {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != at {
		return nil
	}
	return p.queries.made[key]
}

// KeepQuery keeps a plan made on a snapshot, unless the committed state is newer.
func (p *Plans) KeepQuery(key Key, at, now storage.Snapshot, plan *Query) {
	p.Expire(now)
	if at != now {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = at
	p.queries.keep(key, plan)
}

// Expire drops the plans of queries unless they were made for the state that is committed now.
func (p *Plans) Expire(now storage.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != now {
		p.of, p.queries = storage.Snapshot{}, variants[Query]{}
	}
}

// ExpireAll drops the plans of queries: something changed that does not belong to a snapshot.
func (p *Plans) ExpireAll() { p.Expire(storage.Snapshot{}) }

// Changes returns the plans of a statement that changes rows. The list is read-only.
func (p *Plans) Changes(key Key) []*Change {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes.made[key]
}

// KeepChange keeps a plan of a statement that changes rows.
func (p *Plans) KeepChange(key Key, plan *Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes.keep(key, plan)
}

// Clear drops all plans.
func (p *Plans) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of, p.queries, p.changes = storage.Snapshot{}, variants[Query]{}, variants[Change]{}
}

// Kept returns the number of kept plans of queries and of changes.
func (p *Plans) Kept() (queries, changes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queries.made), p.changes.size
}

// variants holds up to maxVariants plans per key, and maxPlans altogether.
type variants[P any] struct {
	made map[Key][]*P
	size int
}

func (v *variants[P]) keep(key Key, plan *P) {
	if v.made == nil || v.size >= maxPlans {
		v.made, v.size = map[Key][]*P{}, 0
	}
	list := v.made[key]
	if len(list) == maxVariants {
		list, v.size = list[1:], v.size-1
	}
	v.made[key], v.size = append(slices.Clip(list), plan), v.size+1
}

// ParamTypes encodes the types of parameters and which of them are NULL. ok is false if a type does
// not consist of a few numbers.
func ParamTypes(params []catalog.Datum) (key string, ok bool) {
	if len(params) == 0 {
		return "", true
	}
	out := make([]byte, 0, 9*len(params))
	for i := range params {
		t, null := params[i].Type, byte(0)
		if t.HasMembers() {
			return "", false
		}
		if params[i].Null {
			null = 1
		}
		out = append(out, byte(t.ID), t.Prec, t.Scale, byte(t.Coll), null)
		out = binary.LittleEndian.AppendUint32(out, t.Len)
	}
	return string(out), true
}
