package join

import "gsql/sql/vec"

// PackedKeys numbers tuples of equality keys: equal tuples, and no others, have equal numbers.
// It is safe for concurrent use.
type PackedKeys struct {
	Bits  int // the numbers are below 1 << Bits
	codes *codes
}

// PackKeys puts the ranges of the keys' values side by side; keys are flat. It gives nil where that
// takes more than so many bits.
func PackKeys(keys []*vec.Vector, nullSafe []bool, bits int) *PackedKeys {
	c := codesOf(keys, nullSafe)
	width, ok := c.pack(keys)
	if !ok || width > bits {
		return nil
	}
	return &PackedKeys{width, c}
}

// KeyPacker computes numbers in one goroutine.
type KeyPacker struct{ coder }

// Packer makes a KeyPacker.
func (p *PackedKeys) Packer() *KeyPacker { return &KeyPacker{coder{codes: p.codes}} }

// Pack writes the numbers of tuples to dst. It marks rows in skip that equal nothing: with NULLs in
// keys that are not null-safe, with NaNs, or with values that the numbered keys do not have; these
// get any number.
func (p *KeyPacker) Pack(keys []*vec.Vector, dst []uint64, skip []bool) { p.encode(keys, dst, skip) }
