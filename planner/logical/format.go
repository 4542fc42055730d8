package logical

import (
	"fmt"
	"strings"

	"gsql/sql/expr"
)

// Format writes the plan as an indented tree for tests and traces, one operator per line,
// children below. Columns are shown by name; a name that several columns of the plan share gets
// #2, #3 ... in the order in which the columns appear, so that the text does not depend on column
// ids. Plans of subqueries follow the operator that holds them.
func Format(n Node) string {
	f := &formatter{names: map[expr.ColID]string{}, taken: map[string]int{}}
	f.declare(n)
	f.node(n, 0)
	return f.b.String()
}

type formatter struct {
	b     strings.Builder
	names map[expr.ColID]string
	taken map[string]int
}

// declare assigns names to the columns of n and of everything below it, bottom-up.
func (f *formatter) declare(n Node) {
	for _, in := range n.Inputs() {
		f.declare(in)
	}
	for _, c := range n.Schema() {
		f.name(c)
	}
	if j, ok := n.(*Join); ok && j.Kind == Mark {
		f.name(j.MarkCol)
	}
	eachSubquery(n, func(s *expr.Subquery) { f.declare(s.Plan.(Node)) })
}

// eachSubquery calls f for the subqueries in the expressions that n itself holds.
func eachSubquery(n Node, f func(*expr.Subquery)) {
	EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok {
				f(s)
			}
			return true
		})
	})
}

func (f *formatter) name(c Column) {
	if _, ok := f.names[c.ID]; ok {
		return
	}
	base := c.Ref().Name
	f.taken[base]++
	if n := f.taken[base]; n > 1 {
		base = fmt.Sprintf("%s#%d", base, n)
	}
	f.names[c.ID] = base
}

func (f *formatter) node(n Node, depth int) {
	f.b.WriteString(strings.Repeat("  ", depth))
	f.b.WriteString(f.describe(n))
	f.b.WriteByte('\n')
	eachSubquery(n, func(s *expr.Subquery) {
		fmt.Fprintf(&f.b, "%s[%s]\n", strings.Repeat("  ", depth+1), s)
		f.node(s.Plan.(Node), depth+2)
	})
	for _, in := range n.Inputs() {
		f.node(in, depth+1)
	}
}

func (f *formatter) describe(n Node) string {
	switch n := n.(type) {
	case *Scan:
		return f.scan(n)
	case *Values:
		rows := make([]string, len(n.Rows))
		for i, r := range n.Rows {
			rows[i] = "(" + f.exprs(r) + ")"
		}
		return strings.TrimSpace("Values " + strings.Join(rows, ", "))
	case *Filter:
		return "Filter " + f.exprs(n.Preds)
	case *Project:
		items := make([]string, len(n.Items))
		for i, it := range n.Items {
			items[i] = f.item(it.Col, f.expr(it.Expr))
		}
		return "Project " + strings.Join(items, ", ")
	case *Join:
		return f.join(n)
	case *Aggregate:
		return f.aggregate(n)
	case *Rollup:
		return f.rollup(n)
	case *Window:
		return f.window(n)
	case *Sort:
		return "Sort " + f.keys(n.Keys)
	case *Limit:
		return fmt.Sprintf("Limit count=%d offset=%d", n.Count, n.Offset)
	case *SetOp:
		return f.setOp(n)
	case *Recursive:
		return f.recursive(n)
	case *WorkTable:
		return "WorkTable " + n.Alias + " (" + f.columns(n.Columns) + ")"
	case *MaxOneRow:
		return "MaxOneRow"
	}
	return fmt.Sprintf("%T", n)
}

func (f *formatter) scan(n *Scan) string {
	s := "Scan " + n.Table.Name()
	if n.Alias != "" && n.Alias != n.Table.Name() {
		s += " AS " + n.Alias
	}
	s += " (" + f.columns(n.Columns) + ")"
	if len(n.Preds) > 0 {
		s += " where " + f.exprs(n.Preds)
	}
	return s
}

