package durable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// Catalog is the state of a directory: everything that commits have changed. Recovery builds it;
// it is not safe for concurrent use.
type Catalog struct {
	Sequence  uint64               // of the last commit
	NextTable uint64               // id that no table has had
	Databases map[string]*Database // by lower-case name
	Tables    map[uint64]*Table
	Views     map[string]*catalog.View // by lower-case "database.name", with the names quoted

	files   *segfile.Files
	account *mem.Account
	batch   *batch // memory for rows
	replay  replay
}

func newCatalog(files *segfile.Files, account *mem.Account) *Catalog {
	return &Catalog{Databases: map[string]*Database{}, Tables: map[uint64]*Table{}, Views: map[string]*catalog.View{}, files: files, account: account, batch: &batch{}}
}

// viewKey returns the key of a view in Catalog.Views.
func viewKey(db, name string) string {
	return strings.ToLower(catalog.QuoteName(db) + "." + catalog.QuoteName(name))
}

// errGap is the reason if a log does not go on where the state ends.
var errGap = errors.New("commits are missing")

// apply repeats the changes of a commit's record.
func (c *Catalog) apply(record []byte) error {
	d := &decoder{buf: record}
	if n := d.uint(); n != c.Sequence+1 {
		return fmt.Errorf("%w: commit %d follows commit %d", errGap, n, c.Sequence)
	}
	for len(d.buf) > 0 {
		if err := c.change(d); err != nil {
			return err
		}
	}
	c.Sequence++
	return d.err
}

// change repeats the next change.
func (c *Catalog) change(d *decoder) error {
	kind := d.byte()
	switch kind {
	case putDatabase:
		db := &Database{Name: d.text()}
		db.Coll = types.Collation(d.byte())
		c.Databases[strings.ToLower(db.Name)] = db
	case dropDatabase:
		delete(c.Databases, strings.ToLower(d.text()))
	case putView:
		v := d.view()
		c.Views[viewKey(v.DB, v.Name)] = v
	case dropView:
		delete(c.Views, viewKey(d.text(), d.text()))
	case putTable:
		c.putTable(d.definition())
	case dropTable:
		id := d.uint()
		delete(c.Tables, id)
		c.replay.forget(id)
	case clearRows, insertRows, attach, deleteRows, setCounter, replaceRows:
		id := d.uint()
		t := c.Tables[id]
		if t == nil {
			return fmt.Errorf("a commit changes table %d, which does not exist", id)
		}
		if err := c.changeRows(d, kind, t); err != nil {
			return err
		}
	default:
		d.fail(errUnknown)
	}
	return d.err
}

// putTable adds a table, or replaces the definition of the one with its id.
func (c *Catalog) putTable(t *Table) {
	if old := c.Tables[t.ID]; old != nil {
		old.DB, old.Name, old.Schema, old.Created, old.SegmentRows = t.DB, t.Name, t.Schema, t.Created, t.SegmentRows
		old.Stats = nil // its columns may be others
		c.replay.define(old)
		return
	}
	c.replay.define(t)
	c.Tables[t.ID] = t
	c.NextTable = max(c.NextTable, t.ID+1)
}

// changeRows repeats a change of a table's rows.
func (c *Catalog) changeRows(d *decoder, kind byte, t *Table) error {
	switch kind {
	case clearRows:
		t.Rows, t.Stats = contents.Rows{}, nil
		t.Tail.Base = t.NextRow
	case replaceRows:
		d.contents(c.files, c.account, c.batch, t)
	case setCounter:
		t.Auto = d.uint()
	case deleteRows:
		return t.delete(d.ascending(nil))
	case attach:
		return t.attach(c.shape(t), d.segments(c.files, t.Schema))
	case insertRows:
		return t.insert(c.shape(t), d, c.batch)
	}
	return nil
}

func (c *Catalog) shape(t *Table) contents.Shape {
	return contents.Shape{Schema: t.Schema, SegmentRows: t.SegmentRows, Mem: c.account}
}

// insert repeats an insertion.
func (t *Table) insert(s contents.Shape, d *decoder, memory *batch) error {
	first, n := d.int(), d.uint()
	rows := decoder{buf: d.bytes()}
	if d.err != nil {
		return d.err
	}
	if err := t.startAt(first, func() error { return t.Rows.Seal(s) }); err != nil {
		return err
	}
	err := rows.rows(t.Schema, memory, func(b []*vec.Vector) error {
		return t.Rows.Append(context.Background(), s, b, b[0].N)
	})
	if err != nil {
		return err
	}
	if t.NextRow = first + int64(n); t.Rows.Next() != t.NextRow {
		return fmt.Errorf("a commit inserts %d rows into table %s.%s, but has others", n, t.DB, t.Name)
	}
	t.Churn += int64(n)
	return nil
}

// delete repeats a deletion. ids are ascending; if one is there twice, two commits have deleted it.
func (t *Table) delete(ids []int64) error {
	n := len(ids)
	ids = slices.Compact(ids)
	gone, missing := t.Rows.Delete(ids)
	if t.Churn += int64(len(gone)); missing || len(ids) < n {
		return fmt.Errorf("a commit deletes rows that table %s.%s does not have", t.DB, t.Name)
	}
	return nil
}

// startAt makes the next row that is appended to the tail the row with id first. seal makes the
// tail a segment.
func (t *Table) startAt(first int64, seal func() error) error {
	switch next := t.Rows.Next(); {
	case first == next:
		return nil
	case first < next:
		return fmt.Errorf("a commit inserts row %d into table %s.%s, which has it", first, t.DB, t.Name)
	}
	if err := seal(); err != nil {
		return err
	}
	t.Tail.Base = first
	return nil
}

// attach repeats the addition of segments.
func (t *Table) attach(s contents.Shape, segs []segment.Sealed) error {
	for i := range segs {
		seg := &segs[i]
		seal := func() error { return t.Rows.Seal(s) }
		if err := t.startAt(seg.Base, seal); err != nil {
			return err
		}
		if err := seal(); err != nil {
			return err
		}
		t.Segs = append(t.Segs, *seg)
		t.Churn += int64(seg.Rows)
		t.NextRow = seg.RowID(seg.Rows-1) + 1
		t.Tail.Base = t.NextRow
	}
	return nil
}
