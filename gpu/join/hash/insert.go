package hash

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
	"gsql/kernels"
)

// cached is the size, in bytes, from which on a table is filled region by region: about
// half the level-two cache of the devices there are.
const cached = 32 << 20

const (
	bins          = 256
	histogramFile = "gsql_partition_histogram"
	passFamily    = "gsql_partition_pass"
)

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
	n, width := keys.Rows, keys.Kind.Width()
	var numbers, counts, state gpu.Ptr
	stateBytes := partitionState(keys.Kind, n)
	for _, a := range []struct {
		p     *gpu.Ptr
		bytes int64
	}{{&hashes, n * width}, {&rows, n * 4}, {&numbers, n * 4}, {&counts, bins * 8}, {&state, stateBytes}} {
		if *a.p, err = t.Alloc(a.bytes); err != nil {
			return 0, 0, err
		}
	}
	typ, low := keys.Kind.Bits(), uint64(8*width-8)
	err = errors.Join(prim.RowNumbers(t, numbers, 0, n), t.Fill(counts, 0, bins*8), t.Fill(state, 0, stateBytes))
	if err != nil {
		return 0, 0, err
	}
	if err := t.LaunchBlocks(histogramFile, typ, min(n/8192+1, t.ResidentBlocks()), 4*1024, uint64(keys.Values), uint64(n), uint64(counts), low, low+8, 0, 0); err != nil {
		return 0, 0, err
	}
	if err := t.LaunchBlocks("gsql_radix_offsets", "", 1, 0, uint64(counts)); err != nil {
		return 0, 0, err
	}
	err = t.Launch(passFamily, typ+"b4", n, keys.Kind.Width() == 8, uint64(keys.Values), uint64(numbers), uint64(hashes), uint64(rows), uint64(n),
		uint64(counts), uint64(state), low, bins-1)
	return hashes, rows, err
}

func partitionState(kind column.Kind, n int64) int64 {
	return 8 * (1 + bins*kernels.Tiles(passFamily, n, kind.Width() == 8))
}

// regionBytes is what byRegion takes.
func regionBytes(kind column.Kind, n int64) int64 {
	return n*(kind.Width()+8) + bins*8 + partitionState(kind, n) + 5*gpu.Alignment
}

func word(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
