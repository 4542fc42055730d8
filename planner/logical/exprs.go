package logical

import "gsql/sql/expr"

// Exprs lists the expressions that n itself evaluates, aggregates' arguments and
// sort keys included, in the order in which Format shows them.
func Exprs(n Node) []expr.Expr {
	switch n := n.(type) {
	case *Scan:
		return n.Preds
	case *Filter:
		return n.Preds
	case *Join:
		return n.On
	case *Values:
		var out []expr.Expr
		for _, r := range n.Rows {
			out = append(out, r...)
		}
		return out
	case *Project:
		out := make([]expr.Expr, len(n.Items))
		for i, it := range n.Items {
			out[i] = it.Expr
		}
		return out
	case *Aggregate:
		var out []expr.Expr
		for _, a := range n.Aggs {
			out = append(out, a.Agg.Args...)
			for _, k := range a.Agg.OrderBy {
				out = append(out, k.Expr)
			}
		}
		return out
	case *Sort:
		out := make([]expr.Expr, len(n.Keys))
		for i, k := range n.Keys {
			out[i] = k.Expr
		}
		return out
	}
	return nil
}
