package keytable

import (
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Keys numbers distinct keys from 0 in the order in which they first occur. NULL equals NULL, and
// texts are compared byte by byte. It is for one goroutine.
type Keys struct {
	table  *Table
	direct *Direct
}

// NewKeys makes an empty set of keys of the types ts, of which there must be at least one, for
// about rows rows. Its memory is charged to the account.
func NewKeys(ts []types.Type, rows float64, account *mem.Account) *Keys {
	return &Keys{table: New(ts, account), direct: NewDirect(ts, rows)}
}

// Find returns the number of each row's key. The vectors may have any form. It returns the
// account's error if memory is refused.
func (k *Keys) Find(keys []*vec.Vector, numbers []int32) error {
	return k.direct.Find(k.table, keys, numbers)
}

// Len returns the number of distinct keys.
func (k *Keys) Len() int { return k.table.Groups }

// Free releases the memory.
func (k *Keys) Free() { k.table.Free() }
