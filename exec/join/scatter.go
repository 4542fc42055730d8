package join

import (
	"gsql/internal/mem"
	"gsql/internal/simd"
)

// scatterer deals codes with their rows out to places of partitions that follow each other. Many
// rows go there by way of write-combining buffers (Balkesen, Teubner, Alonso and Özsu, Main-Memory
// Hash Joins on Multi-Core CPUs, 2013, section 4), by which a line of memory is written once and
// none is read for it. It is for one goroutine.
type scatterer struct {
	start, next []int32 // of the partitions: their first place, and the next code's
	groups      []uint64
	dst         []uint64
	dstRows     []int32
}

const (
	// combinedRows is how many rows make the buffers worth it, and into how many partitions: fewer
	// stay in the caches (go run ./bench/scatter).
	combinedRows, combinedPartitions = 1 << 17, 32
	// partitionRows is how many rows a partition must have on average.
	partitionRows = 8 * simd.ScatterGroup
)

// combines tells whether so many rows should go to their partitions by way of buffers.
func combines(rows, partitions int) bool {
	return rows >= combinedRows && partitions >= combinedPartitions && rows/partitions >= partitionRows
}

// buffers makes the buffers for so many partitions.
func buffers(acct *mem.Account, partitions int) (*mem.Buffer[uint64], error) {
	return mem.Scratch[uint64](acct, partitions*simd.ScatterWords)
}

// to says where codes and rows go from now on. next has the partitions' first places; groups,
// which is nil where there are no buffers, is as long as buffers makes it.
func (s *scatterer) to(dst []uint64, dstRows []int32, next []int32, groups []uint64) {
	s.start, s.next = append(s.start[:0], next...), next
	s.groups, s.dst, s.dstRows = groups, dst, dstRows
}

// deal takes codes and their rows, whose partitions are the digits.
func (s *scatterer) deal(codes []uint64, rows []int32, digits []uint16) {
	if s.groups != nil && simd.Scatter(codes, rows, digits, s.next, s.start, s.groups, s.dst, s.dstRows) {
		return
	}
	s.groups = nil // it is the same for all
	next, dst, dstRows := s.next, s.dst, s.dstRows
	for i, x := range digits[:len(codes)] {
		at := next[x]
		next[x] = at + 1
		dst[at], dstRows[at] = codes[i], rows[i]
	}
}

// end puts what is in buffers to its places.
func (s *scatterer) end() {
	if s.groups != nil {
		simd.ScatterRest(s.next, s.start, s.groups, s.dst, s.dstRows)
	}
}
