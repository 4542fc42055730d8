package arrowvec

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/bitutil"
)

// TestBitmaps compares flags with the results of Arrow's functions for single bits.
func TestBitmaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		null, nulls := make([]bool, n), 0
		bits := []byte{0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa}
		for i := range null {
			if null[i] = r.IntN(2) == 0; null[i] {
				nulls++
			}
		}
		if got := Validity(bits[:bitutil.BytesForBits(int64(n))], null); got != nulls {
			t.Errorf("%d rows: %d NULLs, not %d", n, got, nulls)
		}
		for i := range null {
			if bitutil.BitIsSet(bits, i) == null[i] {
				t.Errorf("%d rows: row %d is %t", n, i, null[i])
			}
		}
		if bits[5] != 0xaa {
			t.Errorf("%d rows: something was written behind them", n)
		}
		for start := range n {
			got := make([]bool, n-start)
			NullFlags(got, bits, start)
			if !slices.Equal(got, null[start:]) {
				t.Errorf("rows %d to %d: %v, not %v", start, n, got, null[start:])
			}
		}
	}
}
