package textradix

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/internal/simd"
)

// of numbers texts, which it takes some at a time.
func of(texts []string) (n Numbers, ok bool) {
	var b Bounds
	for part := range slices.Chunk(texts, 700) {
		if !b.Widen(part) {
			return n, false
		}
	}
	return b.Numbers()
}

// TestNumbers: numbers of texts are different and in the texts' order, dense where the texts
// are; other texts have none, or numbers of their own.
func TestNumbers(t *testing.T) { simd.EachLevel(t.Run, testNumbers) }

func testNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var dense, mixed, prefixes []string
	for i := range 5000 {
		dense = append(dense, fmt.Sprintf("key%012d", 70_000+i))
		mixed = append(mixed, fmt.Sprintf("%0*d", i%8, i))
		prefixes = append(prefixes, strings.Repeat("ab\x00", i%4)[:max(i%4*3-i%3, 0)])
	}
	for name, texts := range map[string][]string{"dense": dense, "mixed": mixed, "prefixes": prefixes, "one": {"x"}, "empty": {""}} {
		r.Shuffle(len(texts), func(i, k int) { texts[i], texts[k] = texts[k], texts[i] })
		n, ok := of(texts)
		if !ok {
			t.Fatalf("%s: no numbers", name)
		}
		others := []string{"", "key000000070000", "key000000069999", "kez000000070000", "key0000000700000", "7", "07", "007", "x", "y", "ab", "ab\x00", "\xff", strings.Repeat("k", 300)}
		all := slices.Concat(dense, mixed, prefixes, others)
		slices.Sort(all)
		all = slices.Compact(all)
		got := make([]uint64, len(all))
		n.Of(got, all)
		last, before := uint64(0), -1
		for i, s := range all {
			if got[i] != n.of(s) {
				t.Fatalf("%s: %q has the numbers %d and %d", name, s, got[i], n.of(s))
			}
			switch {
			case got[i] == simd.NoNumber && slices.Contains(texts[:min(len(texts), 6)], s):
				t.Fatalf("%s: %q has no number", name, s)
			case got[i] == simd.NoNumber:
			case before >= 0 && got[i] <= last || got[i] >= n.Count:
				t.Fatalf("%s: %q has number %d of %d, %q has %d", name, s, got[i], n.Count, all[before], last)
			default:
				last, before = got[i], i
			}
		}
		if name == "dense" && n.Count > 8*10*10*10*10 {
			t.Errorf("%d numbers for %d texts", n.Count, len(texts))
		}
	}
}

// TestNoNumbers: texts that are long, of many different bytes, or nearly so.
func TestNoNumbers(t *testing.T) { simd.EachLevel(t.Run, testNoNumbers) }

func testNoNumbers(t *testing.T) {
	for _, c := range []struct {
		texts []string
		ok    bool
	}{
		{[]string{"a", strings.Repeat("a", 15)}, false}, // 98 to the 14th
		{[]string{strings.Repeat("a", 16)}, false},
		{[]string{strings.Repeat("a", 15), strings.Repeat("p", 15)}, true},  // 60 bits
		{[]string{strings.Repeat("a", 15), strings.Repeat("t", 15)}, false}, // 20 to the 15th
		{[]string{strings.Repeat("\x00", 14), strings.Repeat("\x12", 14)}, true},
		{[]string{"a\x00", "a\x7e"}, true},
		{[]string{"a\x00", "a\x7f"}, false}, // a factor of 128
		{[]string{"\x00\x00", "\xff\x7d"}, true},
		{nil, true},
	} {
		n, ok := of(c.texts)
		if ok != c.ok {
			t.Errorf("%q: numbers %v, want %v", c.texts, ok, c.ok)
		}
		if !ok {
			continue
		}
		for _, s := range c.texts {
			if n.of(s) >= n.Count {
				t.Errorf("%q is number %d of %d", s, n.of(s), n.Count)
			}
		}
	}
}
