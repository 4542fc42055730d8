package hash

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// sink fills the pieces of an output one after another.
type sink struct {
	t         *engine.Task
	out       join.Output
	buildLeft bool
	count     gpu.Ptr // 64-bit word: pairs in the piece, for kernels that append

	left, right    gpu.Ptr
	capacity, used int64 // of the piece
}

func newSink(t *engine.Task, out join.Output, buildLeft bool) (*sink, error) {
	count, err := t.Alloc(8)
	return &sink{t: t, out: out, buildLeft: buildLeft, count: count}, err
}

// room returns the current piece, to be written from position used on, and the number of pairs that
// still fit. If the piece is half full, it is emitted first, so that steps stay large.
func (s *sink) room() (probe, build gpu.Ptr, free int64, err error) {
	if s.used >= (s.capacity+1)/2 {
		if err := s.flush(); err != nil {
			return 0, 0, 0, err
		}
		if s.left, s.right, s.capacity, err = s.out.Piece(); err != nil {
			return 0, 0, 0, err
		}
		if err := s.t.Fill(s.count, 0, 8); err != nil {
			return 0, 0, 0, err
		}
	}
	probe, build = s.left, s.right
	if s.buildLeft {
		probe, build = build, probe
	}
	return probe, build, s.capacity - s.used, nil
}

// appended waits for the appending kernels and counts their pairs.
func (s *sink) appended() error {
	n, err := s.t.ReadWord(s.count)
	s.used = int64(n)
	return err
}

// flush emits the current piece.
func (s *sink) flush() error {
	n := s.used
	s.used, s.capacity = 0, 0
	if n == 0 {
		return nil
	}
	return s.out.Emit(n)
}
