package storage

import (
	"context"

	"gsql/sql/sqlerr"
	"gsql/storage/contents"
)

// Commit makes the transaction's writes visible atomically. The first committer wins. Commit
// returns error 1213 (try again) if, since the transaction began, another one has changed a row
// that this one changed or locked, or, if this one is serializable, anything that it has read. It
// returns 1062 if another transaction took a key, and 1146 if a table was dropped. After an error
// nothing has changed and the transaction has ended.
func (tx *Tx) Commit() error { return tx.CommitWithin(context.Background(), nil) }

// CommitWithin is like Commit, but ends with error 1317 if ctx ends while it writes segments to files, before
// the commit is logged. It reports to w, which may be nil, what it has written.
func (tx *Tx) CommitWithin(ctx context.Context, w *Writing) error {
	if tx.done {
		return errDone
	}
	defer tx.Rollback()
	if !tx.Writes() && len(tx.locks) == 0 {
		return nil
	}
	entry, err := prepare(ctx, tx, w)
	if err != nil {
		return err
	}
	defer entry.release()
	next, err := tx.commit(entry)
	if err != nil {
		return err
	}
	tx.end()
	return entry.publish(next)
}

// commit applies the transaction's writes to the last state. The result is published at once if
// there is no journal, otherwise when it is durable.
func (tx *Tx) commit(entry *entry) (*state, error) {
	s := tx.store
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.head
	if err := tx.reads.check(tx.base, cur); err != nil {
		return nil, err
	}
	if err := checkLocks(tx, cur); err != nil {
		return nil, err
	}
	names, err := tx.namesAfter(cur)
	if err != nil {
		return nil, err
	}
	merges := make([]merged, 0, len(tx.writes))
	for _, w := range tx.writes {
		m, err := w.merge(cur)
		if err != nil {
			return nil, err
		}
		merges = append(merges, m)
	}
	ed := cur.edit(names, &s.dropped)
	if err := entry.log(cur, ed.next, merges); err != nil {
		return nil, err
	}
	for _, m := range merges {
		s.place(ed, m)
	}
	s.freeDropped(cur, ed, merges)
	publishLocks(tx, ed.next)
	if s.head = ed.next; entry == nil {
		s.state.Store(ed.next)
	}
	return ed.next, nil
}

// namesAfter returns the namespace after the transaction's changes.
func (tx *Tx) namesAfter(cur *state) (*namespace, error) {
	if len(tx.changes) == 0 {
		return cur.names, nil
	}
	if cur.names == tx.base.names {
		return tx.names, nil
	}
	n := cur.names
	for _, c := range tx.changes {
		var err error
		if n, err = c(n); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// merged is the version that a write results in.
type merged struct {
	w       *write
	version *version      // nil when the table is dropped
	before  contents.Rows // without the transaction's own rows
	next    int64         // id of the first of these
	shift   int64         // added to their ids
}

// place puts a merged version into the next state and publishes its keys.
func (s *Store) place(ed *editor, m merged) {
	v := m.version
	if v == nil {
		return
	}
	slot := int(v.table.slot.Load())
	if slot < 0 {
		slot = s.newSlot()
		v.table.slot.Store(int64(slot))
	}
	v.committed = v.id
	if n := m.w.newCounter(); n != nil {
		v.table.auto.Store(*n)
	}
	for i := range m.w.local {
		v.keys[i].publish(m.w.local[i], m.w.view, v, m.shift)
	}
	ed.set(slot, v)
}

// newCounter returns the AUTO_INCREMENT counter that the commit of w sets, or nil.
func (w *write) newCounter() *uint64 {
	if w.counter == nil && w.cleared && !w.created {
		return new(uint64)
	}
	return w.counter
}

func (s *Store) newSlot() int {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	s.slots++
	return s.slots - 1
}

// freeDropped empties the slots of tables that no longer have a name: those removed from a shard,
// and new tables whose database the transaction dropped again.
func (s *Store) freeDropped(cur *state, ed *editor, merges []merged) {
	if ed.next.names == cur.names {
		return
	}
	for key, was := range cur.names.dbs {
		now := ed.next.names.dbs[key]
		if now == was {
			continue
		}
		for i, sh := range was.shards {
			if sh == nil || now != nil && now.shards[i] == sh {
				continue
			}
			for _, o := range sh.objects {
				s.freeUnnamed(ed, o.table)
			}
		}
	}
	for _, m := range merges {
		if m.version != nil {
			s.freeUnnamed(ed, m.version.table)
		}
	}
}

// freeUnnamed empties the slot of a table, if it has one, unless a name refers to the table.
func (s *Store) freeUnnamed(ed *editor, t *table) {
	if t == nil || ed.next.version(t) == nil || ed.next.names.has(t) {
		return
	}
	slot := int(t.slot.Load())
	ed.set(slot, nil)
	s.free = append(s.free, slot)
}

// merge returns the result of applying w to the committed version. It changes nothing that other
// transactions see.
func (w *write) merge(cur *state) (merged, error) {
	if w.dropped {
		return merged{w: w}, nil
	}
	now := w.base
	if !w.created {
		if now = cur.version(w.base.table); now == nil {
			return merged{}, noSuchTable(w.base.table)
		}
	}
	next, err := w.rebase(now)
	if err != nil {
		return merged{}, err
	}
	next.own = nil
	disownStats(next)
	if now.id != w.checked {
		if err := w.recheck(next); err != nil {
			return merged{}, err
		}
	}
	m := merged{w: w, version: next, before: next.Rows, next: next.nextRow}
	m.shift, err = next.adopt(w.view.own)
	return m, err
}

// rebase repeats w's deletions on now.
func (w *write) rebase(now *version) (*version, error) {
	if now.id == w.base.id {
		return w.view.successor(), nil
	}
	if w.cleared || w.altered || now.schema != w.base.schema {
		return nil, conflictError()
	}
	ids, err := ascending(context.Background(), w.deleted)
	if err != nil {
		return nil, err
	}
	next := now.successor()
	if _, missing := next.delete(ids); missing {
		return nil, conflictError()
	}
	return next, nil
}

func conflictError() error {
	return sqlerr.New(sqlerr.WriteConflict, "Deadlock found when trying to get lock; try restarting transaction").
		WithHint("Another transaction changed the same rows first, so that this one was rolled back; run it again from its beginning.")
}

// recheck looks for keys that others have committed since w's rows were checked.
func (w *write) recheck(next *version) error {
	for i := range w.local {
		id, found := next.keys[i].conflict(w.local[i], w.view, next)
		if found && w.matched {
			return conflictError()
		}
		if found {
			return next.keys[i].duplicateRow(w.view, id)
		}
	}
	return nil
}

// adopt adds a transaction's own rows to v and returns the shift of their ids.
func (v *version) adopt(own *contents.Rows) (shift int64, err error) {
	shift = v.nextRow - ownBase
	v.nextRow, err = v.Rows.Adopt(v.shape(), own, v.nextRow, ownBase)
	return shift, err
}
