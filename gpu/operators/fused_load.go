package operators

import (
	"errors"
	"slices"
	"strconv"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/planner/fuse"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// tableLoader brings columns of tables to a device for one task, when they are first requested. It
// implements lower.Columns.
type tableLoader struct {
	f      *fused
	t      *engine.Task
	tables []loadedTable
	moved  int64 // bytes copied to the device
	// pieces is set if columns are read into host memory, from where those that do not fit the device are
	// streamed.
	pieces bool
	feeds  []*tables.Feed
	direct map[catalog.Table]*tables.Direct // tables that are read anew by each pipeline, in any order
	// failed is the first error other than a column.Refusal, because lowering reports only the
	// texts of errors.
	failed error
}

// loadedTable describes a table whose columns are on the device.
type loadedTable struct {
	table    catalog.Table
	ordinals []int // that the subtree's scans read
	rows     int64 // -1 until a column is loaded
	columns  map[int]column.Narrow
	derived  map[string]column.Narrow // by lower.Derived.Key and ordinal
	feeds    map[int]*tables.Feed     // of the columns that are not on the device, by ordinal
}

func newTableLoader(f *fused, t *engine.Task, pieces bool) *tableLoader {
	l := &tableLoader{f: f, t: t, pieces: pieces, direct: map[catalog.Table]*tables.Direct{}}
	root := fuse.Fused(f.node.In[0])
	l.add(root, lower.Late(root, l))
	if pieces {
		l.planDirect(root)
	}
	return l
}

// add collects what the scans of a subtree read, except for late columns and those of which the device may
// need only functions.
func (l *tableLoader) add(n *physical.Node, late map[expr.ColID]bool) {
	if s, ok := n.Op.(*physical.Scan); ok {
		x := l.find(s.Table)
		if x == nil {
			l.tables = append(l.tables, loadedTable{table: s.Table, rows: -1, columns: map[int]column.Narrow{}, derived: map[string]column.Narrow{}, feeds: map[int]*tables.Feed{}})
			x = &l.tables[len(l.tables)-1]
		}
		for i, o := range s.Ordinals {
			if !late[n.Cols[i].ID] && !l.Raw(s.Table, o) && !slices.Contains(x.ordinals, o) {
				x.ordinals = append(x.ordinals, o)
			}
		}
	}
	for _, in := range n.In {
		l.add(in, late)
	}
}

func (l *tableLoader) find(t catalog.Table) *loadedTable {
	for i := range l.tables {
		if l.tables[i].table == t {
			return &l.tables[i]
		}
	}
	return nil
}

// Rows implements lower.Columns.
func (l *tableLoader) Rows(t catalog.Table) int64 {
	x := l.find(t)
	if x == nil {
		l.fail(sqlerr.Internal("pipelines over %s, which no scan reads", t.Name()))
		return 0
	}
	if x.rows < 0 {
		if st := t.Stats(); st.Exact {
			x.rows = st.Rows
		} else if _, err := l.Column(t, x.first()); err != nil {
			l.fail(err)
			return 0
		}
	}
	return x.rows
}

// Late implements lower.Columns.
func (l *tableLoader) Late(t catalog.Table, ordinal int, rows float64) bool {
	return tables.Statistics{}.Late(t, ordinal, rows)
}

// first returns a column by which the rows of the table are counted.
func (x *loadedTable) first() int {
	if len(x.ordinals) > 0 {
		return x.ordinals[0]
	}
	return 0
}

func (l *tableLoader) fail(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

// Column implements lower.Columns.
func (l *tableLoader) Column(t catalog.Table, ordinal int) (column.Narrow, error) {
	x := l.find(t)
	if x == nil {
		return column.Narrow{}, sqlerr.Internal("pipelines over %s, which no scan reads", t.Name())
	}
	if c, ok := x.columns[ordinal]; ok {
		return c, nil
	}
	absent := []int{ordinal}
	for _, o := range x.ordinals {
		if _, ok := x.columns[o]; !ok && o != ordinal {
			absent = append(absent, o)
		}
	}
	err := l.load(x, absent)
	if err != nil && len(absent) > 1 && l.t.Err() == nil { // another column may be the one that cannot be there
		err = l.load(x, absent[:1])
	}
	if refused := column.Refusal(""); err != nil && !errors.As(err, &refused) {
		l.fail(err)
	}
	return x.columns[ordinal], err
}

// Raw implements lower.Columns.
func (l *tableLoader) Raw(t catalog.Table, ordinal int) bool {
	return tables.Statistics{}.Raw(t, ordinal)
}

// Derived implements lower.Columns.
func (l *tableLoader) Derived(t catalog.Table, d lower.Derived) (column.Narrow, error) {
	x := l.find(t)
	if x == nil {
		return column.Narrow{}, sqlerr.Internal("pipelines over %s, which no scan reads", t.Name())
	}
	key := derivedKey(&d)
	if c, ok := x.derived[key]; ok {
		return c, nil
	}
	c, moved, err := tables.LoadDerived(l.f.ctx, l.t, t, d, l.f.cfg.Cacheable(t))
	l.moved += moved
	if err == nil {
		err = x.note(c)
	}
	if refused := column.Refusal(""); err != nil && !errors.As(err, &refused) {
		l.fail(err)
	}
	if err == nil {
		x.derived[key] = c
	}
	return c, err
}

// derivedKey names a function of a column within its table.
func derivedKey(d *lower.Derived) string { return strconv.Itoa(d.Ordinal) + " " + d.Key() }

// note checks the number of rows of a column.
func (x *loadedTable) note(c column.Narrow) error {
	if x.rows < 0 {
		x.rows = c.Rows
	}
	if c.Rows != x.rows {
		return sqlerr.Internal("a column of %s with %d rows instead of %d", x.table.Name(), c.Rows, x.rows)
	}
	return nil
}

// load brings columns of a table to the device, or into host memory, with a single scan of the table.
func (l *tableLoader) load(x *loadedTable, ordinals []int) error {
	if l.pieces {
		return l.read(x, ordinals)
	}
	columns, moved, err := tables.Load(l.f.ctx, l.t, x.table, ordinals, l.f.cfg.Cacheable(x.table))
	l.moved += moved
	if err != nil {
		return err
	}
	for i, c := range columns {
		if err := x.add(ordinals[i], c); err != nil {
			return err
		}
	}
	return nil
}

// tablesOf returns the tables of a program's relations.
func (l *tableLoader) tablesOf(p *prepared) (out []catalog.Table) {
	scanned := scannedTables(l.f.node.In[0])
	for _, r := range p.relations {
		out = append(out, scanned[r.scan])
	}
	return out
}
