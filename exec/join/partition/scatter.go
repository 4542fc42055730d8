package partition

import (
	"gsql/internal/mem"
	"gsql/internal/simd"
)

// Scatterer moves codes and their rows to the positions of partitions in one goroutine.
type Scatterer struct {
	start, next []int32 // of the partitions: the first position, and the next code's
	groups      []uint64
	dst         []uint64
	dstRows     []int32
}

const (
	// combinedRows and combinedPartitions are from how many rows and partitions on buffers pay: fewer
	// stay in the caches (go run ./bench/scatter).
	combinedRows, combinedPartitions = 1 << 17, 32
	// partitionRows is the least number of rows a partition must have on average.
	partitionRows = 8 * simd.ScatterGroup
)

// Combines reports whether to move rows to their partitions through buffers.
func Combines(rows, partitions int) bool {
	return rows >= combinedRows && partitions >= combinedPartitions && rows/partitions >= partitionRows
}

// Buffers allocates buffers for a number of partitions.
func Buffers(acct *mem.Account, partitions int) (*mem.Buffer[uint64], error) {
	return mem.Scratch[uint64](acct, partitions*simd.ScatterWords)
}

// Begin sets the destination of codes and rows. next has the first position of each partition; groups
// is as long as Buffers makes it, or nil to write directly.
func (s *Scatterer) Begin(dst []uint64, dstRows []int32, next []int32, groups []uint64) {
	s.start, s.next = append(s.start[:0], next...), next
	s.groups, s.dst, s.dstRows = groups, dst, dstRows
}

// Deal moves codes and their rows, whose partitions are the digits.
func (s *Scatterer) Deal(codes []uint64, rows []int32, digits []uint16) {
	if s.groups != nil && simd.Scatter(codes, rows, digits, s.next, s.start, s.groups, s.dst, s.dstRows) {
		return
	}
	s.groups = nil // the processor lacks the instructions
	next, dst, dstRows := s.next, s.dst, s.dstRows
	for i, x := range digits[:len(codes)] {
		at := next[x]
		next[x] = at + 1
		dst[at], dstRows[at] = codes[i], rows[i]
	}
}

// End writes what is left in the buffers.
func (s *Scatterer) End() {
	if s.groups != nil {
		simd.ScatterRest(s.next, s.start, s.groups, s.dst, s.dstRows)
	}
}
