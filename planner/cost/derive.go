package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Estimator derives Props of logical plans and remembers them by node. It is for
// one statement and one goroutine.
type Estimator struct {
	known  map[logical.Node]*Props
	widths map[expr.ColID]float64 // of string columns: operators pass values on as they are
}

// NewEstimator makes an empty estimator.
func NewEstimator() *Estimator {
	return &Estimator{known: map[logical.Node]*Props{}}
}

// Derive gives the Props of a plan.
func (e *Estimator) Derive(n logical.Node) *Props {
	if p, ok := e.known[n]; ok {
		return p
	}
	p := e.derive(n)
	e.known[n] = p
	return p
}

// Set records Props computed elsewhere, as the join order does for the joins it makes.
func (e *Estimator) Set(n logical.Node, p *Props) { e.known[n] = p }

// Width gives the bytes a row of columns of p takes.
func (e *Estimator) Width(p *Props, cols []logical.Column) float64 {
	var w float64
	for i := range cols {
		w += e.ColumnWidth(p, &cols[i])
	}
	return w
}

// ColumnWidth gives the bytes a value of a column of p takes.
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

// Base gives the Props of a scan before its predicates.
func Base(n *logical.Scan) *Props {
	return &Props{Rows: TableRows(n.Table), scan: n}
}

func (e *Estimator) derive(n logical.Node) *Props {
	switch n := n.(type) {
	case *logical.Scan:
		return Filtered(Base(n), n.Preds)
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

// What is assumed of a recursive common table expression: how often it iterates, and how
// many rows an iteration adds.
const (
	defaultIterations = 10
	defaultDelta      = 100
)

// unknownColumns gives the Props of rows of which nothing but their number is believed.
func unknownColumns(cols []logical.Column, rows float64) *Props {
	p := &Props{Rows: rows}
	for _, c := range cols {
		p.own = append(p.own, ownColumn{c.ID, Column{Type: c.T, NDV: max(1, rows), Width: TypeWidth(c.T)}})
	}
	return p
}

// Filtered gives the Props after a filter. An estimate stays at one row where the
// input has rows: nothing is surely empty but an empty input.
func Filtered(in *Props, preds []expr.Expr) *Props {
	if len(preds) == 0 {
		return in
	}
	rows := max(in.Rows*Conj(preds, in), min(in.Rows, 1))
	p := &Props{Rows: rows, in: [2]*Props{in}, ordered: true}
	for _, e := range preds {
		p.learn(e)
	}
	return p
}

// learn narrows a column by a predicate that holds for all rows of p.
func (p *Props) learn(e expr.Expr) {
	if c, ok := comparison(e, p); ok {
		p.learnComparison(c)
		return
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return
	}
	switch call.Fn {
	case "in":
		if c, ok := call.Args[0].(*expr.Col); ok {
			if col, ok := p.Col(c.ID); ok {
				col.NDV, col.Null, col.mcv = min(col.NDV, float64(len(call.Args)-1)), 0, nil
				p.set(c.ID, col)
			}
		}
	case "not":
		if inner, ok := call.Args[0].(*expr.Call); ok && inner.Fn == "isnull" {
			p.notNull(inner.Args[0])
		}
	case "=", "<>", "<", "<=", ">", ">=", "like":
		p.notNull(call.Args[0])
		p.notNull(call.Args[1])
	}
}

func (p *Props) notNull(e expr.Expr) {
	if c, ok := e.(*expr.Col); ok {
		if col, ok := p.Col(c.ID); ok && col.Null > 0 {
			col.Null = 0
			p.set(c.ID, col)
		}
	}
}

func (p *Props) learnComparison(c compared) {
	col := c.col
	x := convert(c.value, col.Type)
	if col.Type.IsInteger() {
		switch c.op {
		case "<":
			x = math.Ceil(x) - 1
		case ">":
			x = math.Floor(x) + 1
		}
	}
	switch c.op {
	case "=", "<=>":
		col.NDV, col.Lo, col.Hi, col.Bounded = 1, x, x, true
		col.hist, col.mcv = nil, nil
	case "<", "<=":
		if col.Bounded && x < col.Hi {
			col.NDV = max(1, col.NDV*col.upTo(x, false))
			col.Hi, col.mcv = max(x, col.Lo), nil
		}
	case ">", ">=":
		if col.Bounded && x > col.Lo {
			col.NDV = max(1, col.NDV*(1-col.upTo(x, true)))
			col.Lo, col.mcv = min(x, col.Hi), nil
		}
	}
	col.Null = 0
	p.set(c.id, col)
}

func projected(in *Props, items []logical.Item) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}, ordered: true}
	for i := range items {
		it := &items[i]
		c, isCol := it.Expr.(*expr.Col)
		switch {
		case isCol && c.ID == it.Col.ID:
		case isCol:
			if col, ok := in.Col(c.ID); ok {
				p.own = append(p.own, ownColumn{it.Col.ID, col})
			}
		default:
			p.own = append(p.own, ownColumn{it.Col.ID, computed(it, in)})
		}
	}
	return p
}

