package durable

import (
	"maps"
	"slices"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/segfile"
)

// Checkpoint is a record of the manifest: the state after a commit, or what differs in it from the
// checkpoint before.
type Checkpoint struct {
	Sequence  uint64 // of the commit
	Full      bool   // the record has all tables; otherwise those that changed
	NextTable uint64 // id that no table has had
	Databases []*Database
	Views     []*catalog.View
	Dropped   []uint64 // tables that are gone; empty if Full
	Tables    []*Table

	wal      uint64 // number of the first log to replay
	nextFile uint64 // number that no segment file has had
}

func (p *Checkpoint) encode(files *segfile.Files) []byte {
	var e encoder
	e.flags(p.Full)
	e.uint(p.Sequence)
	e.uint(p.wal)
	e.uint(p.nextFile)
	e.uint(p.NextTable)
	e.uint(uint64(len(p.Databases)))
	for _, db := range p.Databases {
		e.text(db.Name)
		e.byte(byte(db.Coll))
	}
	e.uint(uint64(len(p.Views)))
	for _, v := range p.Views {
		e.view(v)
	}
	e.uint(uint64(len(p.Dropped)))
	for _, id := range p.Dropped {
		e.uint(id)
	}
	e.uint(uint64(len(p.Tables)))
	for _, t := range p.Tables {
		e.table(files, t)
	}
	return e.buf
}

func decodeCheckpoint(record []byte, files *segfile.Files, account *mem.Account) (*Checkpoint, error) {
	d := decoder{buf: record}
	p := &Checkpoint{}
	d.flags(&p.Full)
	p.Sequence, p.wal, p.nextFile, p.NextTable = d.uint(), d.uint(), d.uint(), d.uint()
	for range d.count(2) {
		p.Databases = append(p.Databases, &Database{d.text(), types.Collation(d.byte())})
	}
	for range d.count(2) {
		p.Views = append(p.Views, d.view())
	}
	for range d.count(1) {
		p.Dropped = append(p.Dropped, d.uint())
	}
	for range d.count(2) {
		if t := d.table(files, account); d.err == nil {
			p.Tables = append(p.Tables, t)
		}
	}
	return p, d.err
}

// become makes c the state of a checkpoint that follows the one c is at.
func (c *Catalog) become(p *Checkpoint) {
	c.Sequence, c.NextTable = p.Sequence, p.NextTable
	clear(c.Databases)
	clear(c.Views)
	if p.Full {
		clear(c.Tables)
	}
	for _, db := range p.Databases {
		c.Databases[strings.ToLower(db.Name)] = db
	}
	for _, v := range p.Views {
		c.Views[viewKey(v.DB, v.Name)] = v
	}
	for _, id := range p.Dropped {
		delete(c.Tables, id)
	}
	for _, t := range p.Tables {
		c.Tables[t.ID] = t
	}
}

// tables lists the tables by id.
func (c *Catalog) tables() []*Table {
	var out []*Table
	for _, id := range slices.Sorted(maps.Keys(c.Tables)) {
		out = append(out, c.Tables[id])
	}
	return out
}
