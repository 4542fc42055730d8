package groupjoin

import (
	"math/bits"

	"gsql/internal/mem"
)

// locator finds places among ascending words. A table by the words' leading bits narrows
// the search to few words where they are spread evenly.
type locator struct {
	words []uint64
	min   uint64
	shift uint
	start *mem.Buffer[int32] // start[b] is the first word of at least min + b<<shift
}

// wordsPerBucket is how many words share an entry of a locator's table on average.
const wordsPerBucket = 4

func newLocator(acct *mem.Account, words []uint64) (*locator, error) {
	l := &locator{words: words}
	n := len(words)
	if n < 2*wordsPerBucket || words[0] == words[n-1] {
		return l, nil
	}
	l.min = words[0]
	span := words[n-1] - l.min
	l.shift = uint(max(0, bits.Len64(span)-bits.Len(uint(n/wordsPerBucket))))
	start, err := mem.Alloc[int32](acct, int(span>>l.shift)+2)
	if err != nil {
		return nil, err
	}
	at := 0
	for b := range start.S {
		for at < n && (words[at]-l.min)>>l.shift < uint64(b) {
			at++
		}
		start.S[b] = int32(at)
	}
	l.start = start
	return l, nil
}

// lower gives the number of words below x.
func (l *locator) lower(x uint64) int32 {
	if l.start == nil {
		return lowerBound(l.words, 0, int32(len(l.words)), x)
	}
	if x <= l.min {
		return 0
	}
	b := (x - l.min) >> l.shift
	if b >= uint64(len(l.start.S)-1) {
		return int32(len(l.words))
	}
	return lowerBound(l.words, l.start.S[b], l.start.S[b+1], x)
}

func (l *locator) free() {
	if l != nil {
		l.start.Free()
	}
}

// lowerBound gives the first position in [lo, hi) whose word is not below x, else hi.
func lowerBound(words []uint64, lo, hi int32, x uint64) int32 {
	n := hi - lo
	for n > 0 {
		half := n / 2
		if words[lo+half] < x {
			lo, n = lo+half+1, n-half-1
		} else {
			n = half
		}
	}
	return lo
}
