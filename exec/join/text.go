package join

import (
	"unsafe"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// textWords are a string as two words: fifteen bytes and, in the top byte, their number. A longer
// string has its first bytes and the number isLong there, and is not told by its words alone.
type textWords [2]uint64

const isLong = 0xff

// textMax is the length of the longest string that its words tell.
const textMax = 15

// textOf gives the words of s.
func textOf(s string) textWords {
	n, p := len(s), unsafe.Pointer(unsafe.StringData(s))
	switch {
	case n > textMax:
		return textWords{word(p, 0), word(p, 8)&^(isLong<<56) | isLong<<56}
	case n >= 8:
		return textWords{word(p, 0), word(p, n-8)>>(8*(16-n)) | uint64(n)<<56}
	}
	var few uint64
	for i := range n {
		few |= uint64(s[i]) << (8 * i)
	}
	return textWords{few, uint64(n) << 56}
}

// word reads the eight bytes at an offset.
func word(p unsafe.Pointer, at int) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

// long tells that strings with these words may differ.
func (t textWords) long() bool { return t[1]>>56 == isLong }

// keyTexts are the words of the string keys of a build side, by key; nil where a key is none or
// may be NULL. A pair is verified with one access to memory in no order instead of two, and
// to a third of it.
type keyTexts [][]textWords

// newKeyTexts makes the words of the keys of rows.
func newKeyTexts(ctx *op.Ctx, acct *mem.Account, keys []*vec.Vector, rows int, held *holdings) (keyTexts, error) {
	ts := make(keyTexts, len(keys))
	for k, v := range keys {
		if v.Type.Kind() != types.KindStr || v.Form != vec.Flat || v.Null != nil {
			continue
		}
		buf, err := mem.Alloc[textWords](acct, rows)
		if err != nil {
			return nil, err
		}
		held.add(buf)
		ts[k] = buf.S
		workers := workersFor(ctx, rows)
		err = op.Parallel(ctx, workers, func(w int) error {
			from, to := share(rows, w, workers)
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

// keepEqual is KeepEqual of probe rows with rows of the build side that ts was made of.
func (ts keyTexts) keepEqual(probe, build []*vec.Vector, ai, bi []int32, others ...[]int32) int {
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

// ahead is the number of words that are read before they are compared: the loop does so
// little else that the cache misses of many rows overlap.
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
			n += one(same)
		}
	}
	return n
}
