package statement

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/plancache"
	"gsql/planner/binder"
	"gsql/planner/physical"
	"gsql/planner/template"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// planQuery returns the plan of a query: one made before for the same text if nothing that it
// depends on has changed, or else a new one.
func planQuery(r *run, tx *storage.Tx, n ast.Node) (*plancache.Query, error) {
	key, repeated := queryKey(r, tx, n)
	if !repeated {
		return makePlan(r, tx, n)
	}
	for _, p := range r.c.plans.Queries(key, tx.Snapshot()) {
		if node, ok := planAgain(r, tx, p); ok {
			return &plancache.Query{Node: node, Columns: p.Columns}, nil
		}
	}
	r.notes = &plancache.Notes{}
	p, err := makePlan(r, tx, n)
	if err != nil {
		return nil, err
	}
	if p.Notes.Fit() {
		r.c.plans.KeepQuery(key, tx.Snapshot(), r.s.DB.Store.Snapshot(), p)
	}
	if p.Template == nil {
		return p, nil
	}
	node, _ := p.Template.With(r.params)
	return &plancache.Query{Node: node, Columns: p.Columns}, nil
}

// planAgain returns a plan made before for this statement's parameters, if it is still valid.
func planAgain(r *run, tx *storage.Tx, p *plancache.Query) (node *physical.Node, ok bool) {
	if !p.Notes.Hold(r.ctx, r.session(), tx) {
		return nil, false
	}
	if p.Template == nil {
		return p.Node, true
	}
	return p.Template.With(r.params)
}

// queryKey returns the key of a query's plan. repeated is false if the connection has not sent the
// text before, or if the transaction has changed something or is serializable, which requires
// looking the tables up each time.
func queryKey(r *run, tx *storage.Tx, n ast.Node) (key plancache.Key, repeated bool) {
	if tx.Writes() || tx.IsSerializable() {
		return key, false
	}
	return textKey(r, n)
}

// textKey returns the key of a statement's plan. repeated is false if the connection has not sent
// the text before.
func textKey(r *run, n ast.Node) (key plancache.Key, repeated bool) {
	if !r.c.texts.Kept(r.c.sent, n) || r.source != nil {
		return key, false
	}
	types, ok := plancache.ParamTypes(r.params)
	return plancache.Key{Texts: r.c.texts, Text: r.c.sent, Database: r.s.Database, Planning: r.s.Settings().Planning, Params: types, Devices: r.s.DB.Devices.Changes()}, ok
}

// makePlan binds and plans a query.
func makePlan(r *run, tx *storage.Tx, n ast.Node) (*plancache.Query, error) {
	bound, err := bindWith(r, tx, func(b *binder.Binder) (*binder.Bound, error) { return b.Query(r.ctx, &r.stmt, n) },
		func(p *binder.Placeholders, bound *binder.Bound) bool { return p.Settle(bound.Node) })
	if err != nil {
		return nil, err
	}
	node, err := r.optimize(bound.Node)
	if err != nil {
		return nil, err
	}
	p := &plancache.Query{Node: node, Columns: resultColumns(bound)}
	if r.notes != nil {
		p.Notes = *r.notes
		if len(r.params) > 0 {
			p.Template = template.New(node)
		}
	}
	return p, nil
}

// mostBindings limits how often a statement with parameters is bound to find those that may stay
// placeholders.
const mostBindings = 3

// bindWith binds a statement. If its plan may be reused, parameters whose values do not affect
// binding stay placeholders. settle reports whether placeholders only occur where the bound
// statement allows them.
func bindWith[B any](r *run, tx *storage.Tx, bind func(*binder.Binder) (B, error), settle func(*binder.Placeholders, B) bool) (bound B, err error) {
	if r.notes == nil {
		return bind(r.binder(tx))
	}
	if len(r.params) == 0 {
		bound, err = bind(r.binder(tx))
		r.notes.Warn(r.s)
		return bound, err
	}
	left := binder.NewPlaceholders(r.params)
	for i := range mostBindings {
		last := i == mostBindings-1
		if last {
			left.Bind()
		}
		r.notes = &plancache.Notes{}
		bound, err = bind(r.binder(tx).Leaving(left))
		switch {
		case err != nil && last:
			r.notes.Warn(r.s)
			return bound, err
		case err != nil:
			left.Bind()
		case settle(left, bound):
			r.notes.Warn(r.s)
			r.notes.Pin(left, r.params)
			return bound, nil
		}
	}
	return bound, sqlerr.Internal("a statement without placeholders has some")
}

// planChange binds and plans a statement that changes rows, or finds a plan made before.
func planChange[W binder.Write[W]](r *run, tx *storage.Tx, n ast.Node, bind func(*binder.Binder) (W, error)) (w W, plan *physical.Node, err error) {
	key, repeated := textKey(r, n)
	if repeated {
		for _, made := range r.c.plans.Changes(key) {
			if w, plan, ok := changeAgain[W](r, tx, made); ok {
				return w, plan, nil
			}
		}
		r.notes = &plancache.Notes{}
	}
	w, err = bindWith(r, tx, bind, func(p *binder.Placeholders, w W) bool { return p.SettleStored(w.Query()) })
	if err != nil {
		return w, nil, err
	}
	if plan, err = r.optimize(w.Query()); err != nil || r.notes == nil {
		return w, plan, err
	}
	if to, only := w.Only(); only && binder.ReadsOnly(w.Query(), to.Table) && r.notes.Fit() && !r.notes.Views() && storage.IsVersion(to.Table) {
		if kept, ok := template.NewForTable(plan, to.Table); ok {
			r.c.plans.KeepChange(key, &plancache.Change{
				Write: w.On(nil), DB: to.DB, Name: to.Name, Schema: to.Table.Schema(), Template: kept, Notes: *r.notes,
			})
		}
	}
	if len(r.params) > 0 {
		plan, _ = template.New(plan).With(r.params)
	}
	return w, plan, nil
}

// changeAgain returns a plan made before for this statement's parameters, over the version of the
// table that the transaction sees, if it is still valid.
func changeAgain[W binder.Write[W]](r *run, tx *storage.Tx, made *plancache.Change) (w W, plan *physical.Node, ok bool) {
	if !made.Notes.Hold(r.ctx, r.session(), tx) || r.s.DB.Arrow.Find(made.Name) != nil {
		return w, nil, false // a registered table hides one of the store
	}
	find := r.s.Tables(tx, nil).Table
	if _, inserts := made.Write.(*binder.Insert); inserts {
		find = r.s.Tables(tx, nil).Target
	}
	obj, err := find(r.ctx, made.DB, made.Name)
	if err != nil || obj.Table == nil || obj.Table.Schema() != made.Schema {
		return w, nil, false
	}
	plan, ok = made.Template.On(obj.Table, r.params)
	return made.Write.(W).On(obj.Table), plan, ok
}
