package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// limitPartitions turns a filter over a window, ROW_NUMBER() <= 3 or RANK() <= 3, into a limit of
// the window itself. The window then keeps the first rows of each partition and sorts no others.
func limitPartitions(c *context, n logical.Node) logical.Node {
	f, w, ok := filterOver[*logical.Window](n)
	if !ok {
		return n
	}
	for i, e := range f.Preds {
		top, exact := rankLimit(e, w)
		if top.Count == 0 {
			continue
		}
		preds := f.Preds
		if exact {
			preds = slices.Concat(f.Preds[:i], f.Preds[i+1:])
		}
		switch had := w.Top; {
		case had.Count == 0 || had.By == top.By && had.Count > top.Count:
			m := *w
			m.Top = top
			return filter(&m, preds)
		case had.By == top.By && exact: // the window's limit implies the filter
			return filter(w, preds)
		}
	}
	return n
}

// rankLimit converts a comparison of a ranking column of w with a number into a limit; Count is 0
// if there is none. exact reports whether the limit is equivalent to the comparison.
func rankLimit(e expr.Expr, w *logical.Window) (top logical.WindowTop, exact bool) {
	call, ok := e.(*expr.Call)
	if !ok || len(call.Args) != 2 {
		return top, false
	}
	fn, col, number := call.Fn, call.Args[0], call.Args[1]
	if _, ok := col.(*expr.Const); ok {
		fn, col, number = cond.Flipped[fn], number, col
	}
	rank, ok := col.(*expr.Col)
	count, whole := wholeNumber(number)
	if !ok || !whole {
		return top, false
	}
	switch {
	case fn == expr.FuncLT:
		count--
	case fn != expr.FuncLE && fn != expr.FuncEQ:
		return top, false
	}
	if count < 1 || !limitedBy(w, rank.ID) {
		return top, false
	}
	return logical.WindowTop{By: rank.ID, Count: count}, fn != expr.FuncEQ || count == 1
}

// wholeNumber returns the value of an integer constant.
func wholeNumber(e expr.Expr) (int64, bool) {
	k, ok := e.(*expr.Const)
	if !ok || k.Value.Null || !k.Value.Type.IsInteger() {
		return 0, false
	}
	return k.Value.I64, !k.Value.Type.IsUnsigned() || k.Value.I64 >= 0
}

// limitedBy reports whether w may drop rows by the ranking column id: it is a ROW_NUMBER or an
// ordered RANK, and no function of w changes for the first rows of a partition when later rows
// are dropped.
func limitedBy(w *logical.Window, id expr.ColID) bool {
	found := false
	for _, it := range w.Funcs {
		if it.Col.ID == id {
			found = it.Fn.Fn == expr.RowNumber || it.Fn.Fn == expr.Rank && len(w.Order) > 0
		}
		if !looksBack(it.Fn) {
			return false
		}
	}
	return found
}

// looksBack reports whether a window function depends on no row after the current one.
func looksBack(f *expr.WindowFunc) bool {
	switch f.Fn {
	case expr.RowNumber, expr.Rank, expr.DenseRank:
		return true
	case expr.Lag:
		return f.N >= 0
	}
	return f.Frame != nil && f.Frame.Unit == expr.Rows && f.Frame.End.Kind <= expr.CurrentRow
}
