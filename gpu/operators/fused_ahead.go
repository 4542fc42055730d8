package operators

import (
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline/run"
	"gsql/gpu/tables"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// compileAhead begins to compile the kernels of the program that prepare will make, if they are known before columns
// are loaded: compiling takes as long as loading gigabytes. The caller calls wait before the task ends.
func (f *fused) compileAhead(l *tableLoader, root *physical.Node, o lower.Options) (wait func()) {
	job := foresee(l, root, o)
	if job == nil {
		return func() {}
	}
	return engine.Compile(l.t, job.Modules())
}

// foresee returns the job that prepare will make, or nil if that depends on values of columns that are not on the
// device, or if there are none.
func foresee(l *tableLoader, root *physical.Node, o lower.Options) *run.Job {
	known := foreseen{l}
	if !known.absent() {
		return nil
	}
	q, err := lower.LowerFor(root, known, o)
	if err != nil {
		return nil
	}
	job, err := run.New(q.Program, l.t.SharedPerBlock())
	if err != nil {
		return nil
	}
	return job
}

// foreseen describes columns as a tableLoader does, but loads none: a column that is not on the device must have
// a form that follows from exact statistics.
type foreseen struct{ *tableLoader }

// absent reports whether columns that the subtree reads are not on the device.
func (f foreseen) absent() bool {
	for i := range f.tables {
		x := &f.tables[i]
		for _, o := range x.ordinals {
			if _, ok := f.present(x.table, o); !ok {
				return true
			}
		}
	}
	return false
}

// present returns a column that is on the device.
func (f foreseen) present(t catalog.Table, ordinal int) (column.Narrow, bool) {
	if x := f.find(t); x != nil {
		if c, ok := x.columns[ordinal]; ok {
			return c, true
		}
	}
	if !f.f.cfg.Cacheable(t) {
		return column.Narrow{}, false
	}
	return f.t.Narrow(tables.Key(t, ordinal))
}

// Rows implements lower.Columns.
func (f foreseen) Rows(t catalog.Table) int64 { return t.Stats().Rows }

// Column implements lower.Columns.
func (f foreseen) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	c, ok := f.present(t, ordinal)
	if !ok {
		c, ok = tables.Placed(t, ordinal)
	}
	if !ok {
		return c, sqlerr.Internal("the form of column %d of %s depends on its values", ordinal, t.Name())
	}
	return c, nil
}

// Derived implements lower.Columns.
func (f foreseen) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	if f.f.cfg.Cacheable(t) {
		if c, ok := f.t.Narrow(tables.DerivedKey(t, &d)); ok {
			return c, nil
		}
	}
	return column.Narrow{}, sqlerr.Internal("the form of a function of column %d of %s depends on its values", d.Ordinal, t.Name())
}
