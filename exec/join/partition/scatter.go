package partition

import (
	"gsql/internal/mem"
	"gsql/internal/simd"
)

// Scatterer moves codes and their rows to the positions of their partitions, in one goroutine.
type Scatterer struct {
	start, next []int32 // by partition: the first position, and that of the next code
	groups      []uint64
	dst         []uint64
	dstRows     []int32
}

const (
	// combinedRows and combinedPartitions are the least numbers of rows and partitions for which
	// buffers pay: fewer stay in the caches (go run ./bench/scatter).
	combinedRows, combinedPartitions = 1 << 17, 32
	// partitionRows is the least average number of rows in a partition for which buffers pay.
	partitionRows = 8 * simd.ScatterGroup
)

// Combines reports whether rows should go to their partitions through buffers.
func Combines(rows, partitions int) bool {
	return rows >= combinedRows && partitions >= combinedPartitions && rows/partitions >= partitionRows
}

// Buffers allocates buffers for a number of partitions.
func Buffers(acct *mem.Account, partitions int) (*mem.Buffer[uint64], error) {
	return mem.Scratch[uint64](acct, partitions*simd.ScatterWords)
}

// Begin sets the destination of codes and rows. next holds the first position of each partition.
// groups comes from Buffers, or is nil to write directly.
func (s *Scatterer) Begin(dst []uint64, dstRows []int32, next []int32, groups []uint64) {
	s.start, s.next = append(s.start[:0], next...), next
	s.groups, s.dst, s.dstRows = groups, dst, dstRows
}

// Deal moves codes and their rows to the partitions in digits.
func (s *Scatterer) Deal(codes []uint64, rows []int32, digits []uint16) {
	if s.groups != nil && simd.Scatter(codes, rows, digits, s.next, s.start, s.groups, s.dst, s.dstRows) {
		return
	}
	s.groups = nil // the CPU lacks the instructions
	next, dst, dstRows := s.next, s.dst, s.dstRows
	for i, x := range digits[:len(codes)] {
		at := next[x]
		next[x] = at + 1
		dst[at], dstRows[at] = codes[i], rows[i]
	}
}

// End writes the remaining contents of the buffers.
func (s *Scatterer) End() {
	if s.groups != nil {
		simd.ScatterRest(s.next, s.start, s.groups, s.dst, s.dstRows)
	}
}
