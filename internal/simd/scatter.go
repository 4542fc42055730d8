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

// LineBytes is the memory that ScatterLines requires for each partition, and the alignment of its destination.
const LineBytes = 64

// ScatterLines distributes words to partitions, which digits name: those of partition p go to dst from position
// start[p] on, in their order. It buffers words that do not fill a line of dst in lines, which has LineBytes for each
// partition. next[p] is the position after the partition's last word, initially start[p]. ScatterLinesRest writes the
// buffered words. Memory that ScatterLines writes past the caches is visible to goroutines that synchronise with its
// caller. It returns false, and does nothing, if the processor lacks the instructions or dst is not aligned.
func ScatterLines[T uint32 | uint64](words []T, digits []uint16, next, start []int32, lines, dst []T) bool {
	n := len(words)
	if current.scatter64 == nil || n == 0 || len(dst) == 0 || uintptr(unsafe.Pointer(&dst[0]))%LineBytes != 0 {
		return n == 0 && current.scatter64 != nil
	}
	_, _, _ = digits[n-1], start[len(next)-1], lines[len(next)*lineWords[T]()-1]
	if unsafe.Sizeof(words[0]) == 8 {
		current.scatter64(cast[uint64](words), &digits[0], n, &next[0], &start[0], cast[uint64](lines), cast[uint64](dst))
	} else {
		current.scatter32(cast[uint32](words), &digits[0], n, &next[0], &start[0], cast[uint32](lines), cast[uint32](dst))
	}
	return true
}

// ScatterLinesRest writes the words that ScatterLines has buffered.
func ScatterLinesRest[T uint32 | uint64](next, start []int32, lines, dst []T) {
	each := int32(lineWords[T]())
	for p, end := range next {
		from := max(end&^(each-1), start[p])
		line := lines[int32(p)*each:][:each]
		copy(dst[from:end], line[from&(each-1):])
	}
}

func lineWords[T uint32 | uint64]() int {
	var zero T
	return LineBytes / int(unsafe.Sizeof(zero))
}

// cast returns the address of words as that of another type of the same size.
func cast[To, From any](words []From) *To { return (*To)(unsafe.Pointer(unsafe.SliceData(words))) }
