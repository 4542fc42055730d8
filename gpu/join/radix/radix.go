// Package radix joins two inputs on equality by partitioning both by their keys' hashes until the
// build side of a partition fits the shared memory of a block: He et al., Relational Joins on
// Graphics Processors (SIGMOD 2008, 4.3). Levels, hashes and the treatment of skew follow Sioulas
// et al., Hardware-conscious Hash-Joins on GPUs (ICDE 2019).
//
// Rows with NULL keys are dropped before partitioning. Partitions larger than a block's table,
// because one side is skewed, are cut into chunks whose pairs are joined one by one, so that equal
// keys on both sides cost time, not memory.
package radix

import (
	"math/bits"

	"gsql/gpu/join"
	"gsql/gpu/prim"
	"gsql/kernels"
)

// Options are choices of the caller.
type Options struct {
	// BuildLeft makes the left side the build side, whose rows go to the tables in shared memory.
	// It should be the side with fewer rows or fewer equal keys. Aggregates of a column choose on
	// their own.
	BuildLeft bool

	// Bits is the number of hash bits to partition by; 0 chooses by the build side's size.
	Bits uint

	// ProbeRows limits the probe rows that are partitioned at once; 0 means as many as fit in
	// memory. If memory is short, they are divided further.
	ProbeRows int64
}

const (
	// buildTarget is the average number of build rows of a partition. It is below a chunk's
	// capacity, so that few partitions need two chunks.
	buildTarget = kernels.UnitBuild * 5 / 6

	// probeChunk is the most probe rows of a unit.
	probeChunk = 16 << 10

	// listUnits is the most units that are listed at once.
	listUnits = 1 << 20

	unitBytes = 16
)

// bits returns the number of hash bits by which n build rows are partitioned. It is at least 1,
// which an aggregate's tables rely on.
func (o Options) bits(n int64) uint {
	if o.Bits != 0 {
		return min(o.Bits, prim.MaxPartitionBits)
	}
	return uint(min(max(bits.Len64(uint64((n-1)/buildTarget)), 1), prim.MaxPartitionBits))
}

// rows returns the number of rows of a side.
func rows(in join.Input, left bool) int64 {
	if left {
		return in.Left
	}
	return in.Right
}
