package keyindex

import (
	"encoding/binary"
	"hash/maphash"

	"gsql/internal/mem"
	"gsql/sql/collate"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	// longKey is the length of the longest encoded key that an index keeps as it is. It keeps the print of
	// longer ones, as blocks do.
	longKey = 256
	// condensedBytes is the length of a print in place of a key. Encoded keys that happen to have it are
	// replaced, too, so that the length shows what a key is. Few keys have it: those of two integers have 16
	// bytes, those of a UUID 17 or 37.
	condensedBytes = 19
	// hugeText is the length from which a text is not copied to make a key of it.
	hugeText = 64 << 10
)

// Condensed returns an encoded key as it appears in Values.
func Condensed(key []byte) string { return string(condense(key, 0)) }

// condense replaces the key from at on by its print if it is long.
func condense(buf []byte, at int) []byte {
	if n := len(buf) - at; n <= longKey && n != condensedBytes {
		return buf
	}
	return appendPrint(buf[:at], printOfBytes(buf[at:]))
}

func appendPrint(dst []byte, p print) []byte {
	dst = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, p.hi), p.lo)
	return append(dst, make([]byte, condensedBytes-16)...)
}

// appendShort appends the key of row i as it appears in Values.
func (k *Columns) appendShort(dst []byte, cols []*vec.Vector, i int, colls []types.Collation) []byte {
	at := len(dst)
	if !k.isHuge(cols, i) {
		return condense(k.append(dst, cols, i, colls), at)
	}
	h := newHashing()
	if k.pieces(cols, i, colls, h.write); h.n <= longKey {
		return condense(k.append(dst, cols, i, colls), at) // of characters that do not count
	}
	return appendPrint(dst, h.print())
}

// print returns the print of the key of row i. It may use buf, and returns it.
func (k *Columns) print(buf []byte, cols []*vec.Vector, i int, colls []types.Collation) (print, []byte) {
	if !k.isHuge(cols, i) {
		buf = k.append(buf, cols, i, colls)
		return printOfBytes(buf), buf
	}
	h := newHashing()
	k.pieces(cols, i, colls, h.write)
	return h.print(), buf
}

// isHuge reports whether the key of row i has a huge text.
func (k *Columns) isHuge(cols []*vec.Vector, i int) bool {
	for _, c := range k.At {
		if v := cols[c]; v.Str != nil && len(v.Str[i]) > hugeText && (v.Null == nil || !v.Null[i]) {
			return true
		}
	}
	return false
}

// hasHuge reports whether a flat vector of texts has huge ones.
func hasHuge(v *vec.Vector) bool {
	for i, s := range v.Str[:v.N] {
		if len(s) > hugeText && (v.Null == nil || !v.Null[i]) {
			return true
		}
	}
	return false
}

// pieces calls f with the pieces of the encoded key of row i.
func (k *Columns) pieces(cols []*vec.Vector, i int, colls []types.Collation, f func([]byte)) {
	var buf []byte
	for j, c := range k.At {
		v := cols[c]
		if v.Type.Kind() != types.KindStr {
			buf = AppendKey(buf[:0], v, i)
			f(buf)
			continue
		}
		coll, n := types.Bin, 0
		if colls != nil {
			coll = colls[j]
		}
		collate.EachPiece(coll, v.Str[i], func(key []byte) { n += len(key) })
		buf = binary.AppendUvarint(buf[:0], uint64(n))
		f(buf)
		collate.EachPiece(coll, v.Str[i], f)
	}
}

// Making returns how many bytes making the keys of n rows takes at most beside these, which matters for texts whose
// collation keys are not made in pieces.
func (k *Columns) Making(cols []*vec.Vector, n int) (most int64) {
	for j, coll := range k.Collations {
		if coll == types.Bin {
			continue
		}
		v := cols[k.At[j]]
		for i := range n {
			if base, at := v.Slot(i); base.Type.Kind() == types.KindStr && !v.IsNull(i) && len(base.Str[at]) > hugeText {
				most = max(most, collate.PieceCost(coll, base.Str[at]))
			}
		}
	}
	return most
}

// Hold charges n bytes that making keys takes for a while.
func (x *Index) Hold(n int64) (*mem.Holding, error) { return x.account.Hold(n) }

// hashing makes the print of bytes that arrive in pieces.
type hashing struct {
	hi, lo maphash.Hash
	n      int
}

func newHashing() *hashing {
	h := new(hashing)
	h.hi.SetSeed(seeds[0])
	h.lo.SetSeed(seeds[1])
	return h
}

func (h *hashing) write(b []byte) {
	_, _ = h.hi.Write(b) // never fails
	_, _ = h.lo.Write(b)
	h.n += len(b)
}

func (h *hashing) print() print { return print{h.hi.Sum64(), h.lo.Sum64()} }
