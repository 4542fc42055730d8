package gsql

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
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
	made map[planKey][]*madePlan
	size int // plans in made
	// changes are plans of statements that change one table, which serve for its later versions.
	changes map[planKey][]*madeChange
	kept    int // plans in changes
}

// maxVariants bounds the plans of one query for parameters of the same types.
const maxVariants = 4

// planKey is what a plan depends on, besides what madePlan remembers.
type planKey struct {
	connection *statements
	query      statementKey
	database   string
	planning   planning
	params     string // types of the parameters: see paramTypes
}

// madePlan is a plan with what must still be so for it to serve again.
type madePlan struct {
	node     *physical.Node
	template *implement.Template // of node, where that has placeholders
	columns  []Column
	notes    planNotes
}

// planNotes are what binding and planning have asked for beyond the store's tables. A nil
// one takes no notes.
type planNotes struct {
	vars    []readVar    // system variables
	outside []foundTable // files and registered Arrow tables
	unfit   bool         // the plan must not serve again
	views   bool         // some were found
	pinned  []pinnedParam
	left    *binder.Placeholders // nil without parameters
	warned  []Warning            // while binding, not told yet
}

// pinnedParam is a parameter whose value a plan depends on.
type pinnedParam struct {
	number int
	value  catalog.Datum
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

// find gives the plans of a query on a snapshot. The list is read-only.
func (p *plans) find(key planKey, at storage.Snapshot) []*madePlan {
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
	if p.made == nil || p.size >= maxPlans {
		p.made, p.size = map[planKey][]*madePlan{}, 0
	}
	variants := p.made[key]
	if len(variants) == maxVariants {
		variants, p.size = variants[1:], p.size-1
	}
	p.of, p.made[key], p.size = at, append(slices.Clip(variants), plan), p.size+1
}

// expire forgets all plans unless they were made for what is committed now.
func (p *plans) expire(now storage.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of != now {
		p.of, p.made, p.size = storage.Snapshot{}, nil, 0
	}
}

// plan gives the plan of a query: the one made before for the same text where nothing that
// it depends on has changed, else a new one.
func (r *stmtRun) plan(tx *storage.Tx, n ast.Node) (*madePlan, error) {
	key, repeated := r.planKey(tx, n)
	if !repeated {
		return r.makePlan(tx, n)
	}
	for _, p := range r.s.db.plans.find(key, tx.Snapshot()) {
		if node, ok := r.again(tx, p); ok {
			return &madePlan{node: node, columns: p.columns}, nil
		}
	}
	r.notes = &planNotes{}
	p, err := r.makePlan(tx, n)
	if err != nil {
		return nil, err
	}
	if !p.notes.unfit {
		r.s.db.plans.keep(key, tx.Snapshot(), r.s.db.store.Snapshot(), p)
	}
	if p.template == nil {
		return p, nil
	}
	node, _ := p.template.With(r.params)
	return &madePlan{node: node, columns: p.columns}, nil
}

// again gives a plan made before for this statement's parameters, if it still holds.
func (r *stmtRun) again(tx *storage.Tx, p *madePlan) (node *physical.Node, ok bool) {
	if !r.holds(tx, &p.notes) {
		return nil, false
	}
	if p.template == nil {
		return p.node, true
	}
	return p.template.With(r.params)
}

// planKey gives what the plan of a query is found by, if the connection has sent its text
// before and the transaction has changed nothing.
func (r *stmtRun) planKey(tx *storage.Tx, n ast.Node) (key planKey, repeated bool) {
	if tx.Writes() {
		return key, false
	}
	return r.textKey(n)
}

// textKey gives what a plan is found by, if the connection has sent the statement's text before.
func (r *stmtRun) textKey(n ast.Node) (key planKey, repeated bool) {
	query := r.s.sent
	if known, ok := r.s.parsed.kept[query]; !ok || known.Node != n || r.source != nil {
		return key, false
	}
	types, ok := paramTypes(r.params)
	return planKey{r.s.parsed, query, r.s.database, r.s.settings().planning, types}, ok
}

// paramTypes writes the types of parameters and which are NULL, unless they are types that
// say more than a few numbers.
func paramTypes(params []catalog.Datum) (key string, ok bool) {
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

func (r *stmtRun) makePlan(tx *storage.Tx, n ast.Node) (*madePlan, error) {
	bound, err := r.bind(tx, n)
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
		if len(r.params) > 0 {
			p.template = implement.NewTemplate(node)
		}
	}
	return p, nil
}

// mostBindings bounds how often a query with parameters is bound to find those that may stay
// placeholders.
const mostBindings = 3

// bind binds a query; where its plan may serve again, with placeholders for parameters
// whose values do not matter to what is bound.
func (r *stmtRun) bind(tx *storage.Tx, n ast.Node) (*binder.Bound, error) {
	return bindWith(r, tx, func(b *binder.Binder) (*binder.Bound, error) { return b.Query(r.ctx, &r.stmt, n) },
		func(p *binder.Placeholders, bound *binder.Bound) bool { return p.Settle(bound.Node) })
}

// bindWith binds a statement as bind does; settle tells whether placeholders are where they may
// be in what was bound.
func bindWith[B any](r *stmtRun, tx *storage.Tx, bind func(*binder.Binder) (B, error), settle func(*binder.Placeholders, B) bool) (bound B, err error) {
	if r.notes == nil || len(r.params) == 0 {
		bound, err = bind(r.binder(tx))
		r.tellWarnings()
		return bound, err
	}
	left := binder.NewPlaceholders(r.params)
	for i := range mostBindings {
		last := i == mostBindings-1
		if last {
			left.Bind()
		}
		r.notes = &planNotes{}
		bound, err = bind(r.binder(tx).Leaving(left))
		switch {
		case err != nil && last:
			r.tellWarnings()
			return bound, err
		case err != nil:
			left.Bind()
		case settle(left, bound):
			r.tellWarnings()
			r.pin(left)
			return bound, nil
		}
	}
	return bound, sqlerr.Internal("a statement without placeholders has some")
}

// tellWarnings gives the session the warnings of the binding that counts.
func (r *stmtRun) tellWarnings() {
	if r.notes == nil {
		return
	}
	for _, w := range r.notes.warned {
		r.s.Warn(w.Code, w.Msg)
	}
}

// pin notes the parameters whose values were bound, and how others are.
func (r *stmtRun) pin(left *binder.Placeholders) {
	r.notes.left = left
	for i, d := range r.params {
		if left.Pinned(i) {
			r.notes.pinned = append(r.notes.pinned, pinnedParam{i, d})
		}
	}
}

// holds tells whether what a plan's notes say is still so.
func (r *stmtRun) holds(tx *storage.Tx, p *planNotes) bool {
	if p.left != nil && !p.left.Fit(r.params) {
		return false
	}
	for i := range p.pinned {
		if r.params[p.pinned[i].number] != p.pinned[i].value {
			return false
		}
	}
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
	n.notes.warned = append(n.notes.warned, Warning{"Warning", code, msg})
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
	case err == nil && obj.View != nil:
		n.notes.views = true
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
