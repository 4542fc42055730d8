package eval

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestASCII compares texts of all lengths and bytes, ASCII and not, with package strings.
func TestASCII(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		b := make([]rune, r.IntN(30))
		for i := range b {
			if b[i] = rune(r.IntN(128)); r.IntN(100) == 0 {
				b[i] = rune(128 + r.IntN(4000))
			}
		}
		s := string(b)
		if got, want := isASCII(s), len(b) == len(s); got != want {
			t.Fatalf("%q is ASCII: %v", s, got)
		}
		if got := runes.count(s); got != utf8.RuneCountInString(s) {
			t.Fatalf("%q has %d characters", s, got)
		}
		if !isASCII(s) {
			continue
		}
		if got, some := appendSwapped([]byte("x"), s, 'a'); string(got) != "x"+strings.ToUpper(s) || some != (strings.ToUpper(s) != s) {
			t.Fatalf("%q in upper case: %q, %v", s, got, some)
		}
		if got, some := appendSwapped(nil, s, 'A'); string(got) != strings.ToLower(s) || some != (strings.ToLower(s) != s) {
			t.Fatalf("%q in lower case: %q, %v", s, got, some)
		}
	}
}
