package join

import (
	"sync"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/planner/logical"
)

// blockwise is what a join without equality keys does when memory has no room for what it has
// to hold: both sides go to disk, and as many rows of one as fit are held at a time while the
// other side streams past, each time anew (the block nested loop of Kim, A New Way to Compute
// the Product and Join of Relations, 1980, with an index over the block). Blocks of both sides
// are held together where the algorithm needs both whole.
type blockwise struct {
	// make makes the join that holds a side, the left one where left is set.
	make     func(p *plan, l, r op.Operator, left bool) (op.Operator, error)
	both     bool // it holds both
	given    bool // left is set beforehand
	apart    bool // rows lie by keys, and those with NULLs apart
	numbered bool // left rows come with their numbers

	once sync.Once
	left bool
}

// newBlockwise makes the turns' joins hold left rows, but for inner joins: what left rows give
// depends on all right rows.
func newBlockwise(p *plan, b *blockwise) *grace {
	return &grace{plan: p, held: b}
}

// heldShare is the share of the free memory that the rows of a turn take at first, by their
// size on disk. The joins of other workers, and what is made of the rows, need the rest.
const heldShare = 4

// begin makes the turns, once both sides are on disk.
func (b *blockwise) begin(ctx *op.Ctx, g *grace) {
	b.once.Do(func() {
		l, r := g.sides[leftSide], g.sides[rightSide]
		if !b.given {
			b.left = g.plan.kind != logical.Inner || sizeOf(l.Blocks(0)) <= sizeOf(r.Blocks(0))
		}
		room := ctx.Mem.Left() / int64(heldShare*max(ctx.Workers, 1))
		if !b.apart {
			g.turns.Add(b.cut(turn{blocks: [2][]spill.Block{l.Blocks(0), r.Blocks(0)}}, room)...)
			return
		}
		for part := range dealParts + 1 {
			g.turns.Add(b.cut(turn{blocks: [2][]spill.Block{l.Blocks(part), r.meeting(part)}}, room)...)
		}
	})
}

// meeting gives the right rows that a null-aware join has to meet with a partition of left
// rows: those of the same partition and those with NULLs, and with left rows that have NULLs
// all.
func (d *dealt) meeting(part int) (blocks []spill.Block) {
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

// cut divides a turn until what is held takes no more than room, or is a single block.
func (b *blockwise) cut(t turn, room int64) (out []turn) {
	which := b.toDivide(t)
	if len(t.blocks[which]) == 0 {
		return nil
	}
	if len(t.blocks[which]) == 1 || sizeOf(t.blocks[which]) <= room {
		return []turn{t}
	}
	one, other := halves(t, which)
	return append(b.cut(one, room), b.cut(other, room)...)
}

// toDivide gives the side whose blocks a turn is divided by.
func (b *blockwise) toDivide(t turn) int {
	switch {
	case b.both && len(t.blocks[leftSide]) < len(t.blocks[rightSide]), !b.both && !b.left:
		return rightSide
	}
	return leftSide
}

// halves divides the blocks of a side.
func halves(t turn, which int) (one, other turn) {
	one, other = t, t
	mid := len(t.blocks[which]) / 2
	one.blocks[which], other.blocks[which] = t.blocks[which][:mid], t.blocks[which][mid:]
	return one, other
}

// divide makes two turns of one, unless it has a single block.
func (b *blockwise) divide(t turn, turns *spill.Turns[turn]) bool {
	which := b.toDivide(t)
	if len(t.blocks[which]) < 2 {
		return false
	}
	one, other := halves(t, which)
	turns.Add(one, other)
	return true
}

// join makes the join of a turn.
func (b *blockwise) join(p *plan, l, r op.Operator) (op.Operator, error) {
	return b.make(p, l, r, b.left)
}