func (f *formatter) join(n *Join) string {
	s := [...]string{"Join", "LeftJoin", "SemiJoin", "AntiJoin", "MarkJoin", "SingleJoin", "FullJoin"}[n.Kind]
	if n.Kind == Mark {
		s += " -> " + f.names[n.MarkCol.ID]
	}
	if n.Correlated {
		s += " correlated"
	}
	if len(n.On) > 0 {
		s += " on " + f.exprs(n.On)
	}
	if n.Hint != nil {
		s += fmt.Sprintf(" hint=%q", n.Hint.Text)
	}
	return s
}

func (f *formatter) aggregate(n *Aggregate) string {
	s := "Aggregate"
	if len(n.Keys) > 0 {
		s += " by " + f.columns(n.Keys)
	}
	for i, a := range n.Aggs {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		g := *a.Agg
		g.Args = f.renameAll(g.Args)
		s += sep + f.item(a.Col, g.String())
	}
	return s
}

func (f *formatter) rollup(n *Rollup) string {
	s := "Rollup by " + f.columns(n.Keys)
	for i := range n.Items {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		g := n.Items[i].Agg()
		g.Args = f.renameAll(g.Args)
		s += sep + f.item(n.Items[i].Col, g.String())
	}
	return s + " -> " + f.columns(n.Schema()[:len(n.Out)+1])
}

func (f *formatter) window(n *Window) string {
	s := "Window"
	if len(n.Partition) > 0 {
		s += " by " + f.exprs(n.Partition)
	}
	if len(n.Order) > 0 {
		s += " order " + f.keys(n.Order)
	}
	for i, it := range n.Funcs {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		fn := it.Fn.Map(f.rename)
		text := fn.String()
		if fn.Frame != nil {
			text += " " + fn.Frame.String()
		}
		s += sep + f.item(it.Col, text)
		if n.Top.Count > 0 && n.Top.By == it.Col.ID {
			s += fmt.Sprintf(", at most %d", n.Top.Count)
		}
	}
	return s
}

func (f *formatter) keys(ks []expr.SortKey) string {
	out := make([]string, len(ks))
	for i, k := range ks {
		out[i] = expr.SortKey{Expr: f.rename(k.Expr), Desc: k.Desc}.String()
	}
	return strings.Join(out, ", ")
}

func (f *formatter) setOp(n *SetOp) string {
	s := [...]string{"Union", "Except", "Intersect"}[n.Kind]
	if n.All {
		s += " all"
	}
	return s + " (" + f.columns(n.Columns) + ")"
}

func (f *formatter) recursive(n *Recursive) string {
	s := "Recursive " + n.Name
	if n.Distinct {
		s += " distinct"
	}
	if n.Count >= 0 {
		s += fmt.Sprintf(" count=%d offset=%d", n.Count, n.Offset)
	}
	return s + " (" + f.columns(n.Columns) + ")"
}

// item formats "name = text", or the name alone if the text is the same.
func (f *formatter) item(c Column, text string) string {
	if name := f.names[c.ID]; name != text {
		return name + " = " + text
	}
	return text
}

func (f *formatter) columns(cols []Column) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = f.names[c.ID]
	}
	return strings.Join(names, ", ")
}

func (f *formatter) exprs(es []expr.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = f.expr(e)
	}
	return strings.Join(parts, ", ")
}

func (f *formatter) expr(e expr.Expr) string { return f.rename(e).String() }

func (f *formatter) renameAll(es []expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = f.rename(e)
	}
	return out
}

// rename returns e with its columns renamed to the formatter's names; a column that nothing in
// the plan produces keeps its own name, marked as an outer one.
func (f *formatter) rename(e expr.Expr) expr.Expr {
	return expr.Map(e, func(e expr.Expr) expr.Expr {
		c, ok := e.(*expr.Col)
		if !ok {
			return e
		}
		name, ok := f.names[c.ID]
		if !ok {
			name = "outer(" + c.Name + ")"
		}
		return &expr.Col{ID: c.ID, Name: name, T: c.T}
	})
}
