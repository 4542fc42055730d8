package storage

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/storage/rowset"
	"gsql/storage/segment"
)

// table holds what all versions of a table have in common.
type table struct {
	db, name string
	created  int64        // microseconds since 1970-01-01 UTC
	segRows  int          // rows at which a tail is sealed
	mem      *mem.Account // of the store
	slot     atomic.Int64 // in the store's states, -1 until CREATE TABLE is committed
	// auto is the last AUTO_INCREMENT value generated or inserted; a renamed table keeps it.
	auto *atomic.Uint64
}

// newTable returns a table that is not committed yet.
func newTable(db, name string, segRows int, account *mem.Account) *table {
	t := &table{db: db, name: name, created: time.Now().UnixMicro(), segRows: segRows, mem: account, auto: new(atomic.Uint64)}
	t.slot.Store(-1)
	return t
}

// renamed returns the table that t becomes under another name.
func (t *table) renamed(db, name string) *table {
	out := newTable(db, name, t.segRows, t.mem)
	out.auto, out.created = t.auto, t.created
	return out
}

// version is an immutable state of a table: its contents and its keys. It is the
// snapshot that planning and execution see as catalog.Table.
type version struct {
	*table
	id      uint64
	schema  *catalog.Schema
	keys    []*uniqueKey // enforced keys; shared by all versions that have them
	segs    []segment.Sealed
	tail    segment.Tail
	tailDel *rowset.Deletions
	own     *version // rows that the transaction inserted and has not committed, or nil
	nextRow int64    // id of the next row committed
	churn   int64    // rows inserted and deleted since the table was created
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
		segs: v.segs, tail: v.tail, tailDel: v.tailDel, own: v.own, nextRow: v.nextRow, churn: v.churn, committed: v.committed,
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
	n.tail.Base = v.nextRow
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

// runs returns v's segments and tails in table order.
func (v *version) runs() []run {
	out := make([]run, 0, len(v.segs)+2)
	for p := v; p != nil; p = p.own {
		for i := range p.segs {
			out = append(out, run{Sealed: p.segs[i]})
		}
		if p.tail.N > 0 {
			out = append(out, run{Sealed: segment.Sealed{Base: p.tail.Base, Del: p.tailDel}, tail: &p.tail})
		}
	}
	return out
}

// rows returns the number of rows that are not deleted.
func (v *version) rows() int64 {
	total := int64(0)
	for p := v; p != nil; p = p.own {
		for i := range p.segs {
			total += int64(p.segs[i].Rows - p.segs[i].Del.Count())
		}
		total += int64(p.tail.N - p.tailDel.Count())
	}
	return total
}

// memory estimates the bytes held by v.
func (v *version) memory() int64 {
	total := int64(0)
	for p := v; p != nil; p = p.own {
		for i := range p.segs {
			total += p.segs[i].Bytes
		}
		total += p.tail.Memory()
	}
	return total
}

// place is the position of a row: in segment number seg, or in the tail if seg is len(segs).
type place struct {
	part *version
	seg  int
	row  int
}

// find locates a row by id; ok is false if v does not have it (any more). It may find a deleted
// row: see deleted.
func (v *version) find(id int64) (place, bool) {
	p := v
	if id >= ownBase {
		p = v.own
	}
	if p == nil {
		return place{}, false
	}
	if r := id - p.tail.Base; r >= 0 && p.tail.N > 0 {
		return place{p, len(p.segs), int(r)}, r < int64(p.tail.N)
	}
	i := sort.Search(len(p.segs), func(i int) bool { return p.segs[i].Base > id }) - 1
	if i < 0 {
		return place{}, false
	}
	row, ok := p.segs[i].Row(id)
	return place{p, i, row}, ok
}

func (p place) deleted() bool {
	if p.seg == len(p.part.segs) {
		return p.part.tailDel.Has(p.row)
	}
	return p.part.segs[p.seg].Del.Has(p.row)
}

// alive reports whether v has the row and has not deleted it.
func (v *version) alive(id int64) bool {
	p, ok := v.find(id)
	return ok && !p.deleted()
}

// delete marks rows as deleted in v, which must not be shared yet. ids must be ascending and
// distinct. It returns the ids of rows that were alive; missing is set if any were not.
func (v *version) delete(ids []int64) (gone []int64, missing bool) {
	gone = make([]int64, 0, len(ids))
	rows := make([]int, 0, min(len(ids), v.segRows))
	var at place
	var copied, ownCopied bool
	flush := func() {
		switch {
		case len(rows) == 0:
		case at.part == v:
			v.deleteIn(at.seg, rows, &copied)
		default:
			if !ownCopied {
				v.own = v.own.successor()
				v.own.segs = append([]segment.Sealed(nil), v.own.segs...)
				ownCopied = true
			}
			v.own.deleteIn(at.seg, rows, &ownCopied)
		}
		rows = rows[:0]
	}
	for _, id := range ids {
		p, ok := v.locate(id, &at)
		if !ok || p.deleted() {
			missing = true
			continue
		}
		if p.seg != at.seg || p.part != at.part {
			flush()
			at = p
		}
		gone = append(gone, id)
		rows = append(rows, p.row)
	}
	flush()
	v.churn += int64(len(gone))
	return gone, missing
}

// locate is like find, but tries the segment of guess first.
func (v *version) locate(id int64, guess *place) (place, bool) {
	if guess.part != nil && guess.seg < len(guess.part.segs) {
		if row, ok := guess.part.segs[guess.seg].Row(id); ok {
			return place{guess.part, guess.seg, row}, true
		}
	}
	return v.find(id)
}

func (v *version) deleteIn(seg int, rows []int, copied *bool) {
	if seg == len(v.segs) {
		v.tailDel = v.tailDel.With(rows)
		return
	}
	if !*copied {
		v.segs = append([]segment.Sealed(nil), v.segs...)
		*copied = true
	}
	v.segs[seg].Del = v.segs[seg].Del.With(rows)
}

// Summary implements catalog.Summarizer.
func (v *version) Summary() catalog.Summary {
	return catalog.Summary{Rows: v.rows(), Bytes: v.memory(), NextID: v.auto.Load() + 1, Created: v.created}
}
