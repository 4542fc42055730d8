package simd

import (
	"math/rand/v2"
	"testing"
)

func TestRepeat(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	EachLevel(t.Run, func(t *testing.T) {
		for range 2000 {
			var values, ends, want, rows []int32
			var wide []int64
			for range r.IntN(20) {
				x := int32(number(r))
				for range 1 + r.IntN(1+r.IntN(40)) {
					want, rows = append(want, x), append(rows, int32(len(values)))
				}
				values, ends, wide = append(values, x), append(ends, int32(len(want))), append(wide, int64(x)<<20)
			}
			dst, room := make([]int32, len(want)+1), r.IntN(2)
			narrow := dst[: len(want)+room : len(want)+room]
			dst[len(want)] = 42
			check(t, Repeat(narrow, values, ends), ends, len(narrow)-7, func(i int) bool { return dst[i] == want[i] })
			if room == 0 && dst[len(want)] != 42 {
				t.Fatal("the element behind was overwritten")
			}
			all := make([]int64, len(want)+1)
			all[len(want)] = 42
			check(t, RepeatRows(all[:len(want)], wide, rows, ends), ends, len(want)-3, func(i int) bool { return all[i] == int64(want[i])<<20 })
			if all[len(want)] != 42 {
				t.Fatal("the element behind was overwritten")
			}
		}
	})
}

// check wants the elements of the runs done right, and all runs done that end by last.
func check(t *testing.T, done int, ends []int32, last int, right func(i int) bool) {
	t.Helper()
	if level >= AVX2 && done < len(ends) && int(ends[done]) <= last {
		t.Fatalf("%d runs done of those up to %d of %d", done, last, ends)
	}
	for i := range ends[:done] {
		for k := range int(ends[i]) {
			if !right(k) {
				t.Fatalf("element %d of runs up to %d", k, ends)
			}
		}
	}
}
