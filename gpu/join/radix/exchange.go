package radix

import (
	"gsql/gpu"
	"gsql/gpu/group"
	"gsql/gpu/prim"
)

// probeSlices is into how many slices a device's probe rows are divided, so that copies of one
// overlap with the join of another.
const probeSlices = 2

// assembly is the rows of one side that a device partitions further: its own, in their parts, and
// those that it fetches from each other device.
type assembly struct {
	rows    int64
	sources []prim.Source // the device's own first
	copied  []group.Point // when the others have arrived, by source
}

// slices divides all parts into neighbouring ones with about as many probe rows of this device.
func (s *share) slices(owner []int, probes [][]int64) []span {
	var total, before int64
	for p := range owner {
		total += s.probeRows(p, owner, probes)
	}
	var all []span
	first := 0
	for p := range owner {
		before += s.probeRows(p, owner, probes)
		if end := int64(len(all) + 1); len(all) < probeSlices-1 && before*probeSlices >= total*end {
			all = append(all, span{int64(first), int64(p + 1 - first)})
			first = p + 1
		}
	}
	return append(all, span{int64(first), int64(len(owner) - first)})
}

// probeRows returns the probe rows of a part that this device joins.
func (s *share) probeRows(p int, owner []int, probes [][]int64) (n int64) {
	for d := range probes {
		if s.takes(owner[p], d, false) {
			n += probes[d][p]
		}
	}
	return n
}

// takes reports whether this device joins device d's rows of a part.
func (s *share) takes(owner, d int, build bool) bool {
	if owner == everywhere {
		return build || d == s.Number
	}
	return owner == s.Number
}

// fetch queues copying this device's rows of the given parts from all others, the next device first,
// so that no device is asked by all at once.
func (s *share) fetch(offers []offer, owner []int, parts span, build bool) (*assembly, error) {
	a := &assembly{sources: make([]prim.Source, len(offers)), copied: make([]group.Point, len(offers))}
	for i := range offers {
		d := (s.Number + i) % len(offers)
		from := &offers[d].probe
		if build {
			from = &offers[d].build
		}
		var runs []prim.Run
		for p := int(parts.first); p < int(parts.first+parts.n); p++ {
			if n := from.bounds[p+1] - from.bounds[p]; n > 0 && s.takes(owner[p], d, build) {
				runs = append(runs, prim.Run{First: from.bounds[p], Rows: n, Part: p})
				a.rows += n
			}
		}
		a.sources[i] = prim.Source{Hashes: from.hashes, Values: from.values, Runs: runs}
		if i == 0 {
			continue
		}
		var err error
		if a.sources[i], err = s.copy(offers[d].device, from, runs); err != nil {
			return nil, err
		}
		if a.copied[i], err = s.Record(s.Copy); err != nil {
			return nil, err
		}
	}
	s.rows += a.rows
	return a, nil
}

// copy queues copying runs of another device and returns where they arrive. Neighbouring runs are one
// copy.
func (s *share) copy(device gpu.Device, from *splitSide, runs []prim.Run) (to prim.Source, err error) {
	var n int64
	for _, r := range runs {
		n += r.Rows
	}
	key := int64(4)
	if s.sides.wide() {
		key = 8
	}
	if to.Hashes, err = s.Alloc(n * key); err != nil {
		return to, err
	}
	if to.Values, err = s.Alloc(n * from.width); err != nil {
		return to, err
	}
	if err := s.After(s.Member.Copy, from.moved); err != nil {
		return to, err
	}
	for at := int64(0); len(runs) > 0; {
		together, count := runs[0], 0
		for _, r := range runs {
			if r.First != together.First+together.Rows && count > 0 {
				break
			}
			if count > 0 {
				together.Rows += r.Rows
			}
			to.Runs = append(to.Runs, prim.Run{First: at + r.First - together.First, Rows: r.Rows, Part: r.Part})
			count++
		}
		src, dst := span{first: together.First}, span{first: at}
		if err := s.Fetch(dst.at(to.Hashes, key), device, src.at(from.hashes, key), together.Rows*key); err != nil {
			return to, err
		}
		if err := s.Fetch(dst.at(to.Values, from.width), device, src.at(from.values, from.width), together.Rows*from.width); err != nil {
			return to, err
		}
		at += together.Rows
		runs = runs[count:]
	}
	return to, nil
}

// assemble partitions the rows of an assembly as soon as they have arrived.
func (s *share) assemble(a *assembly, width int64, bits uint) (*prim.Partitions, error) {
	p, err := prim.NewPartitions(s.Task, s.sides.wide(), width, a.rows, bits)
	if err != nil {
		return nil, err
	}
	return p, p.Assemble(s.Task, a.sources, func(source int) error {
		if source == 0 {
			return nil
		}
		return s.After(s.Compute, a.copied[source])
	})
}
