package join

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

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

// TestNullsHaveNoTextNumbers: what lies where a text is NULL does not count.
func TestNullsHaveNoTextNumbers(t *testing.T) {
	v := vec.NewFlat(text, 3*block)
	for i := range v.Str {
		if v.Str[i] = "123"; i%3 == 0 {
			v.SetNull(i)
			v.Str[i] = strings.Repeat("\xff", 40)
		}
	}
	if n := numberTexts(v); n == nil || n.Count != 1 {
		t.Errorf("numbers %v, want one", n)
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
