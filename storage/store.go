package storage

import (
	"sync"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/storage/segment"
)

// pageSlots is the number of table versions in a page of a state. A commit copies one page and
// the list of pages.
const pageSlots = 64

// state is everything committed at one time. It is immutable.
type state struct {
	seq    uint64 // number of the commit that made it
	names  *namespace
	pages  []*[pageSlots]*version
	locked *lockNode // locks of the last commit with locks, initially an empty node
}

// Store holds databases. It is safe for concurrent use.
type Store struct {
	state atomic.Pointer[state] // what transactions begin with
	mu    sync.Mutex            // held by commits
	head  *state                // after the last commit, which may not be durable yet; guarded by mu
	free  []int                 // slots of dropped tables
	slots int                   // slots ever used

	segmentRows int           // for tables created from now on
	tables      atomic.Uint64 // last id given to a table

	journal *journal // nil if tables are kept in memory only
	reader  bool     // another process may change the directory
	rules   Rules    // of recovered tables; may be nil

	mem     *mem.Account // charged for tables, their keys and their statistics; nil counts nothing
	dropped dropped
	relief  relief
}

// NewStore returns a store with the empty database DefaultDB. Memory of its tables is charged to
// a child of account; writes whose charge is refused fail with error 1037. A nil account counts
// nothing.
func NewStore(account *mem.Account) *Store {
	s := &Store{segmentRows: segment.DefaultRows}
	if account != nil {
		s.mem = account.Child("the table store")
		account.OnFull(s.relieve)
	}
	s.publish(&state{names: newNamespace(), locked: &lockNode{}})
	return s
}

// publish makes st the state that transactions begin with, and the last one. The caller holds mu,
// or is alone.
func (s *Store) publish(st *state) {
	s.head = st
	s.state.Store(st)
}

// SetSegmentRows sets the number of rows per segment for tables created from now on. It is for
// tests with small tables and not safe for concurrent use.
func (s *Store) SetSegmentRows(n int) { s.segmentRows = n }

// Begin starts a transaction on a snapshot of the committed state. It is cheap enough to be
// called for each statement. The transaction must be ended with Commit or Rollback; a forgotten
// one only retains memory.
func (s *Store) Begin() *Tx {
	st := s.state.Load()
	return &Tx{store: s, base: st, names: st.names, db: DefaultDB}
}

// Close drops all databases with their tables from memory. Data that transactions and results still
// refer to lives as long as they do. A directory gets a last checkpoint; the error is that of
// writing it, after which the next Open repeats the commits of the log.
func (s *Store) Close() error {
	err := s.closeJournal()
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.head
	ed := was.edit(newNamespace(), &s.dropped)
	for page, versions := range was.pages {
		for i, v := range versions {
			if v != nil {
				ed.set(page*pageSlots+i, nil)
			}
		}
	}
	s.free, s.slots = nil, 0
	s.publish(&state{seq: was.seq, names: ed.next.names, locked: &lockNode{}})
	s.Reclaim()
	return err
}

// Bytes estimates the memory held by the committed tables.
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

// Charged returns the bytes charged for tables, their keys and statistics, of all versions that
// the garbage collector has not yet found unreachable.
func (s *Store) Charged() int64 {
	if s.mem == nil {
		return 0
	}
	return s.mem.Used()
}

// version returns the contents of a table, or nil if it was dropped or is not committed.
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

// editor builds the successor of a state.
type editor struct {
	next    *state
	copied  map[int]bool // pages already copied
	dropped *dropped
}

func (st *state) edit(names *namespace, d *dropped) *editor {
	return &editor{next: &state{seq: st.seq + 1, names: names, pages: st.pages, locked: st.locked}, dropped: d}
}

// set stores v, or nil, in a slot.
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