func computed(it *logical.Item, in *Props) Column {
	col := Column{Type: it.Col.T, NDV: in.NDV(it.Expr), Null: in.nullShare(it.Expr), Width: TypeWidth(it.Col.T)}
	if x := linearOf(it.Expr, in); x.ok && x.col.Bounded && it.Col.T.IsNumeric() {
		col.Lo, col.Hi, col.Bounded = x.col.Lo*x.scale+x.shift, x.col.Hi*x.scale+x.shift, true
	}
	return col
}

func valueColumns(n *logical.Values) []ownColumn {
	out := make([]ownColumn, len(n.Columns))
	for i, c := range n.Columns {
		out[i] = ownColumn{c.ID, valueColumn(n, i)}
	}
	return out
}

func valueColumn(n *logical.Values, i int) Column {
	col := Column{Type: n.Columns[i].T, NDV: max(1, float64(len(n.Rows))), Width: TypeWidth(n.Columns[i].T)}
	for j, row := range n.Rows {
		k, ok := row[i].(*expr.Const)
		if !ok || k.Value.Null {
			col.Bounded = false
			return col
		}
		x := k.Value.Float()
		if j == 0 {
			col.Lo, col.Hi, col.Bounded = x, x, true
		}
		col.Lo, col.Hi = min(col.Lo, x), max(col.Hi, x)
	}
	return col
}

// Joined gives the Props of a join over inputs with the given Props.
func Joined(n *logical.Join, l, r *Props) *Props {
	p := &Props{in: [2]*Props{l, r}}
	rows := joinRows(n.Kind, n.On, l, r)
	if n.Kind != logical.Anti || l.Rows == 0 {
		rows = max(rows, min(1, min(l.Rows, r.Rows)))
	}
	p.Rows = rows
	switch n.Kind {
	case logical.Semi, logical.Anti:
		p.in[1] = nil
	case logical.Mark:
		p.in[1] = nil
		p.own = []ownColumn{{n.MarkCol.ID, Column{Type: n.MarkCol.T, NDV: 2, Width: 8, Lo: 0, Hi: 1, Bounded: true}}}
	case logical.Left, logical.Single:
		p.padded = 1 - MatchShare(n.On, l, r)*l.Rows/max(rows, 1)
		p.padded = clamp(p.padded, 0, 1)
	case logical.Inner:
		p.learnKeys(n.On, l, r)
	}
	return p
}

// learnKeys narrows the columns of an inner join's equalities to their common values.
func (p *Props) learnKeys(on []expr.Expr, l, r *Props) {
	for _, e := range on {
		a, op, b, ok := Sides(e, l, r)
		if !ok || op != "=" {
			continue
		}
		ca, aok := a.(*expr.Col)
		cb, bok := b.(*expr.Col)
		if !aok || !bok {
			continue
		}
		x, _ := p.Col(ca.ID)
		y, _ := p.Col(cb.ID)
		x.Null, y.Null = 0, 0
		x.NDV = min(x.NDV, y.NDV)
		y.NDV = x.NDV
		if x.Bounded && y.Bounded && sameScale(x.Type, y.Type) {
			x.Lo, x.Hi = max(x.Lo, y.Lo), max(max(x.Lo, y.Lo), min(x.Hi, y.Hi))
			y.Lo, y.Hi = x.Lo, x.Hi
		}
		p.set(ca.ID, x)
		p.set(cb.ID, y)
	}
}

func aggregated(in *Props, n *logical.Aggregate) *Props {
	p := &Props{Rows: Groups(in, n.Keys), in: [2]*Props{in}}
	for _, k := range n.Keys {
		if c, ok := in.Col(k.ID); ok {
			c.Sorted, c.mcv = false, nil
			if c.Null > 0 {
				c.Null = 1 / max(1, p.Rows)
			}
			p.own = append(p.own, ownColumn{k.ID, c})
		}
	}
	for i := range n.Aggs {
		p.own = append(p.own, ownColumn{n.Aggs[i].Col.ID, aggColumn(&n.Aggs[i], in, p.Rows)})
	}
	return p
}

func aggColumn(a *logical.AggItem, in *Props, groups float64) Column {
	col := Column{Type: a.Col.T, NDV: max(1, groups), Width: TypeWidth(a.Col.T)}
	switch a.Agg.Fn {
	case expr.Min, expr.Max, expr.First:
		if c, ok := columnOf(a.Agg.Args[0], in); ok {
			col.Lo, col.Hi, col.Bounded, col.NDV = c.Lo, c.Hi, c.Bounded, min(c.NDV, groups)
		}
	case expr.Count, expr.CountStar:
		col.NDV = max(1, min(groups, math.Sqrt(in.Rows)))
		col.Lo, col.Hi, col.Bounded = 0, max(1, 2*in.Rows/max(1, groups)), groups > 0
	}
	return col
}

