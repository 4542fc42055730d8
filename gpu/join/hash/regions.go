package hash

import (
	"errors"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/prim"
)

// tuning decides when rows are ordered by the region of the table that they lead to.
type tuning struct {
	cached    int64 // bytes of a table from which on it pays: half the level-two cache, about
	leastRows int64 // probe rows from which on it pays
	mostRows  int64 // at a time; the table's regions come into the cache once for each time
}

var tuned = tuning{cached: 32 << 20, leastRows: 1 << 22, mostRows: 1 << 26}

// regionBits makes 256 regions.
const regionBits = 8

// byRegion orders n keys, by their hashes, by the regions of a table that they lead to, and
// calls use with them while they are there.
func byRegion(t *engine.Task, keys column.Column, carried prim.Carried, use func(*prim.Partitions) error) error {
	m := t.Mark()
	p, err := prim.NewPartitions(t, wide(keys.Kind), carried.Width, keys.Rows, regionBits)
	if err == nil {
		p.Low = uint(8*keys.Kind.Width()) - regionBits
		err = p.Partition(t, keys.Values, carried, keys.Rows)
	}
	if err == nil {
		err = use(p)
	}
	return errors.Join(err, t.Release(m))
}

// regionBytes is what byRegion takes.
func regionBytes(kind column.Kind, width, n int64) int64 {
	kept, scratch := prim.PartitionBytes(wide(kind), width, n, regionBits)
	return kept + scratch
}

func wide(kind column.Kind) bool { return kind != column.I32 }

// regionStep is how many of the probe rows are ordered by region at a time before they are
// looked up; 0 where that does not pay: with tables that the cache holds, with so few rows
// that most of the table is not read twice, or in little memory. NULL keys are not told apart
// once they are hashes.
func (tab *table) regionStep(t *engine.Task, keys column.Column, width int64) int64 {
	least := tuned.leastRows
	if tab.direct || tab.hashBytes() < tuned.cached || keys.Valid != 0 || keys.Rows < max(least, int64(tab.buckets)) {
		return 0
	}
	step := min(keys.Rows, tuned.mostRows)
	for step >= least && regionBytes(keys.Kind, width, step) > t.Free() {
		step /= 2
	}
	if step < least {
		return 0
	}
	return step
}
