package text

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestHex compares digits of numbers of all lengths with fmt's.
func TestHex(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for i := range 20_000 {
		x := r.Uint64() >> (i % 65)
		if got, want := string(appendHex([]byte("x"), x)), fmt.Sprintf("x%X", x); got != want {
			t.Fatalf("%d: %s, want %s", x, got, want)
		}
	}
}
