package storage

import "strings"

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
		if was.table != nil && base.version(was.table) != cur.version(was.table) {
			return conflictError()
		}
	}
	return nil
}
