package physical

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// TableColumn finds the table's column that n returns as id with all the table's rows in their
// order: n must be a scan that omits no rows, or a projection that passes on a column of one.
// Such a column may stay on a device across queries.
func TableColumn(n *Node, id expr.ColID) (t catalog.Table, ordinal int, ok bool) {
	at := -1
	for i := range n.Cols {
		if n.Cols[i].ID == id {
			at = i
		}
	}
	if at < 0 {
		return nil, 0, false
	}
	switch op := n.Op.(type) {
	case *Scan:
		return op.Table, op.Ordinals[at], len(op.Preds)+len(op.Prune) == 0 && op.Ordinals[at] != catalog.RowID
	case *Project:
		if c, isCol := op.Exprs[at].(*expr.Col); isCol {
			return TableColumn(n.In[0], c.ID)
		}
	}
	return nil, 0, false
}
