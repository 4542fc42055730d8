package input

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// pileRows is the number of rows of a pile's store if it has texts.
const pileRows = 1 << 16

// Pile holds the rows that a worker collects. If there are texts, each store has few rows: text
// headers are on the Go heap, where the old arrays of a growing column remain until garbage
// collection.
type Pile struct {
	types  []types.Type
	acct   *mem.Account
	most   int               // the greatest number of rows in a store
	Stores []*colstore.Store // at least one
}

// NewPile makes an empty pile of columns with these types, charged to acct.
func NewPile(ts []types.Type, acct *mem.Account) *Pile {
	p := &Pile{types: ts, acct: acct, most: math.MaxInt32, Stores: []*colstore.Store{colstore.New(ts, acct)}}
	if slices.ContainsFunc(ts, func(t types.Type) bool { return t.Kind() == types.KindStr }) {
		p.most = pileRows
	}
	return p
}

// Append adds rows. On error, p is unchanged.
func (p *Pile) Append(b *vec.Batch) error {
	last := p.Stores[len(p.Stores)-1]
	if n := last.Rows(); n > 0 && n > p.most-b.N {
		last = colstore.New(p.types, p.acct)
		p.Stores = append(p.Stores, last)
	}
	err := last.Append(b)
	if err != nil && last.Rows() == 0 { // release what the first columns took
		last.Free()
	}
	return err
}

// Rows counts the rows.
func (p *Pile) Rows() (n int) {
	for _, s := range p.Stores {
		n += s.Rows()
	}
	return n
}

// Clear drops all stores but one. They must have been freed.
func (p *Pile) Clear() { p.Stores = p.Stores[:1] }
