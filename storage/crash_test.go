package storage

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/vfs/crashfs"
)

// crasher runs transactions on a file system that is copied after every operation, as it would be
// found after a crash, and knows what must be in each copy.
type crasher struct {
	t      *testing.T
	rng    *rand.Rand
	fs     *crashfs.FS
	s      *Store
	tables int              // created so far
	rows   int64            // inserted so far
	points []*crashfs.Point // since the last commit began
	opened int              // copies opened
}

// TestCrashes opens the directory as it is after a crash at every operation of random transactions,
// checkpoints and reopenings. It must have exactly the transactions that were acknowledged, and
// may have the one that was being committed.
func TestCrashes(t *testing.T) {
	opened := 0
	for seed := range int64(3) {
		opened += crashes(t, seed, 20)
	}
	t.Logf("%d copies opened", opened)
}

func crashes(t *testing.T, seed int64, steps int) int {
	c := &crasher{t: t, rng: rand.New(rand.NewSource(seed)), fs: crashfs.New()}
	c.fs.Watch(func(p *crashfs.Point) { c.points = append(c.points, p) })
	c.open()
	c.check("creation", contentsOf(t, c.s))
	for step := range steps {
		before := contentsOf(t, c.s)
		what := c.step()
		c.check(fmt.Sprintf("seed %d step %d %s", seed, step, what), before, contentsOf(t, c.s))
	}
	must(t, c.s.Close())
	return c.opened
}

func (c *crasher) open() {
	s, warnings, err := OpenStore(nil, Directory{FS: c.fs})
	must(c.t, err)
	if len(warnings) > 0 {
		c.t.Fatalf("opening warns: %v", warnings)
	}
	s.segmentRows = 1 + c.rng.Intn(40)
	c.s = s
}

// step does something random and names it.
func (c *crasher) step() string {
	switch c.rng.Intn(9) {
	case 2:
		c.s.tidy(bg)
		return "tidying"
	case 0:
		must(c.t, c.s.Checkpoint(bg))
		return "checkpoint"
	case 1:
		must(c.t, c.s.Close())
		c.open()
		return "reopening"
	}
	tx := c.s.Begin()
	defer tx.Rollback()
	var done []string
	for range 1 + c.rng.Intn(3) {
		done = append(done, c.change(tx))
	}
	must(c.t, tx.Commit())
	return strings.Join(done, ", ")
}

// change makes one change in a transaction.
func (c *crasher) change(tx *Tx) string {
	names, _, err := tx.Tables("")
	must(c.t, err)
	if len(names) == 0 || c.rng.Intn(6) == 0 {
		c.tables++
		name := fmt.Sprintf("t%d", c.tables)
		schema := pairs()
		must(c.t, tx.DDL().CreateTable("", name, schema))
		return "create " + name
	}
	name := names[c.rng.Intn(len(names))]
	tbl := lookup(c.t, tx, name)
	_, ids := scan(c.t, tbl, catalog.ScanSpec{Columns: []int{0, catalog.RowID}})
	switch c.rng.Intn(12) {
	case 0:
		must(c.t, tx.DDL().DropTable("", name))
		return "drop " + name
	case 1:
		c.tables++
		must(c.t, tx.DDL().Rename("", name, "", fmt.Sprintf("r%d", c.tables)))
		return "rename " + name
	case 2:
		must(c.t, tx.Truncate(tbl))
		return "truncate " + name
	case 3:
		must(c.t, tx.DDL().CreateView(catalog.View{Name: fmt.Sprintf("v%d", c.rng.Intn(3)), SQL: "select 1", DB: DefaultDB}, true))
		return "view"
	case 4, 5:
		ids = slices.DeleteFunc(ids, func(int64) bool { return c.rng.Intn(3) > 0 })
		_, err := tx.Delete(bg, tbl, ids)
		must(c.t, err)
		return "delete from " + name
	case 6:
		if tbl.(*version).own == nil {
			return c.alter(tx, tbl)
		}
	case 7:
		if tbl.(*version).own == nil {
			must(c.t, tx.DDL().Optimize(bg, tbl))
			return "optimize " + name
		}
	}
	return c.insert(tx, tbl)
}

