//go:build unix

package simd

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// imageOf makes an image byte by byte.
func imageOf(s string) (x TextImage, ok bool) {
	if len(s) > 15 {
		return x, false
	}
	copy(x[:], s)
	x[15] = byte(len(s))
	return x, true
}

// radixOf returns a radix of digits with the given bounds.
func radixOf(lo, hi TextImage) (r TextRadix) {
	r.Least = lo
	var n [16]uint64
	for i := range n {
		r.Most[i] = hi[i] - lo[i]
		n[i] = uint64(r.Most[i]) + 1
	}
	for i := 0; i < 16; i += 2 {
		r.Pairs[i], r.Pairs[i+1] = int8(n[i+1]), 1
		n[i/2] = n[i] * n[i+1]
	}
	for i := 0; i < 8; i += 2 {
		r.Fours[i], r.Fours[i+1] = int16(n[i+1]), 1
		n[i/2] = n[i] * n[i+1]
	}
	r.Eights[0], r.Eights[2], r.Half = uint32(n[1]), uint32(n[3]), n[2]*n[3]
	return r
}

// stringIn returns bytes where they lie as a string.
func stringIn(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// guarded returns memory of which the page before and the one behind cannot be read.
func guarded(t *testing.T) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(all) })
	for _, at := range []int{0, 3 * page} {
		if err := syscall.Mprotect(all[at:at+page], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page : 3*page]
}

// TestTexts numbers texts that end and begin where memory does.
func TestTexts(t *testing.T) {
	room := guarded(t)
	EachLevel(t.Run, func(t *testing.T) { testTexts(t, room) })
}

func testTexts(t *testing.T, room []byte) {
	r := rand.New(rand.NewPCG(17, 17))
	for i := range room {
		room[i] = "0123456789"[r.IntN(10)]
	}
	for round := range 3000 {
		least, most := 1+r.IntN(15), 16
		if round%4 > 0 { // no long ones
			most = 15
		}
		if round%8 == 7 {
			least = 0
		}
		xs := make([]string, 1+r.IntN(80))
		for i := range xs {
			n := least + r.IntN(most-least+1)
			at := []int{0, len(room) - n, len(room)/2 - r.IntN(16), r.IntN(len(room) - n)}[r.IntN(4)]
			xs[i] = string(room[at : at+n]) // for its own memory
			if r.IntN(2) == 0 {
				xs[i] = stringIn(room[at : at+n])
			}
		}
		checkTexts(t, xs, r)
	}
}

func checkTexts(t *testing.T, xs []string, r *rand.Rand) {
	t.Helper()
	var lo, hi TextImage
	for i := range lo {
		lo[i] = 255
	}
	wantLo, wantHi, images := lo, hi, 0
	for _, s := range xs {
		x, ok := imageOf(s)
		if !ok {
			break
		}
		images++
		for i, b := range x {
			wantLo[i], wantHi[i] = min(wantLo[i], b), max(wantHi[i], b)
		}
	}
	done := TextBounds(xs, &lo, &hi)
	if level == None {
		if done != 0 || TextNumbers(make([]uint64, len(xs)), xs, &TextRadix{}) != 0 {
			t.Fatal("something was done without vector instructions")
		}
		return
	}
	if done != images || lo != wantLo || hi != wantHi {
		t.Fatalf("%q: bounds of %d of %d are %v and %v, not %v and %v", xs, done, images, lo, hi, wantLo, wantHi)
	}
	// Six digits and the length count; the bytes behind may be what they are, and then have no
	// number.
	for i := 6; i < 15; i++ {
		hi[i] = lo[i] + byte(r.IntN(2))*(hi[i]-lo[i])/9
	}
	lo[0] = min(lo[0]+byte(r.IntN(2)), hi[0])
	how, got := radixOf(lo, hi), make([]uint64, len(xs)+1)
	got[len(xs)] = 42
	if TextNumbers(got[:len(xs)], xs, &how) != len(xs) || got[len(xs)] != 42 {
		t.Fatal("not all are done, or more")
	}
	for k, s := range xs {
		x, ok := imageOf(s)
		want := uint64(0)
		for i, b := range x {
			ok = ok && b >= lo[i] && b <= hi[i]
			want = want*(uint64(how.Most[i])+1) + uint64(b-lo[i])
		}
		if !ok {
			want = NoNumber
		}
		if got[k] != want {
			t.Fatalf("%q between %v and %v is %d, not %d", s, lo, hi, got[k], want)
		}
	}
}

func BenchmarkTextNumbers(b *testing.B) {
	xs, dst := make([]string, 2048), make([]uint64, 2048)
	for i := range xs {
		xs[i] = "key000000123456"
	}
	how := TextRadix{}
	for b.Loop() {
		if TextNumbers(dst, xs, &how) == 0 {
			b.Skip("the processor lacks the instructions")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2048, "ns/text")
}
