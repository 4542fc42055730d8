package simd

import "unsafe"

// HashDigits writes the hashes of the first done codes to dst, which must be as long as codes,
// shifted right so that at most 16 bits remain. The hash is that of SelectMembers.
func HashDigits(dst []uint16, codes []uint64, shift uint) (done int) {
	if done = len(codes) &^ (shortPerIteration - 1); current.hashDigits == nil || done == 0 {
		return 0
	}
	_ = dst[done-1]
	current.hashDigits(&dst[0], &codes[0], done, uint64(shift))
	return done
}

const (
	// ScatterGroup is how many rows of a partition Scatter buffers before it writes them.
	ScatterGroup = 16
	// ScatterWords is the memory, in words, that Scatter requires for each partition.
	ScatterWords = ScatterGroup + ScatterGroup/2
)

// Scatter distributes codes and their rows to partitions, which digits name: those of partition p
// go to dst and dstRows from position start[p] on, in their order. It buffers rows that do not fill
// a group, aligned to ScatterGroup, in groups of ScatterWords words per partition. next[p] is the
// position after the partition's last row, initially start[p]. ScatterRest writes the buffered
// rows. Memory that Scatter writes past the caches is visible to goroutines that synchronise with
// its caller. It returns false, and does nothing, if the processor lacks the instructions or dst
// and dstRows are not aligned to 32 bytes.
func Scatter(codes []uint64, rows []int32, digits []uint16, next, start []int32, groups, dst []uint64, dstRows []int32) bool {
	if current.scatter == nil || len(dst) == 0 || misaligned(&dst[0]) || misaligned(&dstRows[0]) {
		return false
	}
	n := len(codes)
	if n == 0 {
		return true
	}
	_, _, _, _ = rows[n-1], digits[n-1], dstRows[len(dst)-1], groups[ScatterWords*len(next)-1]
	_ = start[len(next)-1]
	current.scatter(&codes[0], &rows[0], &digits[0], n, &next[0], &start[0], &groups[0], &dst[0], &dstRows[0])
	return true
}

func misaligned[T any](p *T) bool { return uintptr(unsafe.Pointer(p))%32 != 0 }

// ScatterRest writes the rows that Scatter has buffered.
func ScatterRest(next, start []int32, groups, dst []uint64, dstRows []int32) {
	for p, end := range next {
		from := max(end&^(ScatterGroup-1), start[p])
		group := groups[ScatterWords*p:][:ScatterWords]
		rows := unsafe.Slice((*int32)(unsafe.Pointer(&group[ScatterGroup])), ScatterGroup)
		copy(dst[from:end], group[from&(ScatterGroup-1):ScatterGroup])
		copy(dstRows[from:end], rows[from&(ScatterGroup-1):])
	}
}
