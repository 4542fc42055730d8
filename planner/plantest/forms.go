package plantest

import (
	"fmt"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// Forms describes subtrees of scans, filters, projections, equality joins and aggregates as
// pipelines. Each column of a table takes 4 bytes a row. A pipeline ends at each aggregate and at
// each build side of a join.
type Forms struct {
	Resident func(t catalog.Table, ordinal int) bool
	Unknown  bool // kernels must be compiled
}

// Form implements fuse.Forms.
func (f Forms) Form(_ physical.Device, root *physical.Node, _ int) (*fuse.Work, error) {
	w := &fuse.Work{Passes: make([]cost.Pass, 1)}
	if err := f.add(root, w); err != nil {
		return nil, err
	}
	if w.Kernels = len(w.Passes); f.Unknown {
		w.Unknown = w.Kernels
	}
	w.Result = root.Est.Rows * 8 * float64(len(root.Cols))
	last(w).Bytes += w.Result
	return w, nil
}

// add describes n. The last pass produces its rows.
func (f Forms) add(n *physical.Node, w *fuse.Work) error {
	switch op := n.Op.(type) {
	case *physical.Scan:
		rows := float64(op.Table.Stats().Rows)
		for _, o := range op.Ordinals {
			if slices.ContainsFunc(w.Columns, func(c fuse.Column) bool { return c.Table == op.Table && c.Ordinal == o }) {
				continue
			}
			w.Columns = append(w.Columns, fuse.Column{Table: op.Table, Ordinal: o, Rows: rows, Bytes: 4 * rows, Resident: f.Resident != nil && f.Resident(op.Table, o)})
		}
		last(w).Bytes += 4 * rows * float64(len(op.Ordinals))
		return nil
	case *physical.Filter, *physical.Project:
		return f.add(n.In[0], w)
	case *physical.HashAgg:
		if err := f.add(n.In[0], w); err != nil {
			return err
		}
		access(w, n.In[0].Est.Rows, 16*n.Est.Rows, true)
		w.Passes = append(w.Passes, cost.Pass{Bytes: 16 * n.Est.Rows})
		return nil
	case *physical.Join:
		if len(op.Keys) == 0 || op.Type == logical.Full {
			return fmt.Errorf("no form for a join without keys")
		}
		built, other := n.In[op.Built()], n.In[1-op.Built()]
		if err := f.add(built, w); err != nil {
			return err
		}
		table := 16 * built.Est.Rows
		access(w, built.Est.Rows, table, true)
		w.Passes = append(w.Passes, cost.Pass{})
		if err := f.add(other, w); err != nil {
			return err
		}
		access(w, other.Est.Rows, table, false)
		return nil
	}
	name, _ := n.Op.Describe()
	return fmt.Errorf("no form for %s", name)
}

func last(w *fuse.Work) *cost.Pass { return &w.Passes[len(w.Passes)-1] }

func access(w *fuse.Work, count, bytes float64, updates bool) {
	w.Memory += bytes
	last(w).Accesses = append(last(w).Accesses, cost.Access{Count: count, Bytes: bytes, Updates: updates})
}
