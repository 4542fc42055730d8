package kernel

import (
	"gsql/sql/collate"
	"gsql/sql/types"
)

// The end of a key in a pair. It is below every byte that may follow in a longer key, because zeros
// in keys are escaped.
const KeyEnd, keyZero = "\x00\x00", "\x00\x01"

// AppendPair appends bytes that compare as the text's key and contain the text, so that the
// smallest pair yields the smallest text.
func AppendPair(dst []byte, c types.Collation, s string) []byte {
	var room [64]byte
	return appendPair(dst, collate.AppendKey(room[:0], c, s), s)
}

// AppendLongPair is AppendPair, but stops in a long text once stop returns an error.
func AppendLongPair(dst []byte, c types.Collation, s string, stop func() error) ([]byte, error) {
	key, err := collate.AppendLongKey(nil, c, s, stop)
	if err != nil {
		return dst, err
	}
	return appendPair(dst, key, s), nil
}

func appendPair(dst, key []byte, s string) []byte {
	for _, x := range key {
		if dst = append(dst, x); x == 0 {
			dst = append(dst, keyZero[1])
		}
	}
	return append(append(dst, KeyEnd...), s...)
}

// PairedKey returns the end of the key at the beginning of a pair. It tolerates other bytes, which
// slots of NULLs may contain.
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

// PairCost returns how many bytes making a pair of a long text takes at most.
func PairCost(c types.Collation, s string) int64 { return collate.Cost(c, s) + 12*int64(len(s)) }
