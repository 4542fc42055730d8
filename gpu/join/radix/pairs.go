package radix

import (
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// mostPieceRows is the size of the pieces that a filter or an aggregate takes.
const mostPieceRows = 4 << 20

// pieceRows returns that size, less if memory is short.
func pieceRows(t *engine.Task) int64 {
	const least = 1 << 10
	return max(least, min(mostPieceRows, t.Free()/64))
}

// Pairs emits all pairs of rows that satisfy the conditions, piece by piece. At least one condition
// must be an equality. For the device memory see Bytes; with less, the probe side is joined in
// several slices.
func Pairs(t *engine.Task, in join.Input, out join.Output, opt Options) error {
	s, err := newSides(in, opt.BuildLeft, rowNumbers, rowNumbers, opt)
	if err != nil {
		return err
	}
	return join.Filter(t, s.key.Rest, out, pieceRows(t), func(out join.Output) error {
		return s.joinInto(t, in, pairs{out})
	})
}

// joinInto joins the sides into pieces of out.
func (s *sides) joinInto(t *engine.Task, in join.Input, out Rows) error {
	w := &writer{out: out, buildLeft: s.buildLeft, key: s.key.Kind().Width(), width: s.build.carry.columnWidth()}
	err := s.join(t, in, func(build, probe *prim.Partitions) error { return joinPartitions(t, build, probe, w) })
	if err != nil {
		return err
	}
	return w.flush()
}
