package theta

import (
	"encoding/binary"
	"sort"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

const (
	// blockOwners is how many rows of the owning side a block of the writing kernels handles.
	blockOwners = 32
	// maxCuts is how many samples of the offsets are read back at once.
	maxCuts = 1 << 12
	// longestWindow is the most output that one launch can write.
	longestWindow = 1 << 30
)

// sink receives the pairs of cells of the join matrix.
type sink interface {
	// begin is called once per cell, before its pieces.
	begin(t *engine.Task, o owners, other others) error
	// piece allocates space for capacity pairs, which emit passes on.
	piece() (capacity int64, err error)
	emit(n int64) error
	// kernel returns the family of the kernels that write, and their last arguments for owners from
	// a row of the cell on.
	kernel(row int64) (family string, args []uint64)
}

// writer writes the pairs of cells to a sink.
type writer struct {
	sink
	opt Options
}

// places are the positions in a cell's output at which the pairs of each owner begin: offsets has
// one word per row and the total; cuts has every step-th of them, and the total.
type places struct {
	offsets gpu.Ptr
	cuts    []uint64
	step    int64
}

// cell counts, scans and writes, piece by piece of the output.
func (w *writer) cell(t *engine.Task, p *plan, o owners, other others) error {
	at, err := w.places(t, p, o, other)
	if err == nil {
		err = w.begin(t, o, other)
	}
	if err != nil {
		return err
	}
	total := int64(at.cuts[len(at.cuts)-1])
	for from := int64(0); from < total; {
		capacity, err := w.piece()
		if err != nil {
			return err
		}
		if capacity <= 0 {
			return sqlerr.Internal("a piece for %d pairs", capacity)
		}
		to := min(total, from+min(capacity, longestWindow))
		if err := w.write(t, p, o, other, at, from, to); err != nil {
			return err
		}
		if err := w.emit(to - from); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// places counts the partners of all owners and computes prefix sums. It waits for the cuts.
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
	if err == nil {
		at.cuts, err = cut(t, at.offsets, o.rows, at.step, cuts)
	}
	return at, err
}

// cut reads every step-th of n offsets, and the total that follows them.
func cut(t *engine.Task, offsets gpu.Ptr, n, step int64, cuts gpu.Ptr) ([]uint64, error) {
	values := make([]uint64, (n+step-1)/step+1)
	err := t.Launch("gsql_theta_cuts", "", int64(len(values)), false, uint64(offsets), uint64(n), uint64(step), uint64(cuts), uint64(len(values)))
	raw := make([]byte, 8*len(values))
	if err == nil {
		err = t.Read(raw, cuts)
	}
	for i := range values {
		values[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return values, err
}

// cutStep spaces the cuts by whole blocks.
func cutStep(rows int64) int64 {
	step := (rows + maxCuts - 2) / (maxCuts - 1)
	return (step + blockOwners - 1) / blockOwners * blockOwners
}

// rows returns the owners from cut to cut that include all with output in [from, to).
func (at *places) rows(from, to, all int64) (first, end int64) {
	after := sort.Search(len(at.cuts), func(i int) bool { return at.cuts[i] > uint64(from) })
	until := sort.Search(len(at.cuts), func(i int) bool { return at.cuts[i] >= uint64(to) })
	return int64(after-1) * at.step, min(all, int64(until)*at.step)
}

// write queues the launches that write the part [from, to) of the output.
func (w *writer) write(t *engine.Task, p *plan, o owners, other others, at places, from, to int64) error {
	first, end := at.rows(from, to, o.rows)
	step := max(1, w.opt.most(2*p.cost())/other.rows/blockOwners) * blockOwners
	width := p.width()
	for row := first; row < end; row += step {
		if row > first {
			if err := t.Sync(); err != nil {
				return err
			}
		}
		rows := min(step, end-row)
		family, rest := w.kernel(row)
		err := t.LaunchBlocks(family, p.entry(p.intervals()), (rows+blockOwners-1)/blockOwners, 0, append([]uint64{
			uint64(o.lows) + uint64(row*width), uint64(o.highs) + uint64(row*width), uint64(o.rows), uint64(rows),
			uint64(other.words), uint64(other.stride), uint64(other.rows), uint64(at.offsets) + uint64(8*row), uint64(from), uint64(to)}, rest...)...)
		if err != nil {
			return err
		}
	}
	return nil
}
