package pack

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// shapes lists sequences of integers that suit the encodings and their limits.
func shapes(rng *rand.Rand, n int) map[string][]int64 {
	make := func(f func(i int) int64) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	out := map[string][]int64{
		"constant":  make(func(int) int64 { return -7 }),
		"sorted":    make(func(i int) int64 { return int64(i)*3 + rng.Int63n(3) }),
		"falling":   make(func(i int) int64 { return -int64(i) << 20 }),
		"hundreds":  make(func(int) int64 { return 100 * rng.Int63n(50) }),
		"far apart": make(func(i int) int64 { return []int64{math.MinInt64, math.MaxInt64, 0, -1}[i%4] }),
		"even":      make(func(i int) int64 { return math.MinInt64 + 2*rng.Int63() }),
		"last":      make(func(i int) int64 { return int64(i / max(1, n-1)) }),
	}
	for w := range 64 {
		out[fmt.Sprint(w+1, " bits")] = make(func(int) int64 { return rng.Int63()>>(63-w) + rng.Int63()&1<<w })
		out[fmt.Sprint("outliers of ", w+1, " bits")] = make(func(i int) int64 { return int64(i%5) << (w * (i % 2)) })
	}
	return out
}

func roundTrip[T Integers](t *testing.T, name string, values []int64) {
	t.Helper()
	data := AppendIntegers([]byte("before"), values)
	r := NewReader(append(data, "behind"...))
	r.Take(6)
	got := make([]T, len(values))
	if err := ReadIntegers(r, got); err != nil || string(r.Rest()) != "behind" {
		t.Fatalf("%s: %v, %q follows", name, err, r.Rest())
	}
	for i, x := range values {
		if got[i] != T(x) {
			t.Fatalf("%s: value %d of %d is %d, want %d", name, i, len(values), got[i], T(x))
		}
	}
}

func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 2, 7, 8, 9, 63, 64, 65, FrameRows - 1, FrameRows, FrameRows + 1, 3*FrameRows + 5} {
		for name, values := range shapes(rng, n) {
			name := fmt.Sprint(n, " values, ", name)
			roundTrip[int8](t, name, values)
			roundTrip[int16](t, name, values)
			roundTrip[int32](t, name, values)
			roundTrip[int64](t, name, values)
		}
	}
}

// TestSizes checks that integers take the bits that their range needs.
func TestSizes(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	const n = 16 * FrameRows
	for name, limit := range map[string]int{ // bits per value, without the heads of frames
		"constant": 0, "sorted": 3, "hundreds": 6, "12 bits": 12, "even": 64, "far apart": 64, "falling": 0,
	} {
		size := len(AppendIntegers(nil, shapes(rng, n)[name]))
		if most := n*limit/8 + 16*12 + 20; size > most {
			t.Errorf("%s: %d bytes, want at most %d", name, size, most)
		}
	}
}

func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	noise := make([]byte, 200_000)
	rng.Read(noise)
	text := []byte(strings.Repeat("a sentence that repeats, ", 10_000))
	for _, by := range []Compression{Plain, LZ4, Zstd} {
		for _, data := range [][]byte{nil, {1}, noise, noise[:leastBytes], text, text[:leastBytes], text[:probeBytes*2], slices.Concat(noise, text)} {
			packed := AppendBytes([]byte("before"), data, by)
			if len(packed) > len(data)+20 || by != Plain && len(data) > len(noise) && len(packed) > len(data)*7/8 && data[0] == 'a' {
				t.Errorf("%d bytes become %d", len(data), len(packed))
			}
			r := NewReader(append(packed, "behind"...))
			r.Take(6)
			got, err := ReadBytes(r, len(data))
			if err != nil || !bytes.Equal(got, data) || string(r.Rest()) != "behind" {
				t.Fatalf("compression %d of %d bytes: %v, %d bytes, %q follows", by, len(data), err, len(got), r.Rest())
			}
			if len(data) > 0 {
				r = NewReader(packed[6:])
				if _, err := ReadBytes(r, len(data)-1); err == nil {
					t.Errorf("%d bytes are read where %d are allowed", len(data), len(data)-1)
				}
			}
		}
	}
}

// TestMalformed reads damaged data. Any values may come out, but nothing fails.
func TestMalformed(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	var valid [][]byte
	const most = 2000
	for _, values := range shapes(rng, most) {
		valid = append(valid, AppendIntegers(nil, values))
	}
	for range 20_000 {
		data, n := slices.Clone(valid[rng.Intn(len(valid))]), rng.Intn(most)
		damage(rng, &data)
		got := make([]int16, n)
		r := NewReader(data)
		if err := ReadIntegers(r, got); (err == nil) != (r.Err() == nil) {
			t.Fatal(err, r.Err())
		}
		text := []byte(strings.Repeat("text", n/4))
		data = AppendBytes(nil, text, Compression(rng.Intn(3)))
		damage(rng, &data)
		if got, err := ReadBytes(NewReader(data), len(text)); err == nil && len(got) > len(text) {
			t.Fatalf("%d bytes instead of %d", len(got), len(text))
		}
	}
}

// damage flips a bit of data, or cuts it off.
func damage(rng *rand.Rand, data *[]byte) {
	at := rng.Intn(len(*data))
	if rng.Intn(3) == 0 {
		*data = (*data)[:at]
		return
	}
	(*data)[at] ^= 1 << rng.Intn(8)
}

func BenchmarkReadIntegers(b *testing.B) {
	rng := rand.New(rand.NewSource(5))
	const n = 128 << 10
	for _, name := range []string{"constant", "sorted", "hundreds", "3 bits", "8 bits", "12 bits", "24 bits", "40 bits"} {
		data := AppendIntegers(nil, shapes(rng, n)[name])
		benchRead[int8](b, name, data)
		benchRead[int16](b, name, data)
		benchRead[int32](b, name, data)
		benchRead[int64](b, name, data)
	}
}

func benchRead[T Integers](b *testing.B, name string, data []byte) {
	dst := make([]T, 128<<10)
	b.Run(fmt.Sprintf("%s/%T", name, dst[0]), func(b *testing.B) {
		b.SetBytes(int64(len(dst) * int(unsafe.Sizeof(dst[0]))))
		for b.Loop() {
			if err := ReadIntegers(NewReader(data), dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendIntegers(b *testing.B) {
	rng := rand.New(rand.NewSource(6))
	const n = 128 << 10
	for _, name := range []string{"constant", "sorted", "hundreds", "12 bits", "40 bits"} {
		values := shapes(rng, n)[name]
		var data []byte
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8 * n)
			for b.Loop() {
				data = AppendIntegers(data[:0], values)
			}
		})
	}
}
