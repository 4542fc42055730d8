package theta

import (
	"encoding/binary"
	"sort"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

const (
	writeFamily = "gsql_theta_write"
	// blockOwners is how many rows of the owning side a block of the family writes.
	blockOwners = 32
	// maxCuts is how many samples of the offsets are read back at once.
	maxCuts = 1 << 12
	// longestWindow is what a launch can write of the output.
	longestWindow = 1 << 30
)

// writer writes the pairs of cells of the join matrix to an output.
type writer struct {
	out       join.Output
	ownerLeft bool
	opt       Options
}

// places are where in a cell's output the pairs of each owner begin: offsets has a word a
// row and the total; every step-th of them is in cuts, and the total.
type places struct {
	offsets gpu.Ptr
	cuts    []uint64
	step    int64
}

// cell counts, scans and writes, piece by piece of the output.
func (w *writer) cell(t *engine.Task, p *plan, o owners, other others) error {
	at, err := w.places(t, p, o, other)
	if err != nil {
		return err
	}
	total := int64(at.cuts[len(at.cuts)-1])
	for from := int64(0); from < total; {
		left, right, capacity, err := w.out.Piece()
		if err != nil {
			return err
		}
		if capacity <= 0 {
			return sqlerr.Internal("a piece for %d pairs", capacity)
		}
		to := min(total, from+min(capacity, longestWindow))
		mine, theirs := right, left
		if w.ownerLeft {
			mine, theirs = left, right
		}
		if err := w.write(t, p, o, other, at, window{from, to, mine, theirs}); err != nil {
			return err
		}
		if err := w.out.Emit(to - from); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// places counts the partners of all owners and adds them up. It waits for the cuts.
func (w *writer) places(t *engine.Task, p *plan, o owners, other others) (places, error) {
	at := places{step: cutStep(o.rows)}
	var cuts gpu.Ptr
	err := alloc(t, 8*(o.rows+1), &at.offsets)
	if err == nil {
		err = alloc(t, 8*maxCuts, &cuts)
	}
	if err == nil {
		err = t.Fill(at.offsets, 0, 8*(o.rows+1))
	}
	if err == nil {
		err = p.count(t, o, other, at.offsets, w.opt)
	}
	if err == nil {
		err = prim.Scan64(t, at.offsets, at.offsets, o.rows, at.offsets+gpu.Ptr(8*o.rows))
	}
	if err != nil {
		return at, err
	}
	n := (o.rows+at.step-1)/at.step + 1
	err = t.Launch("gsql_theta_cuts", "", n, false, uint64(at.offsets), uint64(o.rows), uint64(at.step), uint64(cuts), uint64(n))
	if err != nil {
		return at, err
	}
	raw := make([]byte, 8*n)
	if err := t.Read(raw, cuts); err != nil {
		return at, err
	}
	at.cuts = make([]uint64, n)
	for i := range at.cuts {
		at.cuts[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return at, nil
}

// cutStep spaces the cuts by whole blocks.
func cutStep(rows int64) int64 {
	step := (rows + maxCuts - 2) / (maxCuts - 1)
	return (step + blockOwners - 1) / blockOwners * blockOwners
}

// window is the part [from, to) of a cell's output, which goes to mine and theirs.
type window struct {
	from, to     int64
	mine, theirs gpu.Ptr
}

// rows are the owners, all of whom lie between two cuts, that have output in the window.
func (at *places) rows(w window, all int64) (from, to int64) {
	after := sort.Search(len(at.cuts), func(i int) bool { return at.cuts[i] > uint64(w.from) })
	until := sort.Search(len(at.cuts), func(i int) bool { return at.cuts[i] >= uint64(w.to) })
	return int64(after-1) * at.step, min(all, int64(until)*at.step)
}

// write queues the launches that write a window.
func (w *writer) write(t *engine.Task, p *plan, o owners, other others, at places, part window) error {
	from, to := at.rows(part, o.rows)
	step := max(1, w.opt.most(2*p.cost())/other.rows/blockOwners) * blockOwners
	width := p.width()
	for row := from; row < to; row += step {
		if row > from {
			if err := t.Sync(); err != nil {
				return err
			}
		}
		rows := min(step, to-row)
		err := t.LaunchBlocks(writeFamily, p.entry(p.intervals()), (rows+blockOwners-1)/blockOwners, 0,
			uint64(o.lows)+uint64(row*width), uint64(o.highs)+uint64(row*width), uint64(o.rows), uint64(rows),
			uint64(other.words), uint64(other.stride), uint64(other.rows), uint64(at.offsets)+uint64(8*row), uint64(part.from), uint64(part.to),
			uint64(o.first+row), uint64(part.mine), uint64(other.numbers), uint64(other.first), uint64(part.theirs))
		if err != nil {
			return err
		}
	}
	return nil
}
