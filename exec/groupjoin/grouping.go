package groupjoin

import (
	"math/bits"
	"slices"

	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// grouping numbers the groups of rows with equal keys: by the concatenated values of the keys if
// these take few bits, otherwise in the order of their hashes.
type grouping struct {
	nullSafe []bool
	packed   *keyenc.PackedKeys
	dir      *directory
	bits     int // the numbers are below 1 << bits
}

// groupBits is the greatest number of bits that the concatenated values of keys may take; tests
// reduce it.
var groupBits = 32

// newGrouping numbers the rows that are not in skip by their keys, which are flat: number[row] is a
// row's group. It marks the rows in skip that equal nothing.
func newGrouping(ctx *op.Ctx, acct *mem.Account, keys []*vec.Vector, nullSafe []bool, number []uint64, skip []bool) (*grouping, error) {
	g := &grouping{nullSafe: nullSafe}
	if g.packed = keyenc.PackKeys(keys, nullSafe, groupBits); g.packed != nil {
		g.bits = g.packed.Bits
		return g, inBlocks(ctx, len(number), func() func(from, to int) {
			p := g.packed.Packer()
			return func(from, to int) { p.Pack(sliced(keys, from, to), number[from:to], skip[from:to]) }
		})
	}
	skipUnequal(keys, nullSafe, skip)
	d, group, err := newDirectory(ctx, acct, keys, len(number), skip)
	if err != nil {
		return nil, err
	}
	defer group.Free()
	copy(number, group.S)
	g.dir, g.bits = d, bits.Len(uint(len(d.find.S)))
	return g, nil
}

// inBlocks processes n rows in blocks, on all workers, each with a function that f makes.
func inBlocks(ctx *op.Ctx, n int, f func() func(from, to int)) error {
	workers := max(1, min(ctx.Workers, n/(4*vec.BatchSize)))
	return op.Parallel(ctx, workers, func(w int) error {
		each := f()
		from, end := n*w/workers, n*(w+1)/workers
		for ; from < end; from += vec.BatchSize {
			if err := ctx.Err(); err != nil {
				return err
			}
			each(from, min(from+vec.BatchSize, end))
		}
		return nil
	})
}

// lookEvery is the number of rows after which loops check for cancellation.
const lookEvery = 1 << 16

// look returns the error of a cancelled statement; it checks only at some of the rows i.
func look(ctx *op.Ctx, i int) error {
	if i%lookEvery != 0 {
		return nil
	}
	return ctx.Err()
}

// Free releases the memory. It may be called on nil.
func (g *grouping) Free() {
	if g != nil {
		g.dir.free()
	}
}

// numberer looks up the groups of a batch of keys, for one goroutine.
type numberer struct {
	*grouping
	packer *keyenc.KeyPacker
	finder finder
	group  []int32
}

func (g *grouping) numberer() *numberer {
	n := &numberer{grouping: g, finder: finder{directory: g.dir}}
	if g.packed != nil {
		n.packer = g.packed.Packer()
	}
	return n
}

// numbers writes the groups of rows to dst and marks in skip the rows that have none.
func (n *numberer) numbers(keys []*vec.Vector, dst []uint64, skip []bool) {
	if n.packer != nil {
		n.packer.Pack(keys, dst, skip)
		return
	}
	skipUnequal(flattened(keys), n.nullSafe, skip)
	n.group = slices.Grow(n.group[:0], len(dst))[:len(dst)]
	n.finder.groups(keys, n.group)
	for i, g := range n.group {
		dst[i] = uint64(g)
		skip[i] = skip[i] || g < 0
	}
}
