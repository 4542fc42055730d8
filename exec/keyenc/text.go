package keyenc

import (
	"unsafe"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// textWords is a string as two words: its bytes, at most fifteen, and, in the top byte, their
// count. A longer string has its first fifteen bytes and the count isLong, and its words do not
// identify it.
//
// It is a struct and not an array because the compiler keeps only structs in registers.
type textWords struct{ low, high uint64 }

const isLong = 0xff

// textMax is the length of the longest string that its words identify.
const textMax = 15

// textOf returns the words of s.
func textOf(s string) textWords {
	n, p := len(s), unsafe.Pointer(unsafe.StringData(s))
	switch {
	case n > textMax:
		return textWords{word(p, 0), word(p, 8)&^(isLong<<56) | isLong<<56}
	case n >= 8:
		return textWords{word(p, 0), word(p, n-8)>>(8*(16-n)) | uint64(n)<<56}
	case n >= 4:
		return textWords{half(p, 0) | half(p, n-4)<<(8*(n-4)), uint64(n) << 56}
	case n > 0: // the first, middle and last byte cover all
		return textWords{uint64(s[0]) | uint64(s[n/2])<<(8*(n/2)) | uint64(s[n-1])<<(8*(n-1)), uint64(n) << 56}
	}
	return textWords{}
}

// word reads the eight bytes at an offset.
func word(p unsafe.Pointer, at int) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

// half reads the four bytes at an offset.
func half(p unsafe.Pointer, at int) uint64 { return uint64(*(*uint32)(unsafe.Add(p, at))) }

// long reports whether strings with these words may differ.
func (t textWords) long() bool { return t.high>>56 == isLong }

// Texts holds the words of the string keys of a build side, by key; nil for keys that are not
// strings or may be NULL. Verifying a pair then takes one random memory access instead of two,
// and the words are in a third of the memory.
type Texts [][]textWords

// NewTexts computes the words of the keys of rows in buffers that it adds to held.
func NewTexts(ctx *op.Ctx, acct *mem.Account, keys []*vec.Vector, rows int, held *mem.Buffers) (Texts, error) {
	ts := make(Texts, len(keys))
	for k, v := range keys {
		if v.Type.Kind() != types.KindStr || v.Form != vec.Flat || v.Null != nil {
			continue
		}
		buf, err := mem.Alloc[textWords](acct, rows)
		if err != nil {
			return nil, err
		}
		held.Add(buf)
		ts[k] = buf.S
		workers := op.WorkersFor(ctx, rows)
		err = op.Parallel(ctx, workers, func(w int) error {
			from, to := op.Share(rows, w, workers)
			for i, s := range v.Str[from:to] {
				buf.S[from+i] = textOf(s)
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return ts, nil
}

// KeepEqual is the function KeepEqual for pairs of probe rows and rows of the build side of which
// ts was made.
func (ts Texts) KeepEqual(probe, build []*vec.Vector, ai, bi []int32, others ...[]int32) int {
	n := len(ai)
	for k := range probe {
		if v := probe[k]; ts[k] != nil && v.Form == vec.Flat && v.Null == nil {
			n = keepText(v.Str, ts[k], build[k].Str, ai[:n], bi[:n], others)
		} else {
			n = keepEqualColumn(v, build[k], ai[:n], bi[:n], others)
		}
	}
	return n
}

// ahead is the number of words read before they are compared. The reading loop does so little
// else that the cache misses of many rows overlap.
const ahead = 128

func keepText(a []string, words []textWords, b []string, ai, bi []int32, others [][]int32) int {
	var y [ahead]textWords
	n := 0
	for from := 0; from < len(ai); from += ahead {
		ap := ai[from:min(from+ahead, len(ai))]
		bp := bi[from : from+len(ap)]
		for i, r := range bp {
			y[i] = words[r]
		}
		for i, r := range ap {
			x := textOf(a[r])
			same := x == y[i] && (!x.long() || a[r] == b[bp[i]])
			ai[n], bi[n] = r, bp[i]
			for _, o := range others {
				o[n] = o[from+i]
			}
			n += vec.One(same)
		}
	}
	return n
}
