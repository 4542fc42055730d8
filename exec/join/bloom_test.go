package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSieve probes a large table with rows of which few, half or all find partners, some of
// them NULL: the pairs are those that a map gives, and a sieve is made where it should be.
func TestSieve(t *testing.T) {
	const rows, probes = 40_000, 200_000
	r := rand.New(rand.NewPCG(21, 22))
	key := func(i int) int64 { return int64(uint64(i) * 0x9e3779b97f4a7c15) }
	for _, one := range []struct {
		matching float64
		made     bool
	}{{0.02, true}, {0.5, false}, {1, false}} {
		for _, twice := range []bool{false, true} {
			build := vec.NewFlat(bigint, rows)
			partners := map[int64][]int32{}
			for i := range rows {
				k := key(i)
				if twice {
					k = key(i / 2)
				}
				build.I64[i] = k
				partners[k] = append(partners[k], int32(i))
			}
			root := mem.NewRoot("query", 0)
			m := &hashMatcher{nullSafe: []bool{false}}
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 2}
			if err := m.Build(ctx, root, &Side{Rows: rows, Keys: []*vec.Vector{build}}); err != nil {
				t.Fatal(err)
			}
			p := m.Prober()
			for from := 0; from < probes; from += vec.BatchSize {
				probe := vec.NewFlat(bigint, vec.BatchSize)
				var want []string
				for i := range probe.I64 {
					probe.I64[i] = key(rows + r.IntN(1<<30))
					if r.Float64() < one.matching {
						probe.I64[i] = key(r.IntN(rows / 2))
					}
					if r.IntN(50) == 0 {
						probe.SetNull(i)
						continue
					}
					for _, b := range partners[probe.I64[i]] {
						want = append(want, fmt.Sprint(i, " ", b))
					}
				}
				if got := probeAll(t, p, probe); !slices.Equal(got, want) {
					slices.Sort(got)
					if slices.Sort(want); !slices.Equal(got, want) {
						t.Fatalf("%v of rows match: %d pairs, want %d", one.matching, len(got), len(want))
					}
				}
			}
			if made := m.sieve.bloom.Load() != nil; made != one.made {
				t.Errorf("%v of rows match: a sieve was made: %v", one.matching, made)
			}
			if m.Close(); root.Used() != 0 {
				t.Errorf("%d bytes are left", root.Used())
			}
		}
	}
}

func probeAll(t *testing.T, p Prober, keys *vec.Vector) []string {
	if err := p.Probe(&Side{Rows: keys.N, Keys: []*vec.Vector{keys}}); err != nil {
		t.Fatal(err)
	}
	var out []string
	for {
		pairs, done, err := p.Next(700)
		if err != nil {
			t.Fatal(err)
		}
		for i := range pairs.Probe {
			out = append(out, fmt.Sprint(pairs.Probe[i], " ", pairs.Build[i]))
		}
		if done {
			return out
		}
	}
}

// TestRadixSieve keeps all rows of a side of which few, half or all find partners, and counts
// the pairs; a sieve is made where it should be.
func TestRadixSieve(t *testing.T) {
	const build, probes = sieveSlots/2 + 100, 60_000
	r := rand.New(rand.NewPCG(23, 24))
	for _, of := range []struct {
		matching float64
		made     bool
	}{{0.02, true}, {0.5, false}, {1, false}} {
		for _, residual := range []string{"", "less"} {
			c := &joinCase{algo: physical.Radix, kind: logical.Left, operands: []types.Type{bigint}, nullSafe: []bool{false}, residual: residual}
			c.left, c.right = &relation{cols: columnsOf(leftID, c.operands)}, &relation{cols: columnsOf(rightID, c.operands)}
			for i := range int64(build) {
				c.right.rows = append(c.right.rows, []catalog.Datum{catalog.Int(i), catalog.Int(i << 32), catalog.Int(1)})
			}
			matches := 0
			for i := range int64(probes) {
				key, v := (build+r.Int64N(1<<20))<<32, i%3
				if r.Float64() < of.matching {
					key = r.Int64N(build) << 32
					matches += one(residual == "" || v < 1)
				}
				c.left.rows = append(c.left.rows, []catalog.Datum{catalog.Int(i), catalog.Int(key), catalog.Int(v)})
			}
			n := c.node(t)
			n.In[0].Est.Rows, n.In[1].Est.Rows = arrangeRatio*build, build
			o, err := New(n, &input{rel: c.left, size: 1000}, &input{rel: c.right, size: 1000})
			if err != nil {
				t.Fatal(err)
			}
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1, BatchSize: 1000}
			rows, err := drain(ctx, o)
			made := o.(*streaming).matcher.(*radixMatcher).sieve.bloom.Load() != nil
			if err := o.Close(); err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, row := range rows {
				got += one(!strings.HasSuffix(row, "|NULL|"))
			}
			if err != nil || len(rows) != probes || got != matches || ctx.Mem.Used() != 0 {
				t.Errorf("%v of rows match: %v, %d rows, %d with partners, want %d; %d bytes are held", of.matching, err, len(rows), got, matches, ctx.Mem.Used())
			}
			if made != of.made {
				t.Errorf("%v of rows match: a sieve was made: %v", of.matching, made)
			}
		}
	}
}
