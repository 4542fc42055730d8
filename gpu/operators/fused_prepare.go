package operators

import (
	"cmp"
	"errors"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/run"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// prepared is a subtree as a program with its kernels, for columns of certain forms. It never
// changes and keeps no table.
type prepared struct {
	outs      []lower.Output
	relations []relation
	job       *run.Job
	options   lower.Options
	size      int64 // of what depends on estimates, in elements
}

// relation is a table that a program reads: that of the subtree's scan of this number.
type relation struct {
	scan     int
	rows     int64
	ordinals []int
	forms    []column.Narrow // of the columns, as formOf returns them
}

// formOf returns what programs depend on of a column.
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

// growth is how many times more rows are expected if there were more than estimated. With mostGrowth
// times more, estimates are not the reason.
const (
	growth     = 8
	mostGrowth = 1 << 40
)

// compute runs the subtree. If estimates turn out to be too low, or keys to repeat, it begins again.
func (f *fused) compute(l *tableLoader) (*prepared, *run.Rows, error) {
	p, err := f.known(l, scannedTables(f.node.In[0]))
	if p == nil && err == nil {
		p, err = f.prepare(l, lower.Options{More: 1}, 0)
	}
	for err == nil {
		rows, job, failed := p.job.Run(l.t, f.acct, l.base(p))
		if failed == nil {
			if job != p.job {
				longer := *p
				longer.job, p = job, &longer
			}
			f.cfg.kept.put(f.node, p)
			return p, rows, nil
		}
		o, size := p.options, p.size
		switch {
		case errors.Is(failed, run.ErrRepeated) && !o.Repeats:
			o.Repeats, size = true, 0
		case errors.Is(failed, run.ErrFull):
			o.More *= growth
		default:
			return nil, nil, failed
		}
		if p, err = f.prepare(l, o, size); err == nil && p == nil {
			err = failed
		}
	}
	return nil, nil, err
}

// known returns what an earlier execution of the node has prepared if that is still valid for the
// columns, which it loads, or nil.
func (f *fused) known(l *tableLoader, tables []catalog.Table) (*prepared, error) {
	p := f.cfg.kept.get(f.node)
	if p == nil {
		return nil, nil
	}
	for _, r := range p.relations {
		table := tables[r.scan]
		for i, ordinal := range r.ordinals {
			c, err := l.Column(table, ordinal)
			if err != nil {
				return nil, err
			}
			if formOf(c) != r.forms[i] {
				return nil, nil
			}
		}
		if l.Rows(table) != r.rows {
			return nil, nil
		}
	}
	return p, l.failed
}

// prepare makes the program of the subtree, whose columns it loads, and its kernels, with options, or for
// more rows until the program is larger than size. It returns nil if none is.
func (f *fused) prepare(l *tableLoader, o lower.Options, size int64) (*prepared, error) {
	root := fuse.Fused(f.node.In[0])
	for ; o.More <= mostGrowth; o.More *= growth {
		q, err := lower.LowerFor(root, l, o)
		if err = cmp.Or(l.failed, err); err != nil {
			return nil, err
		}
		if p := (&prepared{outs: q.Outputs, options: o, size: sizeOf(q.Program)}); p.size > size {
			return p, f.finish(l, p, q)
		}
	}
	return nil, nil
}

// finish describes the relations of a program, and writes its kernels.
func (f *fused) finish(l *tableLoader, p *prepared, q *lower.Query) (err error) {
	tables := scannedTables(f.node.In[0])
	for _, r := range q.Relations {
		x := relation{scan: slices.Index(tables, r.Table), rows: l.Rows(r.Table), ordinals: r.Ordinals}
		if x.scan < 0 {
			return sqlerr.Internal("pipelines over %s, which no scan reads", r.Table.Name())
		}
		for _, ordinal := range r.Ordinals {
			c, err := l.Column(r.Table, ordinal)
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

// sizeOf returns the number of elements of a program's own columns, except for those of the result.
func sizeOf(p *pipeline.Program) (n int64) {
	for i := range p.Columns {
		if !slices.Contains(p.Result.Columns, i) {
			n += p.Columns[i].Size
		}
	}
	return n
}
