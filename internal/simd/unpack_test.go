package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUnpack packs values of every width and unpacks them, from slices that end where the
// values do, some bytes later, and earlier.
func TestUnpack(t *testing.T) { EachLevel(t.Run, testUnpack) }

func testUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	most32 := 0
	for width := uint(1); width <= UnpackWidth; width++ {
		for range 60 {
			n := r.IntN(300)
			want, packed := make([]int32, n), make([]byte, (n*int(width)+7)/8)
			for i := range want {
				want[i] = int32(r.Uint32() & (1<<width - 1))
				for b := range width {
					bit := i*int(width) + int(b)
					packed[bit/8] |= byte(want[i]>>b&1) << (bit % 8)
				}
			}
			src := slices.Concat(packed, slices.Repeat([]byte{0xff}, r.IntN(40)))
			src = slices.Clip(src[:len(src)-r.IntN(len(src)/8+1)])
			dst := make([]int32, n+1)
			dst[n] = -42
			done, most := Unpack(dst[:n], src, width)
			if dst[n] != -42 || done > n || done%32 != 0 || done*int(width) > 8*len(src) {
				t.Fatalf("width %d: %d of %d values from %d bytes", width, done, n, len(src))
			}
			greatest := uint32(0)
			for i := range done {
				if dst[i] != want[i] {
					t.Fatalf("width %d: value %d of %d is %d, not %d", width, i, n, dst[i], want[i])
				}
				greatest = max(greatest, uint32(want[i]))
			}
			if most != greatest {
				t.Fatalf("width %d: the greatest of %d values is %d, not %d", width, done, greatest, most)
			}
			most32 = max(most32, done)
		}
	}
	if level > None && most32 < 256 {
		t.Errorf("at most %d values were unpacked at once", most32)
	}
}

// TestUnpackScaled unpacks values of every width to every type, with bases and steps that overflow it.
func TestUnpackScaled(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		unpackScaled[int8](t)
		unpackScaled[int16](t)
		unpackScaled[int32](t)
		unpackScaled[int64](t)
	})
}

func unpackScaled[T int8 | int16 | int32 | int64](t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for width := uint(1); width <= UnpackWidth; width++ {
		for range 20 {
			n := 64 + r.IntN(200)
			values, packed := make([]uint64, n), make([]byte, (n*int(width)+7)/8+32)
			for i := range values {
				values[i] = r.Uint64() & (1<<width - 1)
				for b := range width {
					bit := i*int(width) + int(b)
					packed[bit/8] |= byte(values[i]>>b&1) << (bit % 8)
				}
			}
			base, step := T(r.Uint64()), T(r.Uint64())
			if r.IntN(2) == 0 {
				step = T(1 + r.IntN(100))
			}
			dst := make([]T, n+1)
			dst[n] = -42
			done := UnpackScaled(dst[:n], packed, width, base, step)
			if dst[n] != -42 || done > n || done%32 != 0 || level > None && done < 64 {
				t.Fatalf("%T of %d bits: %d of %d values", base, width, done, n)
			}
			for i := range done {
				if want := T(uint64(base) + uint64(step)*values[i]); dst[i] != want {
					t.Fatalf("%T of %d bits: value %d of %d is %d, not %d", base, width, i, n, dst[i], want)
				}
			}
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	dst, src := make([]int32, 2048), make([]byte, 2048*20/8+32)
	for b.Loop() {
		if done, _ := Unpack(dst, src, 7); done == 0 {
			b.Skip("the processor lacks the instructions")
		}
	}
	b.SetBytes(2048 * 4)
}

// TestNarrow cuts differences of all sizes to every type.
func TestNarrow(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		testNarrow[uint8](t)
		testNarrow[uint16](t)
		testNarrow[uint32](t)
	})
}

func testNarrow[T uint8 | uint16 | uint32](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	most := 0
	for range 100 {
		src, bias := make([]int64, r.IntN(200)), int64(r.Uint64()>>r.IntN(64))
		for i := range src {
			src[i] = bias + int64(r.Uint64()>>r.IntN(64))
		}
		dst := make([]T, len(src)+1)
		dst[len(src)] = 42
		done := Narrow(dst[:len(src)], src, bias)
		if dst[len(src)] != 42 || done > len(src) {
			t.Fatalf("%d of %d values", done, len(src))
		}
		for i := range done {
			if want := T(src[i] - bias); dst[i] != want {
				t.Fatalf("%d minus %d: %d, want %d", src[i], bias, dst[i], want)
			}
		}
		most = max(most, done)
	}
	if level > None && most < 128 {
		t.Errorf("at most %d values at once", most)
	}
}
