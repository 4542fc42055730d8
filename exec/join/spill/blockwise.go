package spill

import (
	"sync"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
)

// Blockwise describes how a join holds spilled rows: as many at a time as fit.
type Blockwise struct {
	// Make makes the join that holds the left side if left is set, and otherwise the right one.
	Make     func(s *Stored, l, r op.Operator, left bool) (op.Operator, error)
	Both     bool // the join holds both sides
	given    bool // the caller has set left
	numbered bool // left rows have their numbers as a last column, and may matter without partners
	// Equal lists the keys that partners have in common, by side, as positions among its
	// expressions. If there are any, rows are partitioned by them, those with NULLs separately.
	Equal [2][]int

	once sync.Once
	err  error
	left bool
}

// NewBlockwise makes a Grace whose tasks hold rows as described by b.
func NewBlockwise(j *Join, b *Blockwise) *Grace {
	return &Grace{join: j, held: b}
}

// dealtBy returns the columns by which rows of a side are partitioned; columns are those of its
// keys.
func (b *Blockwise) dealtBy(which int, columns []int) (keys []int) {
	for _, at := range b.Equal[which] {
		keys = append(keys, columns[at])
	}
	return keys
}

// heldShare is the share of the free memory, as its reciprocal, that the rows of a worker's task
// take at first, measured by their size on disk. The joins need the rest for what they make of
// the rows.
const heldShare = 4

// begin makes the tasks. Both sides must be on disk.
func (b *Blockwise) begin(ctx *op.Ctx, acct *mem.Account, g *Grace) error {
	b.once.Do(func() {
		l, r := g.sides[match.LeftSide], g.sides[match.RightSide]
		if !b.given {
			b.left = !g.join.Inner || l.size() <= r.size()
		}
		if g.join.Keeps[match.RightSide] {
			if g.matched, b.err = newMatchedRows(acct, r.all()); b.err != nil {
				return
			}
			r.number = g.matched.number
		}
		room := acct.Left() / int64(heldShare*max(ctx.Workers, 1))
		for part := range dealParts + 1 {
			t := task{blocks: [2][]spill.Block{l.Blocks(part), g.meeting(part)}}
			if len(t.blocks[match.RightSide]) == 0 && !b.numbered && !g.join.Keeps[match.LeftSide] {
				continue
			}
			g.queue.Add(b.cut(t, room)...)
		}
	})
	return b.err
}

// meeting returns the right rows that must be compared with a partition of left rows: those of
// the same partition, unless their keys are NULL. A null-aware join also compares rows with NULL
// keys with all rows of the other side. NULLs of other operands do not matter to rows of another
// partition: their keys differ, so the condition is FALSE.
func (g *Grace) meeting(part int) (blocks []spill.Block) {
	r := g.sides[match.RightSide]
	if !g.join.NullAware {
		if part == nullPart {
			return nil
		}
		return r.Blocks(part)
	}
	for other := range dealParts + 1 {
		if other == part || other == nullPart || part == nullPart {
			blocks = append(blocks, r.Blocks(other)...)
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

// cut divides a task until the rows it holds take no more than room or are a single block. It
// drops tasks that return no rows.
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

// toDivide returns the side whose blocks are divided to divide a task.
func (b *Blockwise) toDivide(t task) int {
	switch {
	case b.Both && len(t.blocks[match.LeftSide]) < len(t.blocks[match.RightSide]), !b.Both && !b.left:
		return match.RightSide
	}
	return match.LeftSide
}

// halves divides the blocks of one side of a task.
func halves(t task, which int) (one, other task) {
	one, other = t, t
	mid := len(t.blocks[which]) / 2
	one.blocks[which], other.blocks[which] = t.blocks[which][:mid], t.blocks[which][mid:]
	return one, other
}

// divide replaces a task by two, unless it has a single block. It reports whether it did.
func (b *Blockwise) divide(t task, queue *spill.Queue[task]) bool {
	which := b.toDivide(t)
	if len(t.blocks[which]) < 2 {
		return false
	}
	one, other := halves(t, which)
	queue.Add(one, other)
	return true
}
