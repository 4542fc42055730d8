package keytable

import (
	"gsql/exec/keyenc"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Packing records which keys are kept as packed texts, and holds their longer texts.
type Packing struct {
	Texts  *keyenc.LongTexts
	packed []bool // by key
}

// NewPacking packs the keys that are texts and have no longer texts in this batch.
func NewPacking(keys []*vec.Vector, account *mem.Account) *Packing {
	p := &Packing{Texts: keyenc.NewLongTexts(account), packed: make([]bool, len(keys))}
	for i, k := range keys {
		p.packed[i] = k.Type.Kind() == types.KindStr && keyenc.AllShort(k)
	}
	return p
}

// Packs reports whether key i is kept as packed texts.
func (p *Packing) Packs(i int) bool { return p.packed[i] }

// Packer packs the keys of one worker's batches.
type Packer struct {
	of   *Packing
	keys []*vec.Vector
	bufs []vec.Vector
}

// NewPacker makes the packer of a worker.
func (p *Packing) NewPacker() *Packer {
	return &Packer{of: p, keys: make([]*vec.Vector, len(p.packed)), bufs: make([]vec.Vector, len(p.packed))}
}

// Pack returns the keys in the form in which tables hold them, flat and valid until the next
// call.
func (p *Packer) Pack(keys []*vec.Vector) ([]*vec.Vector, error) {
	for i, k := range keys {
		if p.of.packed[i] {
			if err := p.of.Texts.Pack(k, &p.bufs[i]); err != nil {
				return nil, err
			}
			k = &p.bufs[i]
		}
		p.keys[i] = k
	}
	return p.keys, nil
}

// DropTexts drops the references to the last batch's keys. It may be called on nil.
func (p *Packer) DropTexts() {
	if p != nil {
		clear(p.keys)
	}
}
