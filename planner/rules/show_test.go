package rules

import (
	"fmt"
	"strings"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// show formats a plan with column ids, for the messages of failing tests.
func show(n logical.Node) string {
	var b strings.Builder
	showTo(&b, n, "")
	return b.String()
}

func showTo(b *strings.Builder, n logical.Node, indent string) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*logical.")
	fmt.Fprintf(b, "%s%s", indent, name)
	var subs []*expr.Subquery
	note := func(e expr.Expr) string {
		expr.Walk(e, func(e expr.Expr) bool {
			if s, ok := e.(*expr.Subquery); ok {
				subs = append(subs, s)
			}
			return true
		})
		return e.String()
	}
	notes := func(es []expr.Expr) string {
		var parts []string
		for _, e := range es {
			parts = append(parts, note(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch x := n.(type) {
	case *logical.Scan:
		fmt.Fprintf(b, " %s %v %s %v", x.Alias, names(x.Columns), notes(x.Preds), x.Table.(*memTable).rows)
	case *logical.Values:
		fmt.Fprintf(b, " %v", names(x.Columns))
		for _, r := range x.Rows {
			b.WriteString(notes(r))
		}
	case *logical.Filter:
		b.WriteString(" " + notes(x.Preds))
	case *logical.Project:
		for _, it := range x.Items {
			fmt.Fprintf(b, " %s:=%s", it.Col.Name, note(it.Expr))
		}
	case *logical.Join:
		fmt.Fprintf(b, " %s %s", [...]string{"inner", "left", "semi", "anti", "mark", "single", "full"}[x.Kind], notes(x.On))
		if x.Kind == logical.Mark {
			fmt.Fprintf(b, " mark%d", x.MarkCol.ID)
		}
		if x.Correlated {
			b.WriteString(" correlated")
		}
	case *logical.Aggregate:
		fmt.Fprintf(b, " by %v", names(x.Keys))
		for _, a := range x.Aggs {
			for _, e := range a.Agg.Args {
				note(e)
			}
			fmt.Fprintf(b, " %s:=%s", a.Col.Name, a.Agg)
		}
	case *logical.Sort:
		for _, k := range x.Keys {
			fmt.Fprintf(b, " %s", k)
		}
	case *logical.Limit:
		fmt.Fprintf(b, " %d offset %d", x.Count, x.Offset)
	case *logical.SetOp:
		fmt.Fprintf(b, " %d all=%v %v", x.Kind, x.All, names(x.Columns))
	}
	b.WriteString("\n")
	for _, s := range subs {
		fmt.Fprintf(b, "%s  %s %s %v:\n", indent, s, s.Op, s.Left)
		showTo(b, s.Plan.(logical.Node), indent+"    ")
	}
	eachInput(n, func(in logical.Node) { showTo(b, in, indent+"  ") })
}

func names(cols []logical.Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}
