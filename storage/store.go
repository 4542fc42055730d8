package storage

import (
	"sync"
	"sync/atomic"

	"gsql/internal/mem"
	"gsql/storage/segment"
)

// pageSlots is how many table versions one page of a state holds: a commit copies one
// page and the list of pages.
const pageSlots = 64

// state is all that is committed at one time. It is immutable.
type state struct {
	names  *namespace
	pages  []*[pageSlots]*version
	locked *lockNode // of the last commit of a transaction with locks; an empty one before
}

// Store holds databases. Safe for concurrent use.
type Store struct {
	state atomic.Pointer[state]
	mu    sync.Mutex // held by commits
	free  []int      // slots of dropped tables
	slots int        // slots ever used

	segmentRows int // of the tables made from now on

	mem     *mem.Account // what tables, their keys and their statistics are charged to; nil counts nothing
	dropped dropped
	relief  relief
}

// NewStore makes a store with the empty database DefaultDB. What its tables take is charged to a
// child of account: writes that it refuses end with error 1037. nil counts nothing.
func NewStore(account *mem.Account) *Store {
	s := &Store{segmentRows: segment.DefaultRows}
	if account != nil {
		s.mem = account.Child("the table store")
		account.OnFull(s.relieve)
	}
	s.state.Store(&state{names: newNamespace(), locked: &lockNode{}})
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

// Close drops all databases with their tables. What transactions and results still show of
// them lasts as long as these.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.state.Load()
	ed := was.edit(newNamespace(), &s.dropped)
	for page, versions := range was.pages {
		for i, v := range versions {
			if v != nil {
				ed.set(page*pageSlots+i, nil)
			}
		}
	}
	s.free, s.slots = nil, 0
	s.state.Store(&state{names: ed.next.names, locked: &lockNode{}})
	s.Reclaim()
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

// Charged returns the bytes that tables, their keys and statistics are charged for: of all
// versions that the garbage collector has not found unreachable yet.
func (s *Store) Charged() int64 {
	if s.mem == nil {
		return 0
	}
	return s.mem.Used()
}

// version returns the contents of a table, nil when it was dropped or is not committed.
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
	return &editor{next: &state{names: names, pages: st.pages, locked: st.locked}, dropped: d}
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
