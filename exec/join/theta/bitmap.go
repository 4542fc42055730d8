package theta

import (
	"math/bits"

	"gsql/internal/mem"
)

// bitmap is a set of positions with summaries: bit i of level k+1 is set if word i of level k is
// not zero, so that gaps of 64, 4096, ... positions are skipped at once.
type bitmap struct {
	levels [][]uint64
	buf    *mem.Buffer[uint64]
}

func newBitmap(acct *mem.Account, n int) (*bitmap, error) {
	total := 0
	var sizes []int
	for size := n/64 + 1; ; size = size/64 + 1 {
		sizes = append(sizes, size)
		total += size
		if size == 1 {
			break
		}
	}
	buf, err := mem.Alloc[uint64](acct, total)
	if err != nil {
		return nil, err
	}
	b := &bitmap{buf: buf}
	rest := buf.S
	for _, size := range sizes {
		b.levels = append(b.levels, rest[:size])
		rest = rest[size:]
	}
	return b, nil
}

// set adds position i.
func (b *bitmap) set(i int) {
	for _, level := range b.levels {
		w := &level[i>>6]
		had := *w != 0
		*w |= 1 << (i & 63)
		if had {
			return
		}
		i >>= 6
	}
}

// next returns the first position in the set from i on, or -1.
func (b *bitmap) next(i int) int {
	for k := 0; k < len(b.levels); k++ {
		level := b.levels[k]
		if i>>6 >= len(level) {
			return -1
		}
		if w := level[i>>6] >> (i & 63); w != 0 {
			i += bits.TrailingZeros64(w)
			for ; k > 0; k-- {
				i = i<<6 + bits.TrailingZeros64(b.levels[k-1][i])
			}
			return i
		}
		i = i>>6 + 1
	}
	return -1
}
