package radix

import (
	"gsql/gpu"
	"gsql/gpu/group"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// share is one device's share of a join on several devices.
type share struct {
	*group.Member
	sides *sides
	fold  fold
	rows  int64 // rows of both sides that the device has joined
}

// offer is the place of a device's parts, which the other devices read.
type offer struct {
	device       gpu.Device
	build, probe splitSide
}

// splitSide is a side of a device, split into parts.
type splitSide struct {
	hashes, values gpu.Ptr
	width          int64 // of values
	bounds         []int64
	moved          group.Point // when the parts are there
}

// counts returns the rows of each part.
func (s *splitSide) counts() []int64 {
	counts := make([]int64, len(s.bounds)-1)
	for p := range counts {
		counts[p] = s.bounds[p+1] - s.bounds[p]
	}
	return counts
}

// run joins the device's share. Build rows are exchanged while probe rows are still split; probe rows
// are exchanged in slices, each while the one before is joined.
func (s *share) run(in join.Input) (r results, err error) {
	offers, err := s.split(in)
	if err != nil {
		return r, err
	}
	builds, probes := make([][]int64, len(offers)), make([][]int64, len(offers))
	for d := range offers {
		builds[d], probes[d] = offers[d].build.counts(), offers[d].probe.counts()
	}
	owner := deal(builds, probes)
	build, err := s.fetch(offers, owner, span{0, int64(len(owner))}, true)
	if err != nil {
		return r, err
	}
	var slices []*assembly
	for _, parts := range s.slices(owner, probes) {
		probe, err := s.fetch(offers, owner, parts, false)
		if err != nil {
			return r, err
		}
		slices = append(slices, probe)
	}
	var allBuilds int64
	for _, n := range sums(builds) {
		allBuilds += n
	}
	return s.foldSlices(build, slices, s.sides.opt.spreadBits(allBuilds))
}

// foldSlices joins the build side with one slice of the probe side after the other.
func (s *share) foldSlices(build *assembly, slices []*assembly, bits uint) (r results, err error) {
	words, err := newResults(s.Task)
	if err != nil {
		return r, err
	}
	builds, err := s.assemble(build, s.sides.build.carry.width, bits)
	if err != nil {
		return r, err
	}
	for _, slice := range slices {
		m := s.Mark()
		probes, err := s.assemble(slice, s.sides.probe.carry.width, bits)
		if err == nil {
			err = foldPartitions(s.Task, builds, probes, s.fold, words)
		}
		if err == nil {
			err = s.Release(m)
		}
		if err != nil {
			return r, err
		}
	}
	return readResults(s.Task, words)
}

// split splits the device's rows of both sides into parts and returns the offers of all devices. The
// parts' sizes are known, and work that moves rows is queued.
func (s *share) split(in join.Input) ([]offer, error) {
	build, err := s.newSplit(&s.sides.build, s.sides.buildLeft, in)
	if err != nil {
		return nil, err
	}
	probe, err := s.newSplit(&s.sides.probe, !s.sides.buildLeft, in)
	if err != nil {
		return nil, err
	}
	if build.bounds, err = build.split.Bounds(s.Task); err != nil {
		return nil, err
	}
	if probe.bounds, err = probe.split.Bounds(s.Task); err != nil {
		return nil, err
	}
	mine := offer{device: s.Device}
	if mine.build, err = build.move(s, s.sides.build.carry.width); err != nil {
		return nil, err
	}
	if mine.probe, err = probe.move(s, s.sides.probe.carry.width); err != nil {
		return nil, err
	}
	return group.Share(s.Member, mine)
}

// splitting is a side whose parts are counted and that has not moved.
type splitting struct {
	split   *prim.Split
	keys    gpu.Ptr
	carried prim.Carried
	bounds  []int64
}

func (s *share) newSplit(of *side, left bool, in join.Input) (*splitting, error) {
	if err := s.sides.pack(s.Task, left); err != nil {
		return nil, err
	}
	keys, carried, n, err := of.rows(s.Task, span{0, rows(in, left)})
	if err != nil {
		return nil, err
	}
	split, err := prim.NewSplit(s.Task, s.sides.wide(), of.carry.width, n)
	if err != nil {
		return nil, err
	}
	return &splitting{split: split, keys: keys, carried: carried}, split.Count(s.Task, keys, n)
}

// move queues moving the rows to their parts.
func (p *splitting) move(s *share, width int64) (splitSide, error) {
	side := splitSide{hashes: p.split.Hashes(), values: p.split.Values(), width: width, bounds: p.bounds}
	err := p.split.Move(s.Task, p.keys, p.carried)
	if err == nil {
		side.moved, err = s.Record(s.Compute)
	}
	return side, err
}
