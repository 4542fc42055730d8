// Package storage keeps tables in memory: columnar segments, snapshots for readers,
// transactions, keys and statistics.
//
// All committed data hang off one immutable state that a commit replaces; a snapshot is
// a pointer to a state, and the garbage collector frees what no snapshot needs. A
// table version is a list of segments, each with a copy-on-write set of deleted rows,
// and an append-only tail that takes small inserts until it is sealed as a segment.
package storage

import (
	"sync"
	"sync/atomic"
)

// pageSlots is how many table versions one page of a state holds: a commit copies one
// page and the list of pages.
const pageSlots = 64

// state is all that is committed at one time. It is immutable.
type state struct {
	names *namespace
	pages []*[pageSlots]*version
}

// Store holds databases. Safe for concurrent use.
type Store struct {
	state atomic.Pointer[state]
	mu    sync.Mutex // held by commits
	free  []int      // slots of dropped tables
	slots int        // slots ever used

	segmentRows int // of the tables made from now on

	dropped dropped
}

// NewStore makes a store with the empty database DefaultDB.
func NewStore() *Store {
	s := &Store{segmentRows: segmentRows}
	s.state.Store(&state{names: newNamespace()})
	return s
}

// SetSegmentRows makes tables that are created from now on be cut into segments of so many
// rows. It is for tests, which have small tables, and not safe for concurrent use.
func (s *Store) SetSegmentRows(n int) { s.segmentRows = n }

// Begin starts a transaction on a snapshot of what is committed now. It costs little
// enough to be done for each statement. The transaction must be ended with Commit or
// Rollback; one that is forgotten only keeps memory.
func (s *Store) Begin() *Tx {
	st := s.state.Load()
	return &Tx{store: s, base: st, names: st.names, db: DefaultDB}
}

// Bytes estimates the memory that the committed tables take.
func (s *Store) Bytes() int64 {
	total := int64(0)
	for _, p := range s.state.Load().pages {
		for _, v := range p {
			if v != nil {
				total += v.memory()
			}
		}
	}
	return total
}

// version gives the contents of a table, nil when it was dropped or is not committed.
func (st *state) version(t *table) *version {
	slot := int(t.slot.Load())
	if slot < 0 || slot/pageSlots >= len(st.pages) {
		return nil
	}
	v := st.pages[slot/pageSlots][slot%pageSlots]
	if v == nil || v.table != t {
		return nil
	}
	return v
}

// editor makes the successor of a state.
type editor struct {
	next    *state
	copied  map[int]bool // pages that are ours already
	dropped *dropped
}

func (st *state) edit(names *namespace, d *dropped) *editor {
	return &editor{next: &state{names: names, pages: st.pages}, dropped: d}
}

// set puts v, nil for none, into a slot.
func (e *editor) set(slot int, v *version) {
	page := slot / pageSlots
	if e.copied == nil {
		e.copied = make(map[int]bool, 1)
		e.next.pages = append([]*[pageSlots]*version(nil), e.next.pages...)
	}
	for page >= len(e.next.pages) {
		e.next.pages = append(e.next.pages, new([pageSlots]*version))
	}
	if !e.copied[page] {
		fresh := *e.next.pages[page]
		e.next.pages[page] = &fresh
		e.copied[page] = true
	}
	was := e.next.pages[page][slot%pageSlots]
	e.next.pages[page][slot%pageSlots] = v
	e.dropped.count(was, v)
}
