package join

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/internal/simd"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func textVector(texts []string, nulls bool) *vec.Vector {
	v := vec.NewFlat(text, len(texts))
	copy(v.Str, texts)
	for i := range texts {
		if nulls && i%3 == 0 {
			v.SetNull(i)
			v.Str[i] = strings.Repeat("\xff", 40) // no text of the column
		}
	}
	return v
}

// TestTextNumbers: numbers of texts are different and in the texts' order, dense where the texts
// are; other texts have none, or numbers of their own.
func TestTextNumbers(t *testing.T) { simd.EachLevel(t.Run, testTextNumbers) }

func testTextNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var dense, mixed, prefixes []string
	for i := range 5000 {
		dense = append(dense, fmt.Sprintf("key%012d", 70_000+i))
		mixed = append(mixed, fmt.Sprintf("%0*d", i%8, i))
		prefixes = append(prefixes, strings.Repeat("ab\x00", i%4)[:max(i%4*3-i%3, 0)])
	}
	for name, texts := range map[string][]string{"dense": dense, "mixed": mixed, "prefixes": prefixes, "one": {"x"}, "empty": {""}} {
		r.Shuffle(len(texts), func(i, k int) { texts[i], texts[k] = texts[k], texts[i] })
		for _, nulls := range []bool{false, true} {
			if nulls && len(texts) == 1 {
				continue
			}
			v := textVector(texts, nulls)
			n := numberTexts(v)
			if n == nil {
				t.Fatalf("%s: no numbers", name)
			}
			others := []string{"", "key000000070000", "key000000069999", "kez000000070000", "key0000000700000", "7", "07", "007", "x", "y", "ab", "ab\x00", "\xff"}
			all := slices.Concat(dense, mixed, prefixes, others)
			slices.Sort(all)
			all = slices.Compact(all)
			got := make([]uint64, len(all))
			n.of(got, all)
			last, before := uint64(0), -1
			for i, s := range all {
				if got[i] != n.number(s) {
					t.Fatalf("%s: %q has the numbers %d and %d", name, s, got[i], n.number(s))
				}
				in := slices.Contains(texts[:min(len(texts), 6)], s)
				switch {
				case got[i] == simd.NoNumber && in && !nulls:
					t.Fatalf("%s: %q has no number", name, s)
				case got[i] == simd.NoNumber:
				case before >= 0 && got[i] <= last || got[i] >= n.count:
					t.Fatalf("%s: %q has number %d of %d, %q has %d", name, s, got[i], n.count, all[before], last)
				default:
					last, before = got[i], i
				}
			}
			if name == "dense" && n.count > 8*10*10*10*10 {
				t.Errorf("%d numbers for %d texts", n.count, len(texts))
			}
		}
	}
}

// TestNoTextNumbers: texts that are long, of many different bytes, or nearly so.
func TestNoTextNumbers(t *testing.T) { simd.EachLevel(t.Run, testNoTextNumbers) }

func testNoTextNumbers(t *testing.T) {
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
		n := numberTexts(textVector(c.texts, false))
		if (n != nil) != c.ok {
			t.Errorf("%q: numbers %v, want %v", c.texts, n != nil, c.ok)
		}
		if n == nil {
			continue
		}
		for _, s := range c.texts {
			if n.number(s) >= n.count {
				t.Errorf("%q is number %d of %d", s, n.number(s), n.count)
			}
		}
	}
}

// TestJoinsByTextNumbers joins by texts that have numbers, with probes that have none: dense
// ones, packed with a number, and through dictionaries of two columns.
func TestJoinsByTextNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range} {
		for i, kind := range allKinds {
			g := &generator{Rand: r, distinct: 40, nulls: 0.1}
			c := &joinCase{algo: algo, kind: kind, operands: []types.Type{text, text, bigint}[:1+i%3], nullSafe: []bool{i%2 == 0, i%4 < 2, false}[:1+i%3]}
			if algo == physical.Range {
				c.operands, c.ranges = append(c.operands, bigint), []string{"<="}
			}
			c.left, c.right = g.relation(leftID, 120, c.operands), g.relation(rightID, 60, c.operands)
			for _, rel := range []*relation{c.left, c.right} {
				for n, row := range rel.rows {
					for k, o := range c.operands {
						if o == text && !row[1+k].Null {
							row[1+k].Str = fmt.Sprintf("%0*d", 1+k, r.IntN(12))
							if rel == c.left && n%9 == 0 {
								row[1+k].Str = []string{"", "a", "12345678901234567890", "1\x00", "/"}[r.IntN(5)]
							}
						}
					}
				}
			}
			if codes := newCodes([]*vec.Vector{flatOf(text, c.right.rows, 1)}, []bool{false}); !codes.exact {
				t.Fatal("the texts have no numbers")
			}
			if kind == logical.Single {
				unique(c.right)
			}
			check(t, c, []int{7, 1024}, []int{2})
		}
	}
}

// TestTextNumbersOfLongSides makes a table of more than a block of texts, NULLs among them.
func TestTextNumbersOfLongSides(t *testing.T) {
	c := &joinCase{algo: physical.Hash, kind: logical.Left, operands: []types.Type{text}, nullSafe: []bool{false}}
	c.left, c.right = &relation{cols: columnsOf(leftID, c.operands)}, &relation{cols: columnsOf(rightID, c.operands)}
	row := func(id int, key string) []catalog.Datum {
		d := valueOf(text, 0)
		d.Str, d.Null = key, id%50 == 0
		return []catalog.Datum{catalog.Int(int64(id)), d, catalog.Int(0)}
	}
	matches := 0
	for i := range 3 * block {
		c.right.rows = append(c.right.rows, row(i, fmt.Sprintf("%07d", i)))
		c.left.rows = append(c.left.rows, row(i+1, fmt.Sprintf("%07d", 2*i)))
		if 2*i < 3*block && 2*i%50 > 0 && (i+1)%50 > 0 {
			matches++
		}
	}
	got, err := c.run(t, 1024, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range got {
		if strings.Count(s, "NULL") < 3 {
			found++
		}
	}
	if len(got) != len(c.left.rows) || found != matches {
		t.Errorf("%d rows, %d with partners; want %d and %d", len(got), found, len(c.left.rows), matches)
	}
}
