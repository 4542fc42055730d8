package operators

import (
	"gsql/exec/sort"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// inOrder reports whether a subtree's rows have an order.
func inOrder(n *physical.Node) bool {
	switch n.Op.(type) {
	case *physical.Sort:
		return true
	case *physical.Project, *physical.Limit:
		return inOrder(n.In[0])
	}
	return false
}

// arrange brings the rows of a result into their order, and drops those beyond its limit, unless the
// device has done so. It has dropped most of those beforehand, so that few rows are sorted here.
func (f *fused) arrange(o *pipeline.Order, rows *run.Rows) error {
	if o == nil || rows.Ordered {
		return nil
	}
	from, to := o.Part(rows.Count)
	if len(o.Words) == 0 {
		return f.cut(from, to, rows)
	}
	var held mem.Buffers
	defer held.Free()
	words := make([]*vec.Vector, len(o.Words))
	for i, c := range o.Words {
		b, err := mem.Scratch[int64](f.acct, rows.Count)
		if err != nil {
			return err
		}
		held.Add(b)
		rows.Columns[c].Ints(b.S, 0)
		words[i] = &vec.Vector{Type: types.T(types.Int64), N: rows.Count, I64: b.S}
	}
	order, err := sort.Order(f.ctx, f.acct, words...)
	if err != nil {
		return err
	}
	defer order.Free()
	return rows.Arrange(f.acct, order.S[from:to])
}

// cut drops the rows of a result beyond some.
func (f *fused) cut(from, to int, rows *run.Rows) error {
	if from == 0 && to == rows.Count {
		return nil
	}
	numbers, err := mem.Scratch[int32](f.acct, to-from)
	if err != nil {
		return err
	}
	defer numbers.Free()
	for i := range numbers.S {
		numbers.S[i] = int32(from + i)
	}
	return rows.Arrange(f.acct, numbers.S)
}
