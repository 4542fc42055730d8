package cost

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Estimator derives the Props of logical plans and remembers them by node. It serves one
// statement and one goroutine.
type Estimator struct {
	known  map[logical.Node]*Props
	widths map[expr.ColID]float64 // of string columns: operators pass values on unchanged
	looks  *looks
}

// NewEstimator returns an empty estimator.
func NewEstimator() *Estimator {
	return &Estimator{known: map[logical.Node]*Props{}, looks: newLooks()}
}

// Derive returns the Props of a plan.
func (e *Estimator) Derive(n logical.Node) *Props {
	if p, ok := e.known[n]; ok {
		return p
	}
	p := e.derive(n)
	e.known[n] = p
	return p
}

// Set records Props computed elsewhere, such as those of the joins that join ordering makes.
func (e *Estimator) Set(n logical.Node, p *Props) { e.known[n] = p }

// Width returns the size in bytes of the given columns in a row of p.
func (e *Estimator) Width(p *Props, cols []logical.Column) float64 {
	var w float64
	for i := range cols {
		w += e.ColumnWidth(p, &cols[i])
	}
	return w
}

// ColumnWidth returns the size in bytes of a value of a column of p.
func (e *Estimator) ColumnWidth(p *Props, col *logical.Column) float64 {
	if col.T.Kind() != types.KindStr {
		return TypeWidth(col.T)
	}
	known, ok := e.widths[col.ID]
	if !ok {
		known = TypeWidth(col.T)
		if c, ok := p.Col(col.ID); ok {
			known = c.Width
		}
		if e.widths == nil {
			e.widths = map[expr.ColID]float64{}
		}
		e.widths[col.ID] = known
	}
	return known
}

// Base returns the Props of a scan before its predicates.
func (e *Estimator) Base(n *logical.Scan) *Props {
	return &Props{Rows: TableRows(n.Table), scan: n, looks: e.looks}
}

func (e *Estimator) derive(n logical.Node) *Props {
	switch n := n.(type) {
	case *logical.Scan:
		return Filtered(e.Base(n), n.Preds)
	case *logical.Values:
		return &Props{Rows: float64(len(n.Rows)), own: valueColumns(n)}
	case *logical.Filter:
		return Filtered(e.Derive(n.In), n.Preds)
	case *logical.Project:
		return projected(e.Derive(n.In), n.Items)
	case *logical.Join:
		return Joined(n, e.Derive(n.L), e.Derive(n.R))
	case *logical.Aggregate:
		return aggregated(e.Derive(n.In), n)
	case *logical.Rollup:
		return rolledUp(e.Derive(n.In), n)
	case *logical.Window:
		return windowed(e.Derive(n.In), n)
	case *logical.Limit:
		return limited(e.Derive(n.In), n)
	case *logical.SetOp:
		return combined(e.Derive(n.L), e.Derive(n.R), n)
	case *logical.Recursive:
		return unknownColumns(n.Columns, defaultIterations*e.Derive(n.Seed).Rows)
	case *logical.WorkTable:
		return unknownColumns(n.Columns, defaultDelta)
	case *logical.MaxOneRow:
		return &Props{Rows: 1, in: [2]*Props{e.Derive(n.In)}}
	case *logical.Sort:
		return sorted(e.Derive(n.In), n.Keys)
	}
	return &Props{Rows: defaultRows}
}

// Assumptions about a recursive common table expression: how often it iterates, and how many rows
// an iteration adds.
const (
	defaultIterations = 10
	defaultDelta      = 100
)

// unknownColumns returns Props of which only the row count is estimated.
func unknownColumns(cols []logical.Column, rows float64) *Props {
	p := &Props{Rows: rows}
	for _, c := range cols {
		p.own = append(p.own, ownColumn{c.ID, Column{Type: c.T, NDV: max(1, rows), Width: TypeWidth(c.T)}})
	}
	return p
}
