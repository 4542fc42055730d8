package theta

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// filterPairs is the size of the pieces in which conditions that the kernels cannot evaluate are
// filtered.
const filterPairs = 1 << 20

// Pairs writes all row pairs to out, filling its pieces exactly. The larger side is the owning
// side. If device memory is short, the join matrix is cut into strips of both sides (section 3 of
// the paper). Without conditions all rows pair.
func Pairs(t *engine.Task, in join.Input, out join.Output, opt Options) error {
	first, rest := split(in)
	return join.Filter(t, rest, out, filterPairs, func(out join.Output) error {
		s := &rowSink{out: out, ownerLeft: in.Left >= in.Right}
		return within(t, func() error {
			return output(t, first, s.ownerLeft, pairsBytes, &writer{s, opt})
		})
	})
}

// output writes the joined pairs; bytes is the memory that a cell takes.
func output(t *engine.Task, in join.Input, ownerLeft bool, bytes cellBytes, w *writer) error {
	p := newPlan(in, ownerLeft)
	if p.nOwner == 0 || p.nOther == 0 {
		return nil
	}
	if err := p.tighten(t); err != nil {
		return err
	}
	return p.strips(t, bytes, w.cell)
}

// rowSink emits row numbers.
type rowSink struct {
	out          join.Output
	ownerLeft    bool
	o            owners
	other        others
	mine, theirs gpu.Ptr
}

func (s *rowSink) begin(_ *engine.Task, o owners, other others) error {
	s.o, s.other = o, other
	return nil
}

func (s *rowSink) piece() (int64, error) {
	left, right, capacity, err := s.out.Piece()
	s.mine, s.theirs = right, left
	if s.ownerLeft {
		s.mine, s.theirs = left, right
	}
	return capacity, err
}

func (s *rowSink) emit(n int64) error { return s.out.Emit(n) }

func (s *rowSink) kernel(row int64) (string, []uint64) {
	return "gsql_theta_write", []uint64{uint64(s.o.first + row), uint64(s.mine), uint64(s.other.numbers), uint64(s.other.first), uint64(s.theirs)}
}
