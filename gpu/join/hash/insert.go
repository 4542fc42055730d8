package hash

import (
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// insertNearby inserts the rows of keys: into a table larger than the cache region by region,
// if there is memory to order them in.
func insertNearby(t *engine.Task, tab *table, keys column.Column, e entries, repeat gpu.Ptr) error {
	const width = 4
	if tab.hashBytes() < tuned.cached || t.Free() < regionBytes(keys.Kind, width, keys.Rows) {
		return insert(t, tab, false, keys.Values, 0, keys, e, repeat)
	}
	return byRegion(t, keys, prim.Carried{Width: width}, func(p *prim.Partitions) error {
		return insert(t, tab, true, p.Hashes, p.Values, keys, e, repeat)
	})
}

// insert inserts keys, or hashes, of rows, or without them of all rows in order.
func insert(t *engine.Task, tab *table, hashed bool, values, rows gpu.Ptr, keys column.Column, e entries, repeat gpu.Ptr) error {
	return t.Launch("gsql_hash_build", tab.bits, keys.Rows, false, uint64(values), word(hashed), word(keys.Kind == column.F64), uint64(rows), 0,
		uint64(keys.Rows), uint64(keys.Valid), uint64(e.values), uint64(e.bias), uint64(tab.words), tab.buckets, uint64(repeat))
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
