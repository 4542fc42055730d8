//go:build unix

package simd

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTextCandidates looks for needles in texts that end and begin where memory does. Those that
// contain the needle must be candidates, and few others may be.
func TestTextCandidates(t *testing.T) {
	room := guarded(t)
	EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 9))
		for i := range room {
			room[i] = "abcdefghijklmnop"[r.IntN(16)]
		}
		extra, others := 0, 0
		for range 2000 {
			xs := make([]string, 1+r.IntN(20))
			for i := range xs {
				n := []int{r.IntN(40), r.IntN(200), 31 + r.IntN(4)}[r.IntN(3)]
				at := []int{0, len(room) - n, len(room)/2 - r.IntN(n+1), r.IntN(len(room) - n)}[r.IntN(4)]
				xs[i] = stringIn(room[at : at+n])
			}
			n := 1 + r.IntN(5)
			at := r.IntN(len(room) - n)
			needle := string(room[at : at+n])
			dst := make([]int64, len(xs))
			for i := range dst {
				dst[i] = -1
			}
			done := TextCandidates(dst, xs, needle)
			for i, s := range xs[:done] {
				if dst[i] != 0 && dst[i] != 1 || dst[i] == 0 && strings.Contains(s, needle) {
					t.Fatalf("%q in %q: %d", needle, s, dst[i])
				}
				if !strings.Contains(s, needle) {
					others++
					extra += int(dst[i])
				}
			}
		}
		if extra > others/3 {
			t.Errorf("%d of %d texts without the needle are candidates", extra, others)
		}
	})
}
