package storage

import (
	"strings"
	"sync/atomic"

	"gsql/sql/catalog"
	"gsql/storage/rowset"
)

// tableLocks holds the rows of one table that a transaction has read for update or for share. They
// never block: conflicts with other transactions are detected when this one commits.
type tableLocks struct {
	table     *table
	exclusive rowset.IDs
	shared    rowset.IDs
	whole     lockKind // all rows, including future ones
	inserts   bool     // the transaction has added rows
}

// lockKind is the kind of a row lock.
type lockKind uint8

const (
	unlocked lockKind = iota
	forShare
	forUpdate
)

// lockNode holds the locks of a committed transaction. Nodes form a list in commit order. A state
// refers to the last node at its time, so the nodes after that one belong to commits that a
// snapshot of the state does not see. Nodes that no snapshot can reach are garbage.
type lockNode struct {
	locks []*tableLocks
	next  atomic.Pointer[lockNode]
}

// LockRows records that the transaction has read rows by their ids, for share or for update. The
// transaction can only commit if the rows are unchanged and no transaction that it does not see
// holds a conflicting lock on them.
func (tx *Tx) LockRows(tbl catalog.Table, ids []int64, share bool) {
	v, ok := tbl.(*version)
	if !ok || len(ids) == 0 {
		return
	}
	l := locksOf(tx, v.table)
	set := &l.exclusive
	if share {
		set = &l.shared
	}
	for _, id := range ids {
		if id < ownBase {
			set.Add(id)
		}
	}
}

// LockTable is like LockRows for all rows of a table, including those that other transactions
// add.
func (tx *Tx) LockTable(tbl catalog.Table, share bool) {
	v, ok := tbl.(*version)
	if !ok {
		return
	}
	kind := forUpdate
	if share {
		kind = forShare
	}
	l := locksOf(tx, v.table)
	l.whole = max(l.whole, kind)
}

func locksOf(tx *Tx, t *table) *tableLocks {
	for _, l := range tx.locks {
		if l.table == t {
			return l
		}
	}
	l := &tableLocks{table: t}
	tx.locks = append(tx.locks, l)
	return l
}

// checkLocks returns error 1213 if the transaction's locks and changes conflict with commits
// since it began.
func checkLocks(tx *Tx, cur *state) error {
	for _, l := range tx.locks {
		if l.overtaken(tx.base, cur) {
			return conflictError()
		}
	}
	var mine []*tableLocks
	for n := tx.base.locked.next.Load(); n != nil; n = n.next.Load() {
		if mine == nil {
			mine = touched(tx)
		}
		for _, theirs := range n.locks {
			for _, l := range mine {
				if l.table == theirs.table && l.excludes(theirs) {
					return conflictError()
				}
			}
		}
	}
	return nil
}

// touched returns the transaction's locks, counting the rows that it has changed as locked for
// update.
func touched(tx *Tx) []*tableLocks {
	var out []*tableLocks
	for _, l := range tx.locks {
		both := *l
		both.exclusive = l.exclusive.Clone()
		out = append(out, &both)
	}
	for _, w := range tx.writes {
		if w.created {
			continue
		}
		l := &tableLocks{table: w.base.table}
		l.exclusive.Add(w.deleted...)
		l.inserts = w.view.own != nil
		if w.cleared || w.altered || w.dropped {
			l.whole = forUpdate
		}
		out = append(out, l)
	}
	return out
}

// overtaken reports whether locked rows have been changed since base.
func (l *tableLocks) overtaken(base, cur *state) bool {
	was, now := base.version(l.table), cur.version(l.table)
	switch {
	case same(was, now) || was == nil: // or the transaction created the table
		return false
	case now == nil || now.schema != was.schema || l.whole != unlocked:
		return true
	}
	for _, set := range []*rowset.IDs{&l.exclusive, &l.shared} {
		for _, r := range set.Ranges() {
			if !now.allAlive(r) {
				return true
			}
		}
	}
	return false
}

// excludes reports whether the locks of two transactions on a table conflict.
func (l *tableLocks) excludes(other *tableLocks) bool {
	return l.against(other) || other.against(l)
}

// against reports whether the locks for update of l conflict with the locks of other.
func (l *tableLocks) against(other *tableLocks) bool {
	mine := l.exclusive.Ranges()
	theirs, shared := other.exclusive.Ranges(), other.shared.Ranges()
	switch {
	case l.whole == forUpdate:
		return other.whole != unlocked || len(theirs)+len(shared) > 0
	case other.whole != unlocked:
		return l.inserts || len(mine) > 0
	}
	return rowset.Overlap(mine, theirs) || rowset.Overlap(mine, shared)
}

// publishLocks makes the transaction's locks known to transactions that do not see its commit.
func publishLocks(tx *Tx, next *state) {
	if len(tx.locks) == 0 {
		return
	}
	for _, l := range tx.locks { // sort now: from here on the sets are only read
		l.exclusive.Ranges()
		l.shared.Ranges()
	}
	n := &lockNode{locks: tx.locks}
	next.locked.next.Store(n)
	next.locked = n
}

// allAlive reports whether all rows of a range of an earlier version's rows are alive in v.
func (v *version) allAlive(r rowset.Range) bool {
	for id := r.From; id <= r.To; id++ {
		if !v.alive(id) {
			return false
		}
	}
	return true
}

// readNames is the set of names that a serializable transaction has looked up. Its commit checks
// that they are unchanged, so that all its reads and writes appear to happen at that moment.
type readNames struct {
	objects map[objectName]bool
	lists   bool // database names or table names were listed
}

type objectName struct{ db, name string }

// Serializable makes the commit fail with error 1213 if the transaction has changes or locks and
// a commit since it began has changed a table that it has looked up. It must be called before the
// transaction is used.
func (tx *Tx) Serializable() { tx.reads = &readNames{objects: map[objectName]bool{}} }

// IsSerializable reports whether Serializable was called.
func (tx *Tx) IsSerializable() bool { return tx.reads != nil }

// note records that a name was looked up. It may be called on nil.
func (r *readNames) note(db, name string) {
	if r != nil {
		r.objects[objectName{strings.ToLower(db), strings.ToLower(name)}] = true
	}
}

// noteLists records that names were listed. It may be called on nil.
func (r *readNames) noteLists() {
	if r != nil {
		r.lists = true
	}
}

// check returns error 1213 if anything that a serializable transaction has read since base differs
// in cur. It may be called on nil.
func (r *readNames) check(base, cur *state) error {
	if r == nil || cur == base {
		return nil
	}
	if r.lists && cur.names != base.names {
		return conflictError()
	}
	for n := range r.objects {
		was, _ := base.names.lookup(n.db, n.name) // zero if there is no such object
		now, _ := cur.names.lookup(n.db, n.name)
		if was.table != now.table || was.view != now.view {
			return conflictError()
		}
		if was.table != nil && !same(base.version(was.table), cur.version(was.table)) {
			return conflictError()
		}
	}
	return nil
}

// same reports whether two versions have the same contents; either may be nil.
func same(a, b *version) bool {
	return a == b || a != nil && b != nil && a.id == b.id
}
