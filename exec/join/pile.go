package join

import (
	"math"
	"slices"

	"gsql/exec/colstore"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// pileRows is how many rows with texts a store of a pile has.
const pileRows = 1 << 16

// pile is the rows that a worker collects. Texts are in stores of few rows: they lie on the Go heap,
// where what a long column outgrew by copying stays until the garbage is collected.
type pile struct {
	types  []types.Type
	acct   *mem.Account
	most   int               // rows of a store
	stores []*colstore.Store // at least one
}

func newPile(ts []types.Type, acct *mem.Account) *pile {
	p := &pile{types: ts, acct: acct, most: math.MaxInt32, stores: []*colstore.Store{colstore.New(ts, acct)}}
	if slices.ContainsFunc(ts, func(t types.Type) bool { return t.Kind() == types.KindStr }) {
		p.most = pileRows
	}
	return p
}

// Append adds rows. After an error p is as it was.
func (p *pile) Append(b *vec.Batch) error {
	last := p.stores[len(p.stores)-1]
	if n := last.Rows(); n > 0 && n > p.most-b.N {
		last = colstore.New(p.types, p.acct)
		p.stores = append(p.stores, last)
	}
	err := last.Append(b)
	if err != nil && last.Rows() == 0 { // what some columns took is room for others
		last.Free()
	}
	return err
}

// Rows counts the rows.
func (p *pile) Rows() (n int) {
	for _, s := range p.stores {
		n += s.Rows()
	}
	return n
}

// clear drops the stores, which are free, but for one to go on with.
func (p *pile) clear() { p.stores = p.stores[:1] }
