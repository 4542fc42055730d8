package agg

import (
	"gsql/exec/keyenc"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// choosePacked decides which keys are kept as packed texts, in tables, buffers and on disk: those
// without longer texts in the first batch that some worker meets.
func (o *Operator) choosePacked(keys []*vec.Vector) {
	o.texts = keyenc.NewLongTexts(o.account)
	o.packed = make([]bool, len(keys))
	for i, k := range keys {
		if k.Type.Kind() == types.KindStr && keyenc.AllShort(k) {
			o.packed[i], o.types[i] = true, keyenc.PackedText
		}
	}
}

// packer packs the keys of one worker's batches.
type packer struct {
	o    *Operator
	keys []*vec.Vector
	bufs []vec.Vector
}

func (o *Operator) newPacker() *packer {
	return &packer{o: o, keys: make([]*vec.Vector, len(o.packed)), bufs: make([]vec.Vector, len(o.packed))}
}

// pack returns flat keys as tables hold them, valid until the next call.
func (p *packer) pack(keys []*vec.Vector) ([]*vec.Vector, error) {
	for i, k := range keys {
		if p.o.packed[i] {
			if err := p.o.texts.Pack(k, &p.bufs[i]); err != nil {
				return nil, err
			}
			k = &p.bufs[i]
		}
		p.keys[i] = k
	}
	return p.keys, nil
}
