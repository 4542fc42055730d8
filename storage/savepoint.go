package storage

// Savepoint is a state of a transaction that can be restored, for statements that fail half way
// and for SQL's SAVEPOINT.
type Savepoint struct {
	names   *namespace
	changes int
	writes  []*write
	were    []write // the contents of writes
	undo    int
	db      string
}

// Savepoint records the transaction's current state. It is cheap. Release ends its use.
func (tx *Tx) Savepoint() *Savepoint {
	sp := &Savepoint{names: tx.names, changes: len(tx.changes), writes: tx.writes[:len(tx.writes):len(tx.writes)], undo: len(tx.undo), db: tx.db}
	for _, w := range tx.writes {
		sp.were = append(sp.were, *w)
	}
	tx.marks++
	return sp
}

// RollbackTo undoes all changes since sp, which stays in use. AUTO_INCREMENT values are not
// reused.
func (tx *Tx) RollbackTo(sp *Savepoint) {
	if tx.done {
		return
	}
	if len(tx.writes) > 0 {
		tx.store.relief.undone.Store(true)
	}
	undoAll(tx.undo[sp.undo:])
	tx.undo = tx.undo[:sp.undo]
	tx.names, tx.changes, tx.db = sp.names, tx.changes[:sp.changes:sp.changes], sp.db
	for i, w := range sp.writes {
		*w = sp.were[i]
	}
	tx.writes = sp.writes
}

// Release ends the use of a savepoint. Later savepoints must already have been released or must
// not be used again.
func (tx *Tx) Release(*Savepoint) {
	if tx.marks--; tx.marks == 0 {
		tx.undo = nil
	}
}

// keepUndo keeps the undo steps of a statement while there are savepoints.
func (tx *Tx) keepUndo(undo []func()) {
	if tx.marks > 0 {
		tx.undo = append(tx.undo, undo...)
	}
}
