package radix

import (
	"encoding/binary"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// units are the work items of a join of two partitioned sides: pairs of a chunk of build rows and
// one of probe rows. They are numbered and listed in ranges, because a join of many equal keys has
// more of them than memory holds.
type units struct {
	build, probe *prim.Partitions
	offsets      gpu.Ptr // of each partition's first unit
	list         gpu.Ptr // capacity for most units
	n, most      int64
}

// unitsBytes returns the memory that units of partitions by bits take, unless all keys are the
// same: with less there are more ranges.
func unitsBytes(bits uint) int64 {
	parts := int64(1) << bits
	return padded(8*parts) + padded(8) + prim.ScanBytes(parts) + padded(unitBytes*min(listUnits, 8*parts))
}

// countUnits numbers the units; it waits for the partitions.
func countUnits(t *engine.Task, build, probe *prim.Partitions) (*units, error) {
	u := &units{build: build, probe: probe}
	parts := build.Count()
	var err error
	if u.offsets, err = t.Alloc(8 * parts); err != nil {
		return nil, err
	}
	total, err := t.Alloc(8)
	if err != nil {
		return nil, err
	}
	err = t.Launch("gsql_radix_units_count", "", parts, false,
		uint64(build.Bounds), uint64(probe.Bounds), uint64(parts), probeChunk, uint64(u.offsets))
	if err == nil {
		err = prim.Scan64(t, u.offsets, u.offsets, parts, total)
	}
	if err != nil {
		return nil, err
	}
	n, err := t.ReadWord(total)
	if err != nil {
		return nil, err
	}
	u.n = int64(n)
	u.most = max(min(u.n, listUnits, t.Free()/(4*unitBytes)), 1)
	u.list, err = t.Alloc(unitBytes * u.most)
	return u, err
}

// write lists the n units from number first on, at most u.most, and returns the list, which the
// next call overwrites.
func (u *units) write(t *engine.Task, first, n int64) (gpu.Ptr, error) {
	return u.list, t.Launch("gsql_radix_units_write", "", n, false, uint64(u.build.Bounds), uint64(u.probe.Bounds),
		uint64(u.build.Count()), probeChunk, uint64(u.offsets), uint64(first), uint64(n), uint64(u.list))
}

// cut returns the list of n units, each divided into parts by its probe or its build rows.
func cut(t *engine.Task, list gpu.Ptr, n, parts int64, byBuild bool) (gpu.Ptr, error) {
	out, err := t.Alloc(unitBytes * n * parts)
	if err != nil {
		return 0, err
	}
	by := uint64(0)
	if byBuild {
		by = 1
	}
	return out, t.Launch("gsql_radix_units_cut", "", n*parts, false, uint64(list), uint64(n), uint64(parts), by, uint64(out))
}

// largest returns the most probe and the most build rows among n listed units; n must be small.
func largest(t *engine.Task, list gpu.Ptr, n int64) (probe, build int64, err error) {
	raw := make([]byte, unitBytes*n)
	if err := t.Read(raw, list); err != nil {
		return 0, 0, err
	}
	for ; len(raw) > 0; raw = raw[unitBytes:] {
		build = max(build, int64(binary.LittleEndian.Uint32(raw[4:])))
		probe = max(probe, int64(binary.LittleEndian.Uint32(raw[12:])))
	}
	return probe, build, nil
}
