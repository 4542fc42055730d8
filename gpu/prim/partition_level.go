package prim

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

// tiles is a list of n tiles in device memory, each a run of rows of one partition of the level
// above.
type tiles struct {
	list gpu.Ptr
	n    int64
}

// list cuts the partitions of the level above into tiles.
func (p *Partitions) list(t *engine.Task, l int, to tiles) error {
	var above gpu.Ptr
	if l > 0 {
		above = p.cursors[l-1] + 8
	}
	parents := int64(1) << p.shift(l)
	return t.LaunchBlocks("gsql_partition_tiles", "", min((to.n+255)/256, t.ResidentBlocks()), int(4*parents),
		uint64(above), uint64(p.Rows), uint64(parents), uint64(p.tileRows()), uint64(to.list), uint64(to.n))
}

// parts returns the number of partitions that a level makes.
func (p *Partitions) parts(l int) int64 { return 1 << (p.shift(l) + p.levels()[l]) }

// clear prepares a level's cursors for count.
func (p *Partitions) clear(t *engine.Task, l int) error {
	return t.Fill(p.cursors[l], 0, cursorBytes(p.parts(l)))
}

// count adds the rows of tiles to the counts of a level's partitions.
func (p *Partitions) count(t *engine.Task, l int, keys gpu.Ptr, of tiles) error {
	const each = kernels.PartitionCountTiles
	return t.LaunchBlocks("gsql_partition_count", p.keyType(), (of.n+each-1)/each, 0,
		uint64(keys), uint64(of.list), uint64(of.n), p.hashed(l), uint64(p.shift(l)), uint64(p.levels()[l]), uint64(p.cursors[l]+16))
}

// sum turns a level's counts into the positions of its partitions' first rows.
func (p *Partitions) sum(t *engine.Task, l int) error {
	cursors := p.cursors[l] + 16
	return withScratch(t, 8, func(total gpu.Ptr) error { return Scan64(t, cursors, cursors, p.parts(l), total) })
}

// move writes the rows of tiles to the level's partitions.
func (p *Partitions) move(t *engine.Task, l int, in, out rows, of tiles) error {
	family, typ := p.pass()
	return t.LaunchBlocks(family, typ, of.n, kernels.PartitionShared[typ], uint64(in.keys), uint64(in.carried.Column),
		uint64(in.carried.High), uint64(in.carried.Addend), uint64(out.keys), uint64(out.carried.Column),
		uint64(of.list), uint64(p.cursors[l]+16), p.hashed(l), uint64(p.shift(l)), uint64(p.levels()[l]))
}

// hashed is 1 if a level reads hashes, which the first level writes, and 0 if it reads keys.
func (p *Partitions) hashed(l int) uint64 {
	if l > 0 || p.known > 0 {
		return 1
	}
	return 0
}
