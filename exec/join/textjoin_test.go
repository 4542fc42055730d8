package join_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestJoinsByTextNumbers joins by texts that are encoded as numbers, with probe texts that have no
// number: dense numbers, numbers packed with an integer, and through dictionaries of two columns.
func TestJoinsByTextNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range} {
		for i, kind := range jointest.AllKinds {
			g := &jointest.Generator{Rand: r, Distinct: 40, Nulls: 0.1}
			c := &jointest.Case{Algo: algo, Kind: kind, Operands: []types.Type{jointest.Text, jointest.Text, jointest.Bigint}[:1+i%3], NullSafe: []bool{i%2 == 0, i%4 < 2, false}[:1+i%3]}
			if algo == physical.Range {
				c.Operands, c.Ranges = append(c.Operands, jointest.Bigint), []expr.FuncID{"<="}
			}
			c.Left, c.Right = g.Relation(jointest.LeftID, 120, c.Operands), g.Relation(jointest.RightID, 60, c.Operands)
			for _, rel := range []*optest.Relation{c.Left, c.Right} {
				for n, row := range rel.Rows {
					for k, o := range c.Operands {
						if o == jointest.Text && !row[1+k].Null {
							row[1+k].Str = fmt.Sprintf("%0*d", 1+k, r.IntN(12))
							if rel == c.Left && n%9 == 0 {
								row[1+k].Str = []string{"", "a", "12345678901234567890", "1\x00", "/"}[r.IntN(5)]
							}
						}
					}
				}
			}
			if codes := keyenc.NewEncoding([]*vec.Vector{firstKey(c.Right)}, []bool{false}); !codes.Exact {
				t.Fatal("the texts have no numbers")
			}
			if kind == logical.Single {
				jointest.Unique(c.Right)
			}
			jointest.Check(t, c, []int{7, 1024}, []int{2})
		}
	}
}

// TestTextNumbersOfLongSides builds a table of several blocks of texts, including NULLs.
func TestTextNumbersOfLongSides(t *testing.T) {
	c := &jointest.Case{Algo: physical.Hash, Kind: logical.Left, Operands: []types.Type{jointest.Text}, NullSafe: []bool{false}}
	c.Left, c.Right = &optest.Relation{Cols: jointest.ColumnsOf(jointest.LeftID, c.Operands)}, &optest.Relation{Cols: jointest.ColumnsOf(jointest.RightID, c.Operands)}
	row := func(id int, key string) []catalog.Datum {
		d := jointest.ValueOf(jointest.Text, 0)
		d.Str, d.Null = key, id%50 == 0
		return []catalog.Datum{catalog.Int(int64(id)), d, catalog.Int(0)}
	}
	matches := 0
	for i := range 3 * op.Block {
		c.Right.Rows = append(c.Right.Rows, row(i, fmt.Sprintf("%07d", i)))
		c.Left.Rows = append(c.Left.Rows, row(i+1, fmt.Sprintf("%07d", 2*i)))
		if 2*i < 3*op.Block && 2*i%50 > 0 && (i+1)%50 > 0 {
			matches++
		}
	}
	got, err := c.Run(t, 1024, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range got {
		if strings.Count(s, "NULL") < 3 {
			found++
		}
	}
	if len(got) != len(c.Left.Rows) || found != matches {
		t.Errorf("%d rows, %d with partners; want %d and %d", len(got), found, len(c.Left.Rows), matches)
	}
}

// firstKey returns the values of a relation's first key.
func firstKey(rel *optest.Relation) *vec.Vector {
	v := vec.NewFlat(jointest.Text, len(rel.Rows))
	for i, row := range rel.Rows {
		row[1].Put(v, i)
	}
	return v
}
