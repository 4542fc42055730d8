package spill

import (
	"sync"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
)

// Blockwise is how a join holds rows that spilled: as many at a time as fit.
type Blockwise struct {
	// Make makes the join that holds a side: the left one if left is set.
	Make     func(s *Stored, l, r op.Operator, left bool) (op.Operator, error)
	Both     bool // it holds both
	given    bool // left is set by the caller
	Apart    bool // rows are partitioned by keys, those with NULLs apart
	numbered bool // left rows have their numbers as a last column, and may matter without partners
	// equal are the keys that partners have in common, by side, as positions among its expressions.
	// Rows are partitioned by them if there are any.
	equal [2][]int

	once sync.Once
	err  error
	left bool
}

// NewBlockwise makes a Grace whose tasks hold rows as b says.
func NewBlockwise(j *Join, b *Blockwise) *Grace {
	return &Grace{join: j, held: b}
}

// dealtBy returns by which of the columns of a side's expressions the rows are partitioned.
func (b *Blockwise) dealtBy(which int, columns []int) (keys []int) {
	if b.Apart {
		return columns
	}
	for _, at := range b.equal[which] {
		keys = append(keys, columns[at])
	}
	return keys
}

// heldShare is the share of the free memory, one in this many, that the rows of a task take at first,
// by their size on disk. The joins of other workers, and what is made of the rows, need the rest.
const heldShare = 4

// begin makes the tasks, once both sides are on disk.
func (b *Blockwise) begin(ctx *op.Ctx, acct *mem.Account, g *Grace) error {
	b.once.Do(func() {
		l, r := g.sides[match.LeftSide], g.sides[match.RightSide]
		if !b.given {
			b.left = !g.join.Inner || sizeOf(l.Blocks(0)) <= sizeOf(r.Blocks(0))
		}
		if g.join.Keeps[match.RightSide] {
			if g.matched, b.err = newMatchedRows(acct, r.Blocks(0)); b.err != nil {
				return
			}
			r.number = g.matched.number
		}
		room := acct.Left() / int64(heldShare*max(ctx.Workers, 1))
		for part := range dealParts + 1 {
			right := r.Blocks(part)
			if b.Apart {
				right = r.meeting(part)
			}
			g.queue.Add(b.cut(task{blocks: [2][]spill.Block{l.Blocks(part), right}}, room)...)
		}
	})
	return b.err
}

// meeting returns the right rows that a null-aware join must compare with a partition of left rows:
// those of the same partition and those with NULLs; all of them for left rows with NULLs.
func (d *spilledSide) meeting(part int) (blocks []spill.Block) {
	for other := range dealParts + 1 {
		if other == part || other == nullPart || part == nullPart {
			blocks = append(blocks, d.Blocks(other)...)
		}
	}
	return blocks
}

func sizeOf(blocks []spill.Block) (n int64) {
	for _, x := range blocks {
		n += x.Bytes()
	}
	return n
}

// cut divides a task until what is held takes no more than room, or is a single block. Tasks that
// return no rows are left out.
func (b *Blockwise) cut(t task, room int64) (out []task) {
	which := b.toDivide(t)
	held := t.blocks[which]
	if len(t.blocks[match.LeftSide]) == 0 || len(held) == 0 && !b.numbered {
		return nil
	}
	if len(held) < 2 || sizeOf(held) <= room {
		return []task{t}
	}
	one, other := halves(t, which)
	return append(b.cut(one, room), b.cut(other, room)...)
}

// toDivide returns the side by whose blocks a task is divided.
func (b *Blockwise) toDivide(t task) int {
	switch {
	case b.Both && len(t.blocks[match.LeftSide]) < len(t.blocks[match.RightSide]), !b.Both && !b.left:
		return match.RightSide
	}
	return match.LeftSide
}

// halves divides the blocks of a side.
func halves(t task, which int) (one, other task) {
	one, other = t, t
	mid := len(t.blocks[which]) / 2
	one.blocks[which], other.blocks[which] = t.blocks[which][:mid], t.blocks[which][mid:]
	return one, other
}

// divide makes two tasks of one, unless it has a single block.
func (b *Blockwise) divide(t task, queue *spill.Queue[task]) bool {
	which := b.toDivide(t)
	if len(t.blocks[which]) < 2 {
		return false
	}
	one, other := halves(t, which)
	queue.Add(one, other)
	return true
}
