package hash

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// cached is the size, in bytes, from which on a table is filled region by region: about
// half the level-two cache of the devices there are.
const cached = 32 << 20

// regionBits makes 256 regions.
const regionBits = 8

// insertNearby inserts the rows of keys. Where the table is larger than the cache they come in
// the order of the highest eight bits of their hash, hence of 256 regions of the table, if
// there is memory to order them in.
func insertNearby(t *engine.Task, tab *table, keys column.Column, e entries, repeat gpu.Ptr) error {
	if tab.hashBytes() < cached || t.Free() < regionBytes(keys.Kind, keys.Rows) {
		return insert(t, tab, keys.Kind, false, keys.Values, 0, keys, e, repeat)
	}
	m := t.Mark()
	hashes, rows, err := byRegion(t, keys)
	if err == nil {
		err = insert(t, tab, keys.Kind, true, hashes, rows, keys, e, repeat)
	}
	return errors.Join(err, t.Release(m))
}

// insert inserts keys, or hashes, of rows, or without them of all rows in order.
func insert(t *engine.Task, tab *table, kind column.Kind, hashed bool, values, rows gpu.Ptr, keys column.Column, e entries, repeat gpu.Ptr) error {
	return t.Launch("gsql_hash_build", tab.bits, keys.Rows, false, uint64(values), word(hashed), word(kind == column.F64), uint64(rows), 0,
		uint64(keys.Rows), uint64(keys.Valid), uint64(e.values), uint64(e.bias), uint64(tab.words), tab.buckets, uint64(repeat))
}

// byRegion gives the rows' hashes and numbers in the order of the hashes' highest bits.
func byRegion(t *engine.Task, keys column.Column) (hashes, rows gpu.Ptr, err error) {
	wide := keys.Kind != column.I32
	p, err := prim.NewPartitions(t, wide, 4, keys.Rows, regionBits)
	if err != nil {
		return 0, 0, err
	}
	p.Low = uint(8*keys.Kind.Width()) - regionBits
	return p.Hashes, p.Values, p.Partition(t, keys.Values, prim.Carried{Width: 4}, keys.Rows)
}

// regionBytes is what byRegion takes.
func regionBytes(kind column.Kind, n int64) int64 {
	kept, scratch := prim.PartitionBytes(kind != column.I32, 4, n, regionBits)
	return kept + scratch
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
