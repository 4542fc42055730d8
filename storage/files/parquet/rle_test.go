package parquet

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUnpack packs values of every width and reads them back in pieces.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for width := range 33 {
		values := make([]int32, 8*50)
		packed := make([]byte, (len(values)*width+7)/8+padding)
		for i := range values {
			values[i] = int32(r.Uint64() & (1<<width - 1))
			for b := range width {
				at := i*width + b
				packed[at/8] |= byte(uint32(values[i])>>b&1) << (at % 8)
			}
		}
		data := append([]byte{byte(50<<1 | 1)}, packed...)
		h, err := newHybrid(data[:len(data)-padding], width)
		if err != nil {
			t.Fatal(err)
		}
		var got []int32
		for len(got) < len(values) {
			part := make([]int32, min(1+r.IntN(30), len(values)-len(got)))
			if _, err := h.read(part); err != nil {
				t.Fatalf("width %d: %v", width, err)
			}
			got = append(got, part...)
		}
		if !slices.Equal(got, values) {
			t.Errorf("width %d: %v, want %v", width, got, values)
		}
	}
}
