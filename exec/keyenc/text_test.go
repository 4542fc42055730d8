package keyenc

import (
	"strings"
	"testing"
)

// TestTextWords compares strings with their words: prefixes of each other, zero bytes at the end,
// and pairs that differ in one byte.
func TestTextWords(t *testing.T) {
	var all []string
	for n := range 40 {
		s := strings.Repeat("ab\x00cdefg", 5)[:n]
		all = append(all, s, s+"\x00", strings.Repeat("\x00", n), strings.Repeat("\xff", n))
		for i := range n {
			all = append(all, s[:i]+"#"+s[i+1:])
		}
	}
	for _, x := range all {
		for _, y := range all {
			same := textOf(x) == textOf(y) && (!textOf(x).long() || x == y)
			if same != (x == y) {
				t.Fatalf("%q and %q: %v", x, y, same)
			}
		}
		if long := textOf(x).long(); long != (len(x) >= 16) {
			t.Errorf("%q is long: %v", x, long)
		}
	}
}
