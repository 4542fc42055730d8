package durable

import (
	"slices"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/chainlog"
	"gsql/storage/segment"
)

// span is a run of commits whose changes can be repeated together: they add and delete rows and set
// counters, nothing else. Ids are never used twice, so that all rows of the span can be added before
// any are deleted.
type span struct {
	records []chainlog.Record
	first   uint64     // number of the first commit
	tables  []*changes // nil if the commits must be repeated one by one
}

// changes are what the commits of a span do to a table.
type changes struct {
	table   uint64
	def     *definition
	added   []addition
	runs    []rowRun // the same, decoded
	deleted []int64
	counter uint64 // last AUTO_INCREMENT value
	counted bool   // a commit has set it
}

// addition are the rows that a commit adds, in the form of the log. It has no pointers: there are
// many, and the garbage collector would follow them.
type addition struct {
	first    int64
	n        int
	record   int // place of the commit in the span
	from, to int // place of the rows in the record
}

// additions has slices for further spans.
var additions sync.Pool

func takeAdditions() []addition {
	if x, ok := additions.Get().(*[]addition); ok {
		return (*x)[:0]
	}
	return nil
}

// rowRun are rows with consecutive ids.
type rowRun struct {
	first  int64
	blocks []filled
}

// filled is a block, all of whose rows are used.
type filled struct {
	*segment.Block
	text int64 // bytes of the texts
}

// definition is what the rows of a table are decoded by.
type definition struct {
	schema      *catalog.Schema
	segmentRows int
}

// divide divides commits into spans and decodes their rows. It may run in several goroutines, while
// earlier commits are still being repeated: a span whose definitions turn out not to be those of
// its tables is repeated commit by commit.
func (r *replay) divide(records []chainlog.Record) []span {
	var out []span
	b := spanBuilder{known: map[uint64]*changes{}}
	for at := range records {
		if b.add(records[at].Contents) {
			continue
		}
		out = b.end(out, records, at)
		if !b.add(records[at].Contents) {
			out = append(out, span{records: records[at : at+1]})
			b.from = at + 1
		}
	}
	out = b.end(out, records, len(records))
	for i := range out {
		if sqlerr.Guard(func() error { return r.decode(&out[i]) }) != nil {
			out[i].tables = nil // repeating the commits one by one tells what is wrong
		}
	}
	return out
}

// spanBuilder collects the changes of a span.
type spanBuilder struct {
	span
	known map[uint64]*changes
	last  *changes // that were used last
	from  int      // place of the span's first record
	next  uint64   // number of the next commit; 0 if there is none yet
	added int      // commits of the span
	seen  []change // of the record being added
	ids   []int64  // that it deletes
}

// change is a change of a record.
type change struct {
	kind  byte
	table uint64
	addition
	value uint64
	ids   [2]int // the part of spanBuilder.ids
}

// add adds a commit, unless that has changes that do not fit in a span.
func (b *spanBuilder) add(record []byte) bool {
	d := decoder{buf: record}
	number := d.uint()
	if b.next > 0 && number != b.next {
		return false
	}
	b.seen, b.ids = b.seen[:0], b.ids[:0]
	for len(d.buf) > 0 {
		c := change{kind: d.byte(), table: d.uint()}
		switch c.kind {
		case insertRows:
			c.first, c.n = d.int(), int(min(d.uint(), maxRows+1))
			size := len(d.bytes())
			c.record, c.to = b.added, len(record)-len(d.buf)
			c.from = c.to - size
		case deleteRows:
			c.ids[0] = len(b.ids)
			b.ids = d.ascending(b.ids)
			c.ids[1] = len(b.ids)
		case setCounter:
			c.value = d.uint()
		default:
			return false
		}
		b.seen = append(b.seen, c)
	}
	if d.err != nil {
		return false
	}
	if b.next == 0 {
		b.first = number
	}
	b.next = number + 1
	b.added++
	for i := range b.seen {
		b.note(&b.seen[i])
	}
	return true
}

// note adds a change to those of its table.
func (b *spanBuilder) note(c *change) {
	if b.last == nil || b.last.table != c.table {
		if b.last = b.known[c.table]; b.last == nil {
			b.last = &changes{table: c.table, added: takeAdditions()}
			b.known[c.table] = b.last
			b.tables = append(b.tables, b.last)
		}
	}
	switch t := b.last; c.kind {
	case insertRows:
		t.added = append(t.added, c.addition)
	case deleteRows:
		t.deleted = append(t.deleted, b.ids[c.ids[0]:c.ids[1]]...)
	case setCounter:
		t.counter, t.counted = c.value, true
	}
}

// end appends the span up to a record to out, and begins the next one.
func (b *spanBuilder) end(out []span, records []chainlog.Record, at int) []span {
	if at > b.from {
		b.records = records[b.from:at]
		out = append(out, b.span)
	}
	b.span, b.last, b.from, b.next, b.added = span{}, nil, at, 0, 0
	clear(b.known)
	return out
}

// decode decodes the rows of a span.
func (r *replay) decode(s *span) error {
	for _, c := range s.tables {
		if c.def = r.definition(c.table); c.def == nil {
			return errUnknown
		}
		slices.Sort(c.deleted)
		for from := 0; from < len(c.added); {
			to, rows := from+1, c.added[from].n
			for ; to < len(c.added) && c.added[to].first == c.added[to-1].first+int64(c.added[to-1].n); to++ {
				rows += c.added[to].n
			}
			f := filler{account: r.account, def: c.def, left: rows}
			for _, a := range c.added[from:to] {
				if err := f.add(s.records[a.record].Contents[a.from:a.to], a.n); err != nil {
					return err
				}
			}
			f.end()
			c.runs = append(c.runs, rowRun{c.added[from].first, f.out})
			from = to
		}
		done := c.added
		additions.Put(&done)
		c.added = nil
	}
	return nil
}

// filler decodes rows into blocks.
type filler struct {
	account *mem.Account
	def     *definition
	left    int // rows that are still to come
	texts   arena
	memory  []int64 // see decoder
	block   filled
	n       int // rows of the block
	out     []filled
}

// add decodes the n rows of a commit.
func (f *filler) add(encoded []byte, n int) error {
	d := decoder{buf: encoded, memory: f.memory}
	for range d.count(1) {
		rows := d.batchRows()
		if f.block.Block == nil || f.n+rows > f.block.Cap {
			f.end()
			if err := f.begin(rows); err != nil {
				return err
			}
		}
		before := f.texts.bytes
		for _, v := range f.block.Cols {
			if d.vector(v, f.n, rows, &f.texts); d.err != nil {
				return d.err
			}
		}
		text := f.texts.bytes - before
		if err := f.block.Charge(f.account, text); err != nil {
			return err
		}
		f.block.text += text
		f.n, f.left, n = f.n+rows, f.left-rows, n-rows
	}
	if f.memory = d.memory; n != 0 {
		return errUnknown
	}
	return d.err
}

// begin begins a block with memory for at least so many rows.
func (f *filler) begin(rows int) (err error) {
	rows = max(rows, min(f.left, vec.BatchSize, f.def.segmentRows))
	f.block.Block, err = segment.NewBlock(f.account, f.def.schema, rows)
	return err
}

// end adds the block to those that are complete.
func (f *filler) end() {
	if f.n > 0 {
		f.block.Cap = f.n
		f.out = append(f.out, f.block)
	}
	f.block, f.n = filled{}, 0
}
