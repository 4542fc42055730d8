package session

import (
	"slices"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/storage"
)

// Savepoints are the named states of a transaction, in chronological order.
type Savepoints []savepoint

type savepoint struct {
	name string // in lower case
	mark *storage.Savepoint
}

// Set makes a savepoint of tx and replaces an older one of that name.
func (p *Savepoints) Set(tx *storage.Tx, name string) {
	if i := p.find(name); i >= 0 {
		tx.Release((*p)[i].mark)
		*p = slices.Delete(*p, i, i+1)
	}
	*p = append(*p, savepoint{strings.ToLower(name), tx.Savepoint()})
}

// RollbackTo rolls tx back to a savepoint, which remains, and drops those after it. The error is
// 1305 for an unknown name.
func (p *Savepoints) RollbackTo(tx *storage.Tx, name string) error {
	i := p.find(name)
	if i < 0 {
		return unknownSavepoint(name)
	}
	tx.RollbackTo((*p)[i].mark)
	p.forgetFrom(tx, i+1)
	return nil
}

// Release drops a savepoint of tx and those after it. The error is 1305 for an unknown name.
func (p *Savepoints) Release(tx *storage.Tx, name string) error {
	i := p.find(name)
	if i < 0 {
		return unknownSavepoint(name)
	}
	p.forgetFrom(tx, i)
	return nil
}

func (p *Savepoints) forgetFrom(tx *storage.Tx, i int) {
	for _, x := range (*p)[i:] {
		tx.Release(x.mark)
	}
	*p = (*p)[:i]
}

func (p *Savepoints) find(name string) int {
	name = strings.ToLower(name)
	return slices.IndexFunc(*p, func(x savepoint) bool { return x.name == name })
}

func unknownSavepoint(name string) error {
	return sqlerr.New(sqlerr.SPDoesNotExist, "SAVEPOINT %s does not exist", name)
}
