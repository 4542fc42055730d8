package durable

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/segfile"
	"gsql/storage/segment"
)

// The changes of a commit. The numbers are part of the format.
const (
	putDatabase  = 1
	dropDatabase = 2
	putTable     = 3
	dropTable    = 4
	putView      = 5
	dropView     = 6
	clearRows    = 7
	insertRows   = 8
	attach       = 9
	deleteRows   = 10
	setCounter   = 11
	replaceRows  = 12
)

// Commit collects what a transaction has changed, in the order in which it is to be repeated. The
// order matters: a name must be free before a table can take it.
type Commit struct {
	e     encoder
	files *segfile.Files
	empty int
}

// NewCommit returns a commit without changes. sequence numbers the commits of a directory without
// gaps.
func NewCommit(sequence uint64, files *segfile.Files) *Commit {
	c := &Commit{files: files}
	c.e.uint(sequence)
	c.empty = len(c.e.buf)
	return c
}

// Record returns the record for the log.
func (c *Commit) Record() []byte { return c.e.buf }

// Empty reports whether there are no changes.
func (c *Commit) Empty() bool { return len(c.e.buf) == c.empty }

// PutDatabase creates a database or sets its collation.
func (c *Commit) PutDatabase(name string, coll types.Collation) {
	c.e.byte(putDatabase)
	c.e.text(name)
	c.e.byte(byte(coll))
}

// DropDatabase removes a database, whose tables and views are gone already.
func (c *Commit) DropDatabase(name string) {
	c.e.byte(dropDatabase)
	c.e.text(name)
}

// PutTable creates a table without rows, or changes the name and definition of the table with
// that id.
func (c *Commit) PutTable(t *Table) {
	c.e.byte(putTable)
	c.e.definition(t)
}

// DropTable removes a table.
func (c *Commit) DropTable(id uint64) {
	c.e.byte(dropTable)
	c.e.uint(id)
}

// PutView creates or replaces a view.
func (c *Commit) PutView(v *catalog.View) {
	c.e.byte(putView)
	c.e.view(v)
}

// DropView removes a view.
func (c *Commit) DropView(db, name string) {
	c.e.byte(dropView)
	c.e.text(db)
	c.e.text(name)
}

// Clear removes all rows of a table. Row ids go on.
func (c *Commit) Clear(table uint64) {
	c.e.byte(clearRows)
	c.e.uint(table)
}

// Replace replaces all rows of a table, which keep their ids, after a change of its columns.
func (c *Commit) Replace(t *Table) {
	c.e.byte(replaceRows)
	c.e.uint(t.ID)
	c.e.contents(c.files, t)
}

// Insert adds n rows, encoded by EncodeRows, with consecutive ids from first on.
func (c *Commit) Insert(table uint64, first int64, n int, rows []byte) {
	c.e.byte(insertRows)
	c.e.uint(table)
	c.e.int(first)
	c.e.uint(uint64(n))
	c.e.bytes(rows)
}

// Attach adds segments that are in segment files. The next row id follows their last one.
func (c *Commit) Attach(table uint64, segs []segment.Sealed) {
	c.e.byte(attach)
	c.e.uint(table)
	c.e.segments(c.files, segs)
}

// Delete removes rows by their ids, which are ascending.
func (c *Commit) Delete(table uint64, ids []int64) {
	c.e.byte(deleteRows)
	c.e.uint(table)
	c.e.ascending(ids)
}

// SetCounter sets the last AUTO_INCREMENT value of a table.
func (c *Commit) SetCounter(table, last uint64) {
	c.e.byte(setCounter)
	c.e.uint(table)
	c.e.uint(last)
}

// ascending writes ids as runs of consecutive ones.
func (e *encoder) ascending(ids []int64) {
	type run struct{ first, n int64 }
	var runs []run
	for _, id := range ids {
		if k := len(runs) - 1; k >= 0 && runs[k].first+runs[k].n == id {
			runs[k].n++
			continue
		}
		runs = append(runs, run{id, 1})
	}
	e.uint(uint64(len(runs)))
	last := int64(0)
	for _, r := range runs {
		e.int(r.first - last)
		e.uint(uint64(r.n))
		last = r.first + r.n
	}
}

// maxRows limits the rows that a list of runs can name.
const maxRows = 1 << 31

// ascending appends ids to out.
func (d *decoder) ascending(out []int64) []int64 {
	last := int64(0)
	for range d.count(2) {
		last += d.int()
		n := d.uint()
		if n > maxRows || len(out)+int(n) > maxRows {
			d.fail(errUnknown)
			return nil
		}
		for range n {
			out = append(out, last)
			last++
		}
	}
	return out
}
