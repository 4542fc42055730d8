package joinorder

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// reading is the cost of reading a relation, divided into the parts that a dynamic filter can and
// cannot save.
type reading struct {
	ms   float64
	rows float64 // rows that a filter is tested on
	key  float64 // testing predicates and reading the filter's column, which is not saved, in milliseconds
}

// readingOf prices the scan that a relation consists of. Other relations have price 0, since
// their cost is the same in all orders.
func readingOf(n logical.Node, props *cost.Props, est *cost.Estimator, model *cost.Model) reading {
	s, preds := scanOf(n)
	if s == nil {
		return reading{}
	}
	rows, cols := cost.TableRows(s.Table), float64(len(s.Columns))
	r := reading{rows: rows}
	r.ms = model.Scan(rows, cols, rows*est.Width(props, s.Columns), float64(len(preds)+len(s.Preds)))
	r.key = r.ms / max(1, cols)
	if preds = append(preds[:len(preds):len(preds)], s.Preds...); len(preds) > 0 {
		r.rows, r.key = props.Rows, min(r.ms, r.key+model.Filter(rows, float64(len(preds))))
	}
	return r
}

// countValues sets the properties of edges that dynamic filters depend on.
func (g *graph) countValues() {
	for i := range g.edges {
		e := &g.edges[i]
		if e.kind != equality || !e.l.single() || !e.r.single() {
			continue
		}
		args := e.pred.(*expr.Call).Args
		l, r := g.rels[e.l.first()].props, g.rels[e.r.first()].props
		e.lValues, e.rValues = l.NDV(args[0]), r.NDV(args[1])
		e.alone = cost.JoinShare([]expr.Expr{e.pred}, l, r)
	}
}

// filter lets the equality join t, which costs ms, create dynamic filters from its keys for the
// head of the streamed side, and subtracts what they save there. It returns the resulting price
// of the join.
func (s *searcher) filter(t *tree, ms float64) float64 {
	if t.reads.rows == 0 || t.reads.ms+t.passing+ms < cost.LeastFilterMS {
		return ms
	}
	make, probe := s.model.MakeFilter(t.r.rows), t.l.rows
	for _, i := range s.touching[t.head] {
		share := s.g.edges[i].kept(1<<t.head, t.r)
		if share > cost.MostKept {
			continue
		}
		reads := t.reads.filtered(share, s.model)
		after := s.price(probe*share, t.r.rows, t.rows, equality)
		saved := t.reads.ms - reads.ms + (1-share)*t.passing - make
		if saved+ms-after < cost.LeastFilterMS {
			continue
		}
		t.cost -= saved
		t.reads, t.passing, ms, probe = reads, t.passing*share, after, probe*share
	}
	return ms
}

// kept returns the share of the rows of the relation head that have a partner in build by this
// edge. It returns 1 if the edge does not connect exactly these two.
func (e *edge) kept(head relset, build *tree) float64 {
	values := e.rValues
	if e.r == head {
		values = e.lValues
	}
	if values == 0 || (e.l|e.r)&^head&^build.set != 0 {
		return 1
	}
	return min(1, min(values, build.rows)*e.alone)
}

// filtered returns the reading that remains if a filter keeps a share of the rows.
func (r reading) filtered(share float64, model *cost.Model) reading {
	rest := max(0, r.ms-r.key)
	return reading{ms: r.ms - rest*(1-share) + model.TestFilter(r.rows), rows: r.rows * share, key: r.key}
}