// Groups gives the number of groups of in by keys: the product of their distinct
// values, thinned to what the rows can show of it.
func Groups(in *Props, keys []logical.Column) float64 {
	if len(keys) == 0 {
		return 1
	}
	product := 1.0
	for _, k := range keys {
		if c, ok := in.Col(k.ID); ok {
			product *= c.NDV
			if c.Null > 0 {
				product += product / c.NDV
			}
		}
	}
	if len(keys) == 1 {
		return min(product, in.Rows)
	}
	// Values of several columns: the product is an upper bound of which in.Rows draws
	// show a part.
	return max(min(drawn(product, in.Rows), in.Rows), min(1, in.Rows))
}

// windowed gives the Props after window functions: the rows of the input, or the first ones
// of each partition, in another order.
func windowed(in *Props, n *logical.Window) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}}
	if n.Top.Count > 0 {
		p.Rows = min(in.Rows, Partitions(in, n)*float64(n.Top.Count))
	}
	for i := range n.Funcs {
		col := windowColumn(&n.Funcs[i], n, in)
		if n.Top.Count > 0 && n.Funcs[i].Col.ID == n.Top.By {
			col.Hi = min(col.Hi, float64(n.Top.Count))
			col.NDV = min(col.NDV, col.Hi)
		}
		p.own = append(p.own, ownColumn{n.Funcs[i].Col.ID, col})
	}
	return p
}

// Partitions estimates into how many partitions a window divides its input.
func Partitions(in *Props, n *logical.Window) float64 {
	product := 1.0
	for _, e := range n.Partition {
		product *= max(1, in.NDV(e))
	}
	if len(n.Partition) <= 1 {
		return min(product, max(1, in.Rows))
	}
	return max(1, min(drawn(product, in.Rows), in.Rows))
}

func windowColumn(it *logical.WindowItem, n *logical.Window, in *Props) Column {
	rows := max(1, in.Rows)
	col := Column{Type: it.Col.T, NDV: max(1, rows/2), Width: TypeWidth(it.Col.T)}
	switch it.Fn.Fn {
	case expr.RowNumber, expr.Rank, expr.DenseRank:
		col.Lo, col.Hi, col.Bounded, col.NDV = 1, rows, true, rows
	case expr.Ntile:
		buckets := min(float64(it.Fn.N), rows)
		col.Lo, col.Hi, col.Bounded, col.NDV = 1, buckets, true, buckets
	case expr.PercentRank, expr.CumeDist:
		col.Lo, col.Hi, col.Bounded, col.NDV = 0, 1, true, rows
	case expr.Lag, expr.Lead:
		col.besideOf(it, n, in)
	}
	switch it.Fn.Fn {
	case expr.Lag, expr.Lead, expr.FirstValue, expr.LastValue, expr.NthValue:
		if c, ok := columnOf(it.Fn.Args[0], in); ok {
			col.Lo, col.Hi, col.Bounded, col.NDV, col.Null, col.Width = c.Lo, c.Hi, c.Bounded, c.NDV, c.Null, c.Width
		}
	}
	return col
}

func limited(in *Props, n *logical.Limit) *Props {
	rows := max(0, in.Rows-float64(n.Offset))
	if n.Count >= 0 {
		rows = min(rows, float64(n.Count))
	}
	return &Props{Rows: rows, in: [2]*Props{in}, ordered: true}
}

func sorted(in *Props, keys []expr.SortKey) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}}
	if len(keys) == 0 || keys[0].Desc {
		return p
	}
	if c, ok := keys[0].Expr.(*expr.Col); ok {
		if col, ok := in.Col(c.ID); ok {
			col.Sorted = true
			p.set(c.ID, col)
		}
	}
	return p
}

func combined(l, r *Props, n *logical.SetOp) *Props {
	p := &Props{}
	switch {
	case n.Kind == logical.Union:
		p.Rows = l.Rows + r.Rows
	case n.Kind == logical.Except:
		p.Rows = max(l.Rows-r.Rows/2, l.Rows/2)
	default:
		p.Rows = min(l.Rows, r.Rows) / 2
	}
	distinct := 1.0
	left, right := n.L.Schema(), n.R.Schema()
	for i, c := range n.Columns {
		a, _ := l.Col(left[i].ID)
		b, _ := r.Col(right[i].ID)
		col := union(a, b, c.T)
		p.own = append(p.own, ownColumn{c.ID, col})
		distinct *= col.NDV
	}
	if !n.All {
		p.Rows = min(p.Rows, max(distinct, 1))
	}
	return p
}

func union(a, b Column, t types.Type) Column {
	col := Column{Type: t, NDV: max(1, max(a.NDV, b.NDV)), Null: (a.Null + b.Null) / 2, Width: max(TypeWidth(t), max(a.Width, b.Width))}
	if a.Bounded && b.Bounded {
		col.Lo, col.Hi, col.Bounded = min(a.Lo, b.Lo), max(a.Hi, b.Hi), true
	}
	return col
}
