package segfile

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/segfile/pack"
)

// boundBytes is the length to which bounds of texts are cut, if that leaves them bounds.
const boundBytes = 32

// A side of a range.
type side int

const (
	lower side = iota
	upper
)

// appendBound appends a bound of a column's values.
func appendBound(dst []byte, d *catalog.Datum, at side) []byte {
	switch d.Type.Kind() {
	case types.KindF64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.F64))
	case types.KindDec:
		dst = binary.AppendVarint(dst, d.Dec.HighBits())
		return binary.AppendUvarint(dst, d.Dec.LowBits())
	case types.KindStr:
		s := cut(d.Str, at)
		return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	return binary.AppendVarint(dst, d.I64)
}

// readBound reads a bound of values of type t.
func readBound(r *pack.Reader, t types.Type) catalog.Datum {
	d := catalog.Datum{Type: t}
	switch t.Kind() {
	case types.KindF64:
		if b := r.Take(8); b != nil {
			d.F64 = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	case types.KindDec:
		high := r.Varint()
		d.Dec = decimal128.New(high, r.Uvarint())
	case types.KindStr:
		d.Str = string(r.Take(r.Count(math.MaxInt32)))
	default:
		d.I64 = r.Varint()
	}
	return d
}

// cut shortens a bound of texts. A prefix is a lower bound; for an upper one the last character of
// the prefix is replaced by its successor.
func cut(s string, at side) string {
	if len(s) <= boundBytes {
		return s
	}
	if !utf8.ValidString(s) {
		return cutBytes(s, at)
	}
	end := boundBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	if at == lower {
		return s[:end]
	}
	for end > 0 {
		last, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
		if next := successor(last); next != 0 {
			return s[:end] + string(next)
		}
	}
	return s
}

// successor returns the character that follows r, or 0 if there is none.
func successor(r rune) rune {
	switch {
	case r == utf8.MaxRune:
		return 0
	case r+1 == 0xD800: // surrogates are no characters
		return 0xE000
	}
	return r + 1
}

// cutBytes is cut for bytes that are not UTF-8.
func cutBytes(s string, at side) string {
	if at == lower {
		return s[:boundBytes]
	}
	for end := boundBytes; end > 0; end-- {
		if s[end-1] < math.MaxUint8 {
			return s[:end-1] + string([]byte{s[end-1] + 1})
		}
	}
	return s
}
