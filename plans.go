package gsql

import (
	"context"
	"slices"
	"sync"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/storage"
)

// maxPlans bounds the plans that a DB keeps.
const maxPlans = 1024

// plans keeps the plans of queries that connections repeat. All are made for one committed
// state of the store and go when it changes: what they say of tables, views and statistics
// holds then, and they keep no data alive that nobody can reach any more. Safe for
// concurrent use; a plan itself is its connection's.
type plans struct {
	mu   sync.Mutex
	of   storage.Snapshot
	made map[planKey]*madePlan
}

// planKey is what a plan depends on, besides what madePlan remembers.
type planKey struct {
	connection *statements
	query      statementKey
	database   string
	planning   planning
}

// madePlan is a plan with what must still be so for it to serve again.
type madePlan struct {
	node    *physical.Node
	columns []Column
	notes   planNotes
}

// planNotes are what binding and planning have asked for beyond the store's tables. A nil
// one takes no notes.
type planNotes struct {
	vars    []readVar    // system variables
	outside []foundTable // files and registered Arrow tables
	unfit   bool         // the plan must not serve again
}

type readVar struct {
	name, value string
	ok          bool
}

type foundTable struct {
	db, name string
	table    catalog.Table
}

func (p *planNotes) refuse() {
	if p != nil {
		p.unfit = true
	}
}

// find gives the plan of a query on a snapshot, or nil.
func (p *plans) find(key planKey, at storage.Snapshot) *madePlan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != at {
		return nil
	}
	return p.made[key]
}

// keep remembers a plan made on a snapshot, unless that is not what is committed now.
func (p *plans) keep(key planKey, at, now storage.Snapshot, plan *madePlan) {
	p.expire(now)
	if at != now {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil || len(p.made) >= maxPlans {
		p.made = map[planKey]*madePlan{}
	}
	p.of, p.made[key] = at, plan
}

// expire forgets all plans unless they were made for what is committed now.
func (p *plans) expire(now storage.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != now {
		p.of, p.made = storage.Snapshot{}, nil
	}
}

// plan gives the plan of a query: the one made before for the same text where nothing that
// it depends on has changed, else a new one.
func (r *stmtRun) plan(tx *storage.Tx, n ast.Node) (*madePlan, error) {
	key, repeated := r.planKey(tx, n)
	if !repeated {
		return r.makePlan(tx, n)
	}
	if p := r.s.db.plans.find(key, tx.Snapshot()); p != nil && r.holds(tx, &p.notes) {
		return p, nil
	}
	r.notes = &planNotes{}
	p, err := r.makePlan(tx, n)
	if err == nil && !p.notes.unfit {
		r.s.db.plans.keep(key, tx.Snapshot(), r.s.db.store.Snapshot(), p)
	}
	return p, err
}

// planKey gives what the plan of a query is found by, if the connection has sent its text
// before, without parameters, and the transaction has changed nothing.
func (r *stmtRun) planKey(tx *storage.Tx, n ast.Node) (key planKey, repeated bool) {
	query := r.s.sent
	if known, ok := r.s.parsed.kept[query]; !ok || known.Node != n || len(r.params) > 0 || r.source != nil || tx.Writes() {
		return key, false
	}
	return planKey{r.s.parsed, query, r.s.database, r.s.settings().planning}, true
}

func (r *stmtRun) makePlan(tx *storage.Tx, n ast.Node) (*madePlan, error) {
	bound, err := r.binder(tx).Query(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	node, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	p := &madePlan{node: node, columns: resultColumns(bound)}
	if r.notes != nil {
		p.notes = *r.notes
	}
	return p, nil
}

// holds tells whether what a plan's notes say is still so.
func (r *stmtRun) holds(tx *storage.Tx, p *planNotes) bool {
	for _, v := range p.vars {
		if value, ok := r.s.Var(v.name); value != v.value || ok != v.ok {
			return false
		}
	}
	res := r.s.resolver(tx, nil)
	return !slices.ContainsFunc(p.outside, func(f foundTable) bool {
		obj, err := res.Table(r.ctx, f.db, f.name)
		return err != nil || obj.Table != f.table
	})
}

// binder makes a binder that resolves names in tx.
func (r *stmtRun) binder(tx *storage.Tx) *binder.Binder {
	res := r.s.resolver(tx, r.source)
	if r.notes == nil {
		return binder.New(res, bindSession{r.s, r.params})
	}
	return binder.New(notingResolver{res, r.notes}, notingSession{bindSession{r.s, r.params}, r.notes})
}

// bindSession shows the binder the session and this statement's parameters.
type bindSession struct {
	*Session
	params []catalog.Datum
}

// Params implements binder.Session.
func (b bindSession) Params() []catalog.Datum { return b.params }

// notingSession notes what is asked of a session.
type notingSession struct {
	bindSession
	notes *planNotes
}

// Var implements binder.Session.
func (n notingSession) Var(name string) (string, bool) {
	value, ok := n.bindSession.Var(name)
	n.notes.vars = append(n.notes.vars, readVar{name, value, ok})
	return value, ok
}

// GlobalVar implements binder.Session.
func (n notingSession) GlobalVar(name string) (string, error) {
	n.notes.refuse()
	return n.bindSession.GlobalVar(name)
}

// UserVar implements binder.Session.
func (n notingSession) UserVar(name string) (catalog.Datum, bool) {
	n.notes.refuse()
	return n.bindSession.UserVar(name)
}

// Warn implements binder.Session.
func (n notingSession) Warn(code uint16, msg string) {
	n.notes.refuse()
	n.bindSession.Warn(code, msg)
}

// notingResolver notes the tables found outside the store, and that those of
// information_schema are made for one statement.
type notingResolver struct {
	resolver
	notes *planNotes
}

// Table implements catalog.Resolver.
func (n notingResolver) Table(ctx context.Context, db, name string) (catalog.Object, error) {
	obj, err := n.resolver.Table(ctx, db, name)
	switch {
	case err != nil || obj.Table == nil || storage.IsVersion(obj.Table):
	case n.resolver.isVirtual(db):
		n.notes.refuse()
	default:
		n.notes.outside = append(n.notes.outside, foundTable{db, name, obj.Table})
	}
	return obj, err
}

// In implements catalog.Resolver.
func (n notingResolver) In(db string) catalog.Resolver {
	n.resolver.db = db
	return n
}
