package collate

import (
	"unicode/utf8"

	"gsql/sql/types"
)

// LongText is the length in bytes of the longest text that is converted at once, and about that of the
// pieces of a longer one, so that a statement can be cancelled in between.
const LongText = 256 << 10

// AppendLongKey is AppendKey, but stops in a long text once stop returns an error.
func AppendLongKey(dst []byte, c types.Collation, s string, stop func() error) ([]byte, error) {
	return inPieces(dst, c, trimmed(c, s), LongText, appendKey, keyPiece, stop)
}

// EachPiece calls f with the pieces of the key of a text, each of which is valid only until f returns.
func EachPiece(c types.Collation, s string, f func(key []byte)) {
	var room []byte
	write := func(dst []byte, c types.Collation, s string) []byte {
		room = appendKey(room[:0], c, s)
		f(room)
		return dst
	}
	_, _ = inPieces(nil, c, trimmed(c, s), LongText, write, keyPiece, func() error { return nil })
}

// PieceCost returns how many bytes EachPiece takes at most.
func PieceCost(c types.Collation, s string) (most int64) {
	cost := func(dst []byte, c types.Collation, s string) []byte {
		most = max(most, Cost(c, s))
		return dst
	}
	_, _ = inPieces(nil, c, trimmed(c, s), LongText, cost, keyPiece, func() error { return nil })
	return most
}

// AppendLongFolded is AppendFolded, but stops in a long text once stop returns an error.
func AppendLongFolded(dst []byte, c types.Collation, s string, stop func() error) ([]byte, error) {
	return inPieces(dst, c, s, LongText, AppendFolded, characters, stop)
}

// inPieces calls write for pieces of a text of at least size bytes each. cut returns the first place from
// a byte on where a text may be cut, or its length.
func inPieces(dst []byte, c types.Collation, s string, size int, write func([]byte, types.Collation, string) []byte,
	cut func(c types.Collation, s string, from int) int, stop func() error) ([]byte, error) {
	for len(s) > size {
		if err := stop(); err != nil {
			return dst, err
		}
		n := cut(c, s, size)
		if n == len(s) {
			break
		}
		dst, s = write(dst, c, s[:n]), s[n:]
	}
	return write(dst, c, s), nil
}

// keyPiece returns where the keys of the parts of a text, one after the other, are the key of the text.
// Keys of several levels have no such place. In the others, no two ASCII characters combine.
func keyPiece(c types.Collation, s string, from int) int {
	switch c {
	case types.Bin:
		return from
	case types.GeneralCI:
		return characters(c, s, from)
	case types.UCA, types.UnicodeCI:
		for i := from; i < len(s); i++ {
			if s[i-1] < utf8.RuneSelf && s[i] < utf8.RuneSelf {
				return i
			}
		}
	}
	return len(s)
}

// characters returns the start of a character.
func characters(_ types.Collation, s string, from int) int {
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return from
}
