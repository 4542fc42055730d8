package keytable

import (
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Keys numbers different keys from 0 in the order in which they were first met, NULL being
// equal to NULL and texts byte by byte. It is for one goroutine.
type Keys struct {
	table  *Table
	direct *Direct
}

// NewKeys makes an empty set of keys of these types, of which there is one at least, for about
// so many rows. Its memory is charged to the account.
func NewKeys(ts []types.Type, rows float64, account *mem.Account) *Keys {
	return &Keys{table: New(ts, account), direct: NewDirect(ts, rows)}
}

// Find returns the number of each row's key; the vectors have any form. The error is the
// account's refusal.
func (k *Keys) Find(keys []*vec.Vector, numbers []int32) error {
	return k.direct.Find(k.table, keys, numbers)
}

// Len returns the number of different keys.
func (k *Keys) Len() int { return k.table.Groups }

// Free returns the memory.
func (k *Keys) Free() { k.table.Free() }
