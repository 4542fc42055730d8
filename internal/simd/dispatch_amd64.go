package simd

import "golang.org/x/sys/cpu"

var (
	hasAVX2   = cpu.X86.HasAVX2
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasPOPCNT
)

var selects = [predicates]func(dst *int32, xs *int64, n int, c int64) int{
	Equal: selectEqualAVX512, Less: selectLessAVX512, LessEqual: selectLessEqualAVX512,
	NotEqual: selectNotEqualAVX512, GreaterEqual: selectGreaterEqualAVX512, Greater: selectGreaterAVX512,
}

// Widen copies the first elements of src to dst, which is as long, and gives their number.
func Widen(dst []int64, src []int32) (done int) {
	if done = len(src) &^ 15; !hasAVX2 || done == 0 {
		return 0
	}
	_ = dst[done-1]
	widenAVX2(&dst[0], &src[0], done)
	return done
}

// Select writes the positions of those of the first done elements of xs that compare with c as
// p says to dst, which has room for xs, and gives their number.
func Select(dst []int32, xs []int64, c int64, p Predicate) (selected, done int) {
	if done = len(xs) &^ 7; !hasAVX512 || done == 0 {
		return 0, 0
	}
	_ = dst[done-1]
	return selects[p](&dst[0], &xs[0], done, c), done
}
