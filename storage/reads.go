package storage

import "strings"

// readNames is what a serializable transaction has looked up. Its commit checks that all of
// it is as it was, so that the transaction reads and writes as if at that one moment.
type readNames struct {
	objects map[objectName]bool
	lists   bool // of databases or tables
}

type objectName struct{ db, name string }

// Serializable makes the commit of the transaction fail with error 1213 when it has changes,
// or locks, and a table that it has looked up was changed by a commit since it began. It must
// be called before the transaction is used.
func (tx *Tx) Serializable() { tx.reads = &readNames{objects: map[objectName]bool{}} }

// IsSerializable is true after Serializable.
func (tx *Tx) IsSerializable() bool { return tx.reads != nil }

// noteRead notes that a name was looked up.
func (tx *Tx) noteRead(db, name string) {
	if tx.reads != nil {
		tx.reads.objects[objectName{strings.ToLower(db), strings.ToLower(name)}] = true
	}
}

// noteLists notes that names were listed.
func (tx *Tx) noteLists() {
	if tx.reads != nil {
		tx.reads.lists = true
	}
}

// checkReads is error 1213 when something that a serializable transaction has read is no more
// as it was.
func (tx *Tx) checkReads(cur *state) error {
	if tx.reads == nil || cur == tx.base {
		return nil
	}
	if tx.reads.lists && cur.names != tx.base.names {
		return conflictError()
	}
	for n := range tx.reads.objects {
		was, _ := tx.base.names.lookup(n.db, n.name) // an object without table and view where there is none
		now, _ := cur.names.lookup(n.db, n.name)
		if was.table != now.table || was.view != now.view {
			return conflictError()
		}
		if was.table != nil && tx.base.version(was.table) != cur.version(was.table) {
			return conflictError()
		}
	}
	return nil
}
