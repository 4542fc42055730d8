package keyenc

import "gsql/sql/vec"

// PackedKeys numbers tuples of equality keys: only equal tuples have equal numbers. It is safe
// for concurrent use.
type PackedKeys struct {
	Bits  int // the numbers are below 1 << Bits
	codes *Encoding
}

// PackKeys packs the ranges of the keys' values side by side. The keys are flat. It returns nil
// if the numbers need more than bits bits.
func PackKeys(keys []*vec.Vector, nullSafe []bool, bits int) *PackedKeys {
	c := encodingOf(keys, nullSafe)
	width, ok := c.pack(keys)
	if !ok || width > bits {
		return nil
	}
	return &PackedKeys{width, c}
}

// KeyPacker computes numbers in one goroutine.
type KeyPacker struct{ Encoder }

// Packer makes a KeyPacker.
func (p *PackedKeys) Packer() *KeyPacker { return &KeyPacker{Encoder{Encoding: p.codes}} }

// Pack writes the numbers of tuples to dst. It marks in skip, which must be clear, the rows that
// equal nothing: those with NULLs in keys that are not null-safe, with NaNs, or with values that
// do not occur in the numbered keys. Their numbers are arbitrary.
func (p *KeyPacker) Pack(keys []*vec.Vector, dst []uint64, skip []bool) { p.Encode(keys, dst, skip) }
