package durable

import (
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/contents"
	"gsql/storage/rowset"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// Table is a table as a directory keeps it.
type Table struct {
	ID          uint64 // never reused; a renamed table keeps it
	DB, Name    string
	Schema      *catalog.Schema
	Created     int64 // microseconds since 1970-01-01 UTC
	SegmentRows int

	Auto    uint64 // last AUTO_INCREMENT value
	NextRow int64  // id of the next row
	Churn   int64  // rows inserted and deleted since the table was created
	Stats   *Stats // as of the last checkpoint; nil if there are none
	contents.Rows
}

// Database is a database and its default collation.
type Database struct {
	Name string
	Coll types.Collation
}

// definition writes what PutTable records.
func (e *encoder) definition(t *Table) {
	e.uint(t.ID)
	e.text(t.DB)
	e.text(t.Name)
	e.int(t.Created)
	e.uint(uint64(t.SegmentRows))
	e.schema(t.Schema)
}

func (d *decoder) definition() *Table {
	return &Table{ID: d.uint(), DB: d.text(), Name: d.text(), Created: d.int(), SegmentRows: int(d.uint()), Schema: d.schema()}
}

// segments writes segments with the ids of their rows and their deletions.
func (e *encoder) segments(files *segfile.Files, segs []segment.Sealed) {
	e.uint(uint64(len(segs)))
	for i := range segs {
		s := &segs[i]
		e.int(s.Base)
		e.deletions(s.Del, s.Rows)
		e.buf = files.Encode(e.buf, s.Segment)
	}
}

func (d *decoder) segments(files *segfile.Files, schema *catalog.Schema) []segment.Sealed {
	var out []segment.Sealed
	for range d.count(2) {
		s := segment.Sealed{Base: d.int(), Del: d.deletions()}
		if d.err != nil {
			return nil
		}
		var err error
		if s.Segment, d.buf, err = files.Decode(d.buf, schema); err != nil {
			d.fail(err)
			return nil
		}
		out = append(out, s)
	}
	return out
}

// deletions writes the deleted rows among the first rows.
func (e *encoder) deletions(del *rowset.Deletions, rows int) {
	var gone []int64
	if del.Count() > 0 {
		for row := range rows {
			if del.Has(row) {
				gone = append(gone, int64(row))
			}
		}
	}
	e.ascending(gone)
}

func (d *decoder) deletions() *rowset.Deletions {
	gone := d.ascending(nil)
	if len(gone) == 0 {
		return nil
	}
	rows := make([]int, len(gone))
	for i, r := range gone {
		if r < 0 || r > maxRows {
			d.fail(errUnknown)
			return nil
		}
		rows[i] = int(r)
	}
	var none *rowset.Deletions
	return none.With(rows)
}

// contents writes the rows of a table, those of the tail in full.
func (e *encoder) contents(files *segfile.Files, t *Table) {
	e.int(t.NextRow)
	e.int(t.Churn)
	e.segments(files, t.Segs)
	e.int(t.Tail.Base)
	e.deletions(t.TailDel, t.Tail.N)
	e.buf = EncodeRows(e.buf, t.Tail.Batches())
}

// contents sets the rows of t, whose schema is known.
func (d *decoder) contents(files *segfile.Files, account *mem.Account, memory *batch, t *Table) {
	t.NextRow, t.Churn = d.int(), d.int()
	t.Rows = contents.Rows{Segs: d.segments(files, t.Schema)}
	t.Tail.Base = d.int()
	t.TailDel = d.deletions()
	err := d.rows(t.Schema, memory, func(b []*vec.Vector) (err error) {
		t.Tail, err = t.Tail.Append(account, t.Schema, b, b[0].N)
		return err
	})
	if err != nil {
		d.fail(err)
	}
}

// table writes all of a table.
func (e *encoder) table(files *segfile.Files, t *Table) {
	e.definition(t)
	e.uint(t.Auto)
	e.stats(t.Stats)
	e.contents(files, t)
}

func (d *decoder) table(files *segfile.Files, account *mem.Account) *Table {
	t := d.definition()
	t.Auto = d.uint()
	if d.err == nil {
		t.Stats = d.stats(t.Schema)
		d.contents(files, account, &batch{}, t)
	}
	return t
}
