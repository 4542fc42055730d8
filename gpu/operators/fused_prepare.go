package operators

import (
	"cmp"
	"errors"
	"slices"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// prepared is the program of a subtree with its kernels, for columns of certain forms. It is
// immutable and refers to no table.
type prepared struct {
	outs      []lower.Output
	order     *pipeline.Order
	relations []relation
	job       *run.Job
	options   lower.Options
	size      int64 // size of the columns that depend on estimates, in elements
	short     int64 // the device's memory with which whole tables did not fit; 0 if they did
	// failed holds the versions of the scanned tables for which a value was out of range.
	failed []uint64
}

// relation is a table that a program reads, identified by the number of its scan in the subtree.
type relation struct {
	scan     int
	rows     int64
	ordinals []int
	derived  []lower.Derived
	forms    []column.Narrow // of the columns and the derived ones, as formOf returns them
}

// column returns a column of a relation, or a derived one, that forms describe.
func (r *relation) column(l *tableLoader, table catalog.Table, i int) (column.Narrow, error) {
	if own := len(r.ordinals); i >= own {
		return l.Derived(table, r.derived[i-own])
	}
	return l.Column(table, r.ordinals[i])
}

// formOf returns the properties of a column that programs depend on.
func formOf(n column.Narrow) column.Narrow {
	n.Values = 0
	n.Valid = min(n.Valid, 1)
	return n
}

// scannedTables returns the tables of a subtree's scans.
func scannedTables(n *physical.Node) (tables []catalog.Table) {
	if s, ok := n.Op.(*physical.Scan); ok {
		tables = append(tables, s.Table)
	}
	for _, in := range n.In {
		tables = append(tables, scannedTables(in)...)
	}
	return tables
}

// versions returns those of the tables that the subtree scans.
func (f *fused) versions() []uint64 {
	out := []uint64{}
	for _, t := range scannedTables(f.node.In[0]) {
		out = append(out, t.Version())
	}
	return out
}

// failsAgain reports whether a value is known to be out of range, because the same plan over the same tables has
// had one.
func (f *fused) failsAgain() bool {
	p := f.cfg.kept.get(f.node)
	return p != nil && p.failed != nil && slices.Equal(p.failed, f.versions())
}

// growth is the factor by which the expected rows grow if there were more than estimated. If even
// mostGrowth times as many do not suffice, estimates are not the reason.
const (
	growth     = 8
	mostGrowth = 1 << 40
)

// compute runs the subtree. If estimates turn out to be too low, or keys to repeat, it starts again
// with another program.
func (f *fused) compute(l *tableLoader) (*prepared, *run.Rows, error) {
	p, err := f.known(l, scannedTables(f.node.In[0]))
	if p == nil && err == nil {
		p, err = f.prepare(l, lower.Options{More: 1, Passes: f.node.Op.(*physical.Pipelines).Passes}, 0)
	}
	for err == nil {
		rows, job, failed := l.runJob(p)
		if failed == nil {
			if job != p.job {
				longer := *p
				longer.job, p = job, &longer
			}
			if p.failed != nil {
				valid := *p
				valid.failed, p = nil, &valid
			}
			f.cfg.kept.put(f.node, p)
			return p, rows, nil
		}
		o, size, more := p.options, p.size, false
		switch {
		case l.indirect(failed):
			size = 0
		case errors.Is(failed, run.ErrRepeated) && !o.Repeats:
			o.Repeats, size = true, 0
		case errors.Is(failed, run.ErrFull):
			o.More *= growth
		case l.pieces && errors.Is(failed, gpu.ErrOutOfMemory) && o.Passes < lower.MostPasses:
			o.Passes, size, more = 2*max(o.Passes, 1), 0, true // if a join can take passes
		default:
			if errors.Is(failed, run.ErrFailed) {
				out := *p
				out.failed = f.versions()
				f.cfg.kept.put(f.node, &out)
			}
			return nil, nil, failed
		}
		p, err = f.prepare(l, o, size)
		if refused := (*lower.Refusal)(nil); err == nil && p == nil || more && errors.As(err, &refused) {
			err = failed
		}
	}
	return nil, nil, err
}

// runJob brings what the program needs to the device and runs it.
func (l *tableLoader) runJob(p *prepared) (*run.Rows, *run.Job, error) {
	if err := l.place(p); err != nil {
		return nil, nil, err
	}
	return p.job.Run(l.t, l.f.acct, l.inputs(p))
}

// known loads the columns and returns the program that an earlier execution of the node has
// prepared, or nil if none is valid for these columns.
func (f *fused) known(l *tableLoader, tables []catalog.Table) (*prepared, error) {
	p := f.cfg.kept.get(f.node)
	if p == nil {
		return nil, nil
	}
	for _, r := range p.relations {
		table := tables[r.scan]
		for i, form := range r.forms {
			c, err := r.column(l, table, i)
			if err != nil {
				return nil, err
			}
			if formOf(c) != form {
				return nil, nil
			}
		}
		if l.Rows(table) != r.rows {
			return nil, nil
		}
	}
	return p, l.failed
}

// prepare loads the columns of the subtree and makes its program and kernels with the given
// options. It raises the number of rows until the program is larger than size, and returns nil if
// that is impossible.
func (f *fused) prepare(l *tableLoader, o lower.Options, size int64) (*prepared, error) {
	root := fuse.Fused(f.node.In[0])
	if !l.pieces {
		defer f.compileAhead(l, root, o)()
	}
	for ; o.More <= mostGrowth; o.More *= growth {
		q, err := lower.LowerFor(root, l, o)
		if err = cmp.Or(l.failed, err); err != nil {
			return nil, err
		}
		if p := (&prepared{outs: q.Outputs, order: q.Program.Result.Order, options: o, size: sizeOf(q.Program)}); p.size > size {
			return p, f.finish(l, p, q)
		}
	}
	return nil, nil
}

// finish describes the relations of a program and generates its kernels.
func (f *fused) finish(l *tableLoader, p *prepared, q *lower.Query) (err error) {
	tables := scannedTables(f.node.In[0])
	for _, r := range q.Relations {
		x := relation{scan: slices.Index(tables, r.Table), rows: l.Rows(r.Table), ordinals: r.Ordinals, derived: r.Derived}
		if x.scan < 0 {
			return sqlerr.Internal("pipelines over %s, which no scan reads", r.Table.Name())
		}
		for i := range len(r.Ordinals) + len(r.Derived) {
			c, err := x.column(l, r.Table, i)
			if err != nil {
				return err
			}
			x.forms = append(x.forms, formOf(c))
		}
		p.relations = append(p.relations, x)
	}
	if l.failed != nil {
		return l.failed
	}
	p.job, err = run.New(q.Program, l.t.SharedPerBlock())
	return err
}

// sizeOf returns the number of elements of a program's own columns, without those of the result.
func sizeOf(p *pipeline.Program) (n int64) {
	for i := range p.Columns {
		if !slices.Contains(p.Result.Columns, i) {
			n += p.Columns[i].Size
		}
	}
	return n
}
