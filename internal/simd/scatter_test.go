package simd

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func TestHashDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 31))
	EachLevel(t.Run, func(t *testing.T) {
		for range 2000 {
			codes := make([]uint64, r.IntN(100))
			for i := range codes {
				codes[i] = uint64(number(r))
			}
			dst, shift := make([]uint16, len(codes)+1), uint(48+r.IntN(17))
			dst[len(codes)] = 42
			done := HashDigits(dst[:len(codes)], codes, shift)
			if level > None && done != len(codes)&^15 || dst[done] != 0 && done < len(codes) || dst[len(codes)] != 42 {
				t.Fatalf("%d of %d done", done, len(codes))
			}
			for i, c := range codes[:done] {
				hi, lo := bits.Mul64(c^0xa0761d6478bd642f, 0x9e3779b97f4a7c15)
				if want := uint16((hi ^ lo) >> shift); dst[i] != want {
					t.Fatalf("the digit of %d, shifted by %d, is %d, not %d", c, shift, dst[i], want)
				}
			}
		}
	})
}

// aligned returns n elements, of at most 8 bytes, that begin at a multiple of 32 bytes.
func aligned[T any](n int) []T {
	room := make([]T, n+32)
	for misaligned(&room[0]) {
		room = room[1:]
	}
	return room[:n]
}

// TestScatter deals out to partitions some of which are empty, one after the other, in several
// calls; there are rows of others before the first one and behind the last one.
func TestScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 32))
	EachLevel(t.Run, func(t *testing.T) {
		for range 500 {
			n, partitions := r.IntN(3000), 1+r.IntN(60)
			digits, codes, rows := make([]uint16, n), make([]uint64, n), make([]int32, n)
			before, skew := r.IntN(40), 1+r.IntN(3)
			next := make([]int32, partitions)
			wantCodes, wantRows := make([][]uint64, partitions), make([][]int32, partitions)
			for i := range n {
				x := r.IntN(partitions)
				for range skew {
					x = r.IntN(x + 1)
				}
				digits[i], codes[i], rows[i] = uint16(x), r.Uint64(), int32(i)
				wantCodes[x], wantRows[x] = append(wantCodes[x], codes[i]), append(wantRows[x], rows[i])
			}
			at := int32(before)
			for x := range next {
				next[x] = at
				at += int32(len(wantRows[x]))
			}
			start := slices.Clone(next)
			dst, dstRows := aligned[uint64](before+n+40), aligned[int32](before+n+40)
			groups := make([]uint64, partitions*ScatterWords)
			for from := 0; from < n; {
				to := min(from+1+r.IntN(1000), n)
				if Scatter(codes[from:to], rows[from:to], digits[from:to], next, start, groups, dst, dstRows) != (level > None) {
					t.Fatal("done, or not done, on the wrong processor")
				}
				from = to
			}
			if level == None {
				continue
			}
			ScatterRest(next, start, groups, dst, dstRows)
			gotCodes, gotRows := slices.Concat(wantCodes...), slices.Concat(wantRows...)
			end := before + n
			if !slices.Equal(dst[before:end], gotCodes) || !slices.Equal(dstRows[before:end], gotRows) {
				t.Fatalf("%d rows to %d partitions are in other places", n, partitions)
			}
			for i, c := range dst {
				if (i < before || i >= end) && (c != 0 || dstRows[i] != 0) {
					t.Fatal("places of others were written to")
				}
			}
		}
	})
}

// TestScatterNeedsAlignment says no where lines of memory do not begin at groups.
func TestScatterNeedsAlignment(t *testing.T) {
	dst, rows := aligned[uint64](64), aligned[int32](64)
	one := func(dst []uint64, rows []int32) bool {
		return Scatter([]uint64{1}, []int32{1}, []uint16{0}, []int32{0}, []int32{0}, make([]uint64, ScatterWords), dst, rows)
	}
	if one(dst, rows) != (level > None) || one(dst[1:], rows) || one(dst, rows[1:]) {
		t.Errorf("with addresses %p and %p", unsafe.SliceData(dst), unsafe.SliceData(rows))
	}
}

func TestScatterLines(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		scatterLines(t, func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 })
		scatterLines(t, func(i int) uint32 { return uint32(i) * 0x9e3779b9 })
	})
}

// scatterLines deals out words in several calls, as TestScatter does.
func scatterLines[T uint32 | uint64](t *testing.T, word func(i int) T) {
	r := rand.New(rand.NewPCG(33, 33))
	for range 300 {
		n, partitions := r.IntN(3000), 1+r.IntN(60)
		digits, words, want := make([]uint16, n), make([]T, n), make([][]T, partitions)
		before, skew := r.IntN(40), 1+r.IntN(3)
		for i := range n {
			x := r.IntN(partitions)
			for range skew {
				x = r.IntN(x + 1)
			}
			digits[i], words[i] = uint16(x), word(i)
			want[x] = append(want[x], words[i])
		}
		next := make([]int32, partitions)
		at := int32(before)
		for x := range next {
			next[x] = at
			at += int32(len(want[x]))
		}
		start := slices.Clone(next)
		room := make([]T, before+n+100)
		for uintptr(unsafe.Pointer(&room[0]))%LineBytes != 0 {
			room = room[1:]
		}
		dst := room[:before+n+40]
		lines := make([]T, partitions*lineWords[T]())
		for from := 0; from < n; {
			to := min(from+1+r.IntN(1000), n)
			if ScatterLines(words[from:to], digits[from:to], next, start, lines, dst) != (level > None) {
				t.Fatal("done, or not done, on the wrong processor")
			}
			from = to
		}
		if level == None {
			continue
		}
		ScatterLinesRest(next, start, lines, dst)
		for x := range want {
			if got := dst[start[x]:next[x]]; !slices.Equal(got, want[x]) {
				t.Fatalf("partition %d of %d: %v, not %v", x, partitions, got, want[x])
			}
		}
		var zero T
		for i, v := range dst {
			if (i < before || i >= before+n) && v != zero {
				t.Fatalf("word %d, beside the %d words from %d on, was written", i, n, before)
			}
		}
	}
	if level > None && ScatterLines([]T{1}, []uint16{0}, []int32{0}, []int32{0}, make([]T, 16), func() []T {
		b := make([]T, 40)
		for uintptr(unsafe.Pointer(&b[0]))%LineBytes == 0 {
			b = b[1:]
		}
		return b
	}()) {
		t.Error("a destination that is not aligned")
	}
}