// insert adds rows with new ids.
func (c *crasher) insert(tx *Tx, tbl catalog.Table) string {
	n := 1 + c.rng.Intn(60)
	cols := make([]*vec.Vector, len(tbl.Schema().Columns))
	xs, texts := make([]int64, n), make([]string, n)
	for i := range n {
		c.rows++
		xs[i], texts[i] = c.rows, fmt.Sprint(c.rng.Intn(9))
	}
	for i, def := range tbl.Schema().Columns {
		if cols[i] = ints(xs...); def.Type.IsString() {
			cols[i] = strs(texts...)
		}
	}
	if c.rng.Intn(3) == 0 {
		a, err := NewAppender(tx, tbl)
		must(c.t, err)
		w := a.NewWriter()
		must(c.t, w.Append(0, cols))
		must(c.t, w.Close())
		_, err = a.Finish(bg)
		must(c.t, err)
		return fmt.Sprintf("load %d into %s", n, tbl.Name())
	}
	must(c.t, tx.Insert(bg, tbl, [][]*vec.Vector{cols}))
	return fmt.Sprintf("insert %d into %s", n, tbl.Name())
}

// alter adds a column with the numbers of the rows, or drops the last one that was added.
func (c *crasher) alter(tx *Tx, tbl catalog.Table) string {
	schema := *tbl.Schema()
	schema.Columns = slices.Clone(schema.Columns)
	var columns []AlteredColumn
	for i := range schema.Columns {
		columns = append(columns, AlteredColumn{From: i})
	}
	if n := len(schema.Columns); n > 2 && c.rng.Intn(2) == 0 {
		schema.Columns, columns = schema.Columns[:n-1], columns[:n-1]
	} else {
		schema.Columns = append(schema.Columns, catalog.Column{Name: fmt.Sprintf("c%d", n), Type: types.T(types.Int64)})
		columns = append(columns, AlteredColumn{From: -1})
	}
	must(c.t, tx.DDL().Alter(bg, tbl, Alteration{Schema: &schema, Columns: columns}))
	return "alter " + tbl.Name()
}

// check opens the copies made since the last check, each as some crashes leave it. They must be in
// one of the states.
func (c *crasher) check(what string, states ...string) {
	c.t.Helper()
	points := c.points
	c.points = nil
	for _, p := range points {
		for _, keep := range crashfs.Keeps {
			fs := p.Crash(keep, c.rng.Uint64())
			s, _, err := OpenStore(nil, Directory{FS: fs})
			if err != nil {
				c.t.Fatalf("%s: after %+v with %v kept: %v", what, p.Op, keep, err)
			}
			c.opened++
			if got := contentsOf(c.t, s); !slices.Contains(states, got) {
				c.t.Fatalf("%s: after %+v with %v kept:\n%s\nwant one of\n%s", what, p.Op, keep, got, strings.Join(states, "\nor\n"))
			}
			must(c.t, s.Close())
		}
	}
}

// contentsOf describes all tables and views with their rows.
func contentsOf(t testing.TB, s *Store) string {
	t.Helper()
	tx := s.Begin()
	defer tx.Rollback()
	tables, views, err := tx.Tables("")
	must(t, err)
	var out strings.Builder
	for _, name := range tables {
		tbl := lookup(t, tx, name)
		var all []int
		for i := range tbl.Schema().Columns {
			all = append(all, i)
		}
		rows, _ := scan(t, tbl, catalog.ScanSpec{Columns: all})
		fmt.Fprintf(&out, "%s: %v\n", tbl.Schema().CreateTable(name, NextAutoIncrement(tbl), ""), rows)
	}
	fmt.Fprintln(&out, views)
	return out.String()
}
