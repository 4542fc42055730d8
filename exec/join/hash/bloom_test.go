package hash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestBloomFilter probes a large table with rows, some of them NULL; few, half or all have
// partners. It compares the pairs with those of a map, and checks when a filter is made.
func TestBloomFilter(t *testing.T) {
	const rows, probes = 40_000, 200_000
	r := rand.New(rand.NewPCG(21, 22))
	key := func(i int) int64 { return int64(uint64(i) * 0x9e3779b97f4a7c15) }
	for _, one := range []struct {
		matching float64
		made     bool
	}{{0.02, true}, {0.5, false}, {1, false}} {
		for _, twice := range []bool{false, true} {
			build := vec.NewFlat(types.T(types.Int64), rows)
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
			m := &Matcher{NullSafe: []bool{false}}
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 2}
			if err := m.Build(ctx, root, &match.Side{Rows: rows, Keys: []*vec.Vector{build}}); err != nil {
				t.Fatal(err)
			}
			p := m.Prober()
			for from := 0; from < probes; from += vec.BatchSize {
				probe := vec.NewFlat(types.T(types.Int64), vec.BatchSize)
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
			if made := m.filter.Bloom.Load() != nil; made != one.made {
				t.Errorf("%v of rows match: a filter was made: %v", one.matching, made)
			}
			if m.Close(); root.Used() != 0 {
				t.Errorf("%d bytes are left", root.Used())
			}
		}
	}
}

func probeAll(t *testing.T, p match.Prober, keys *vec.Vector) []string {
	if err := p.Probe(&match.Side{Rows: keys.N, Keys: []*vec.Vector{keys}}); err != nil {
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
