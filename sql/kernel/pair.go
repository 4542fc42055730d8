package kernel

import (
	"gsql/sql/collate"
	"gsql/sql/types"
)

// The end of a key in a pair, which is below every byte that may follow in a longer key:
// these have their zeros escaped.
const KeyEnd, keyZero = "\x00\x00", "\x00\x01"

// AppendPair writes bytes that compare as the text's key and hold the text, so that the
// least of them identifies the least text.
func AppendPair(dst []byte, c types.Collation, s string) []byte {
	var room [64]byte
	for _, x := range collate.AppendKey(room[:0], c, s) {
		if dst = append(dst, x); x == 0 {
			dst = append(dst, keyZero[1])
		}
	}
	return append(append(dst, KeyEnd...), s...)
}

// PairedKey returns where the key ends that a pair begins with; what is no pair may stand in
// the place of a NULL.
func PairedKey(pair string) int {
	for i := 0; i+1 < len(pair); i++ {
		if pair[i] != 0 {
			continue
		}
		if pair[i+1] == 0 {
			return i
		}
		i++
	}
	return len(pair)
}
