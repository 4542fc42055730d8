package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
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
