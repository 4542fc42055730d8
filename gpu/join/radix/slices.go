package radix

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
	"gsql/sql/sqlerr"
)

// leastSlice is the fewest probe rows that are partitioned at once when memory is short.
const leastSlice = 1 << 16

// sides are the two sides of a join on one key.
type sides struct {
	key       join.Key
	buildLeft bool
	build     side
	probe     side
	opt       Options
}

// newSides chooses how in is joined; build and probe rows carry b and p.
func newSides(in join.Input, buildLeft bool, b, p carry, opt Options) (*sides, error) {
	key, ok := join.NewKey(in.Conditions)
	if !ok {
		return nil, sqlerr.Internal("radix join without an equality")
	}
	s := &sides{key: key, buildLeft: buildLeft, build: side{carry: b}, probe: side{carry: p}, opt: opt}
	c := key.Conditions[0]
	if len(key.Conditions) > 1 {
		c.Left = column.Column{Kind: key.Kind(), Valid: toBePacked}
		c.Right = c.Left
	}
	s.build.key, s.probe.key = c.Right, c.Left
	if buildLeft {
		s.build.key, s.probe.key = c.Left, c.Right
	}
	return s, nil
}

// toBePacked marks the validity column of a key until pack has built it.
const toBePacked = ^gpu.Ptr(0)

// pack computes a side's key column if it combines several conditions.
func (s *sides) pack(t *engine.Task, left bool) (err error) {
	to := &s.probe.key
	if left == s.buildLeft {
		to = &s.build.key
	}
	if left {
		*to, err = s.key.Left(t)
	} else {
		*to, err = s.key.Right(t)
	}
	return err
}

// join partitions the build side and slice after slice of the probe side, and joins each pair of
// partitions. A slice is as large as memory allows.
func (s *sides) join(t *engine.Task, in join.Input, each func(build, probe *prim.Partitions) error) error {
	builds, probes := rows(in, s.buildLeft), rows(in, !s.buildLeft)
	if builds == 0 || probes == 0 {
		return nil
	}
	m := t.Mark()
	err := s.joinSlices(t, builds, probes, each)
	return errors.Join(err, t.Release(m))
}

func (s *sides) joinSlices(t *engine.Task, builds, probes int64, each func(build, probe *prim.Partitions) error) error {
	build, err := prim.NewPartitions(t, s.wide(), s.build.carry.width, builds, s.opt.bits(builds))
	if err != nil {
		return err
	}
	m := t.Mark()
	if err = s.pack(t, s.buildLeft); err == nil {
		err = s.build.partition(t, build, span{0, builds})
	}
	if err = errors.Join(err, t.Release(m)); err != nil {
		return err
	}
	if err := s.pack(t, !s.buildLeft); err != nil {
		return err
	}
	n := s.sliceRows(t.Free(), probes, build.Bits)
	for first := int64(0); first < probes; first += n {
		if err := s.joinSlice(t, build, span{first, min(n, probes-first)}, each); err != nil {
			return err
		}
	}
	return nil
}

// joinSlice joins one slice.
func (s *sides) joinSlice(t *engine.Task, build *prim.Partitions, rows span, each func(build, probe *prim.Partitions) error) error {
	m := t.Mark()
	probe, err := prim.NewPartitions(t, s.wide(), s.probe.carry.width, rows.n, build.Bits)
	if err == nil {
		err = s.probe.partition(t, probe, rows)
	}
	if err == nil {
		err = each(build, probe)
	}
	return errors.Join(err, t.Release(m))
}

// wide reports whether keys have 8 bytes.
func (s *sides) wide() bool { return s.key.Kind() != column.I32 }

// sliceRows returns how many of n probe rows to join at once with free bytes of memory.
func (s *sides) sliceRows(free, n int64, bits uint) int64 {
	if s.opt.ProbeRows != 0 {
		n = min(n, s.opt.ProbeRows)
	}
	for n > leastSlice && s.sliceBytes(n, bits) > free {
		n = (n + 1) / 2
	}
	return n
}

// sliceBytes returns the memory that joining n probe rows takes.
func (s *sides) sliceBytes(n int64, bits uint) int64 {
	kept, scratch := s.probe.bytes(n, bits)
	return kept + max(scratch, unitsBytes(bits)+cutBytes)
}

// cutBytes is the memory of counters and of units that are cut.
const cutBytes = cutUnits * unitBytes

// Bytes returns the most device memory that Pairs, or Aggregate with aggs, takes besides inputs and
// output to join all rows at once. With less, they join the probe side in slices.
func Bytes(in join.Input, aggs []join.Agg, opt Options) int64 {
	s, err := newSides(in, opt.BuildLeft, rowNumbers, rowNumbers, opt)
	if err != nil {
		return 0
	}
	if rest := s.key.Rest; len(aggs) == 0 || len(rest) > 0 {
		bytes := s.bytes(in) + join.FilterBytes(rest, mostPieceRows)
		if len(aggs) > 0 {
			bytes += join.AggregatePairsBytes(in, aggs, mostPieceRows)
		}
		return bytes
	}
	var most int64
	for _, f := range folds(aggs, opt.BuildLeft) {
		if s, err = newSides(in, !f.left, carry{}, f.carry(), opt); err == nil {
			most = max(most, s.bytes(in)+gpu.Alignment)
		}
	}
	return most
}

func (s *sides) bytes(in join.Input) int64 {
	builds, probes := rows(in, s.buildLeft), rows(in, !s.buildLeft)
	bits := s.opt.bits(max(builds, 1))
	kept, scratch := s.build.bytes(builds, bits)
	return kept + max(scratch+s.key.Bytes(builds), s.key.Bytes(probes)+s.sliceBytes(probes, bits))
}
