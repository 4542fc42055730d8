package gsql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/planner/implement"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/storage"
)

// madeChange is a plan of a statement that changes one table and reads no other, with what must
// still be so for it to serve again: other than plans of queries it serves for all versions of
// the table that have its shape.
type madeChange struct {
	write    any // a binder.Write without a table
	db, name string
	schema   *catalog.Schema
	template *implement.Template
	notes    planNotes
}

// changing gives the plans of a statement that changes rows. The list is read-only.
func (p *plans) changing(key planKey) []*madeChange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes[key]
}

// keepChange remembers a plan of a statement that changes rows.
func (p *plans) keepChange(key planKey, plan *madeChange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes == nil || p.kept >= maxPlans {
		p.changes, p.kept = map[planKey][]*madeChange{}, 0
	}
	variants := p.changes[key]
	if len(variants) == maxVariants {
		variants, p.kept = variants[1:], p.kept-1
	}
	p.changes[key], p.kept = append(slices.Clip(variants), plan), p.kept+1
}

// planChange binds and plans a statement that changes rows, or finds a plan made before.
func planChange[W binder.Write[W]](r *stmtRun, tx *storage.Tx, n ast.Node, bind func(*binder.Binder) (W, error)) (w W, plan *physical.Node, err error) {
	key, repeated := r.textKey(n)
	if repeated {
		for _, made := range r.s.db.plans.changing(key) {
			if w, plan, ok := changeAgain[W](r, tx, made); ok {
				return w, plan, nil
			}
		}
		r.notes = &planNotes{}
	}
	w, err = bindWith(r, tx, bind, func(p *binder.Placeholders, w W) bool { return p.SettleStored(w.Query()) })
	if err != nil {
		return w, nil, err
	}
	if plan, err = r.optimize(w.Query()); err != nil || r.notes == nil {
		return w, plan, err
	}
	if to, only := w.Only(); only && binder.ReadsOnly(w.Query(), to.Table) && !r.notes.unfit && !r.notes.views && storage.IsVersion(to.Table) {
		if template, ok := implement.NewTableTemplate(plan, to.Table); ok {
			r.s.db.plans.keepChange(key, &madeChange{w.On(nil), to.DB, to.Name, to.Table.Schema(), template, *r.notes})
		}
	}
	if len(r.params) > 0 {
		plan, _ = implement.NewTemplate(plan).With(r.params)
	}
	return w, plan, nil
}

// changeAgain gives a plan made before for this statement's parameters, over the table as the
// transaction has it, if it still holds.
func changeAgain[W binder.Write[W]](r *stmtRun, tx *storage.Tx, made *madeChange) (w W, plan *physical.Node, ok bool) {
	if !r.holds(tx, &made.notes) || r.s.db.arrowTable(made.name) != nil {
		return w, nil, false // a registered table comes before one of the store
	}
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, made.db, made.name)
	if err != nil || obj.Table == nil || obj.Table.Schema() != made.schema {
		return w, nil, false
	}
	plan, ok = made.template.On(obj.Table, r.params)
	return made.write.(W).On(obj.Table), plan, ok
}
