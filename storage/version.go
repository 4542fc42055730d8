package storage

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/storage/contents"
	"gsql/storage/segment"
)

// table holds what all versions of a table have in common.
type table struct {
	id       uint64 // never reused; a renamed table keeps it
	db, name string
	created  int64        // microseconds since 1970-01-01 UTC
	segRows  int          // rows at which a tail is sealed
	mem      *mem.Account // of the store
	slot     atomic.Int64 // in the store's states, -1 until CREATE TABLE is committed
	// auto is the last AUTO_INCREMENT value generated or inserted; a renamed table keeps it.
	auto *atomic.Uint64
}

// newTable returns a table that is not committed yet.
func newTable(id uint64, db, name string, segRows int, account *mem.Account) *table {
	t := &table{id: id, db: db, name: name, created: time.Now().UnixMicro(), segRows: segRows, mem: account, auto: new(atomic.Uint64)}
	t.slot.Store(-1)
	return t
}

// renamed returns the table that t becomes under another name.
func (t *table) renamed(db, name string) *table {
	out := newTable(t.id, db, name, t.segRows, t.mem)
	out.auto, out.created = t.auto, t.created
	return out
}

// version is an immutable state of a table: its contents and its keys. It is the
// snapshot that planning and execution see as catalog.Table.
type version struct {
	*table
	id            uint64
	schema        *catalog.Schema
	keys          []*uniqueKey   // enforced keys; shared by all versions that have them
	contents.Rows                // committed rows
	own           *contents.Rows // rows that the transaction inserted and has not committed, or nil
	nextRow       int64          // id of the next row committed
	churn         int64          // rows inserted and deleted since the table was created
	// committed is the id of the committed version that this one's rows come from, apart from its
	// own rows and its deletions. It is the version's own id once committed.
	committed uint64

	statsMu sync.Mutex // held while statistics are computed
	stats   atomic.Pointer[tableStats]
	prior   *tableStats // statistics of an earlier version to derive from, or nil
}

// ownBase is the first row id of a transaction's own rows; committed ids are lower.
const ownBase = int64(1) << 62

var versions atomic.Uint64

// successor returns a copy of v with a new id, which the caller may change before publishing it.
func (v *version) successor() *version {
	n := &version{
		table: v.table, id: versions.Add(1), schema: v.schema, keys: v.keys,
		Rows: v.Rows, own: v.own, nextRow: v.nextRow, churn: v.churn, committed: v.committed,
	}
	if n.prior = v.stats.Load(); n.prior == nil {
		n.prior = v.prior
	}
	return n
}

// empty returns a version of the same table without rows.
func (v *version) empty() *version {
	n := newVersion(v.table, v.schema)
	n.nextRow = v.nextRow
	n.Tail.Base = v.nextRow
	return n
}

func newVersion(t *table, schema *catalog.Schema) *version {
	v := &version{table: t, id: versions.Add(1), schema: schema}
	v.committed = v.id
	for i := range schema.Indexes {
		if x := &schema.Indexes[i]; x.Unique || x.Primary {
			v.keys = append(v.keys, newUniqueKey(t, schema, x))
		}
	}
	return v
}

// IsVersion reports whether t is a state of a stored table, whose Version is unique in the
// process.
func IsVersion(t catalog.Table) bool {
	_, ok := t.(*version)
	return ok
}

// Name returns the table's name as declared.
func (v *version) Name() string { return v.name }

// Schema returns the table's schema.
func (v *version) Schema() *catalog.Schema { return v.schema }

// Version returns a number that changes whenever the contents do.
func (v *version) Version() uint64 { return v.id }

// run is a segment or tail of a version.
type run struct {
	segment.Sealed               // Segment is nil for a tail
	tail           *segment.Tail // nil for a segment
}

func (r *run) rows() int {
	if r.tail != nil {
		return r.tail.N
	}
	return r.Sealed.Rows
}

// shape describes how v's rows are kept.
func (v *version) shape() contents.Shape {
	return contents.Shape{Schema: v.schema, SegmentRows: v.segRows, Mem: v.mem}
}

// parts returns the committed rows and, if there are any, the transaction's own.
func (v *version) parts() []*contents.Rows {
	if v.own == nil {
		return []*contents.Rows{&v.Rows}
	}
	return []*contents.Rows{&v.Rows, v.own}
}

// runs returns v's segments and tails in table order.
func (v *version) runs() []run {
	out := make([]run, 0, len(v.Segs)+2)
	for _, p := range v.parts() {
		for i := range p.Segs {
			out = append(out, run{Sealed: p.Segs[i]})
		}
		if p.Tail.N > 0 {
			out = append(out, run{Sealed: segment.Sealed{Base: p.Tail.Base, Del: p.TailDel}, tail: &p.Tail})
		}
	}
	return out
}

// rows returns the number of rows that are not deleted.
func (v *version) rows() int64 {
	n := v.Rows.Count()
	if v.own != nil {
		n += v.own.Count()
	}
	return n
}

// memory estimates the bytes held by v.
func (v *version) memory() int64 {
	n := v.Rows.Memory()
	if v.own != nil {
		n += v.own.Memory()
	}
	return n
}

// part returns the rows among which the row with an id is, or nil.
func (v *version) part(id int64) *contents.Rows {
	if id >= ownBase {
		return v.own
	}
	return &v.Rows
}

// find locates a row by id; ok is false if v does not have it (any more). It may find a deleted
// row.
func (v *version) find(id int64) (contents.Place, bool) {
	if p := v.part(id); p != nil {
		return p.Find(id)
	}
	return contents.Place{}, false
}

// alive reports whether v has the row and has not deleted it.
func (v *version) alive(id int64) bool {
	p, ok := v.find(id)
	return ok && !p.Deleted()
}

// delete marks rows as deleted in v, which must not be shared yet. ids must be ascending and
// distinct. It returns the ids of rows that were alive; missing is set if any were not.
func (v *version) delete(ids []int64) (gone []int64, missing bool) {
	committed, _ := slices.BinarySearch(ids, ownBase)
	gone, missing = v.Rows.Delete(ids[:committed])
	if mine := ids[committed:]; len(mine) > 0 && v.own == nil {
		missing = true
	} else if len(mine) > 0 {
		own := *v.own
		v.own = &own
		more, some := own.Delete(mine)
		gone, missing = append(gone, more...), missing || some
	}
	v.churn += int64(len(gone))
	return gone, missing
}

// locate is like find, but tries the segment of guess first.
func (v *version) locate(id int64, guess *contents.Place) (contents.Place, bool) {
	if p := v.part(id); p != nil {
		return p.Locate(id, guess)
	}
	return contents.Place{}, false
}

// Summary implements catalog.Summarizer.
func (v *version) Summary() catalog.Summary {
	return catalog.Summary{Rows: v.rows(), Bytes: v.memory(), NextID: v.auto.Load() + 1, Created: v.created}
}
