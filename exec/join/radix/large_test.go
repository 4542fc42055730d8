package radix_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestLargeRounds joins enough rows for partitioning to go through buffers. Each key is half of
// its partner's payload, and half of the keys have a partner.
func TestLargeRounds(t *testing.T) {
	const builds, probes = 2 * 32 * (1 << 12), 5 << 17 // from 32 partitions and 2^17 rows on
	r := rand.New(rand.NewPCG(92, 92))
	perm := r.Perm(builds)
	right := []*vec.Vector{jointest.Ints(builds, func(i int) int64 { return int64(perm[i]) * 1_000_003 }), jointest.Ints(builds, func(i int) int64 { return 2 * int64(perm[i]) })}
	left := []*vec.Vector{jointest.Ints(probes, func(int) int64 { return r.Int64N(2*builds) * 1_000_003 })}
	rows, sum := int64(0), int64(0)
	for _, k := range left[0].I64 {
		if i := k / 1_000_003; i < builds {
			rows, sum = rows+1, sum+2*i
		}
	}
	simd.EachLevel(t.Run, func(t *testing.T) {
		for _, algo := range []physical.JoinAlgo{physical.Radix, physical.Hash, physical.Merge} {
			for workers := 1; workers < 3; workers++ {
				ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers}
				node := &physical.Node{Op: jointest.Equality(algo, jointest.Bigint), In: []*physical.Node{{Cols: jointest.BenchCols(jointest.LeftID, left)}, {Cols: jointest.BenchCols(jointest.RightID, right)}},
					Cols: []logical.Column{jointest.BenchCols(jointest.LeftID, left)[0], jointest.BenchCols(jointest.RightID, right)[1]}}
				o, err := join.New(node, &optest.Columns{Cols: left}, &optest.Columns{Cols: right})
				if err != nil {
					t.Fatal(err)
				}
				if err := o.Open(ctx); err != nil {
					t.Fatal(err)
				}
				got, err := summed(ctx, o)
				if want := fmt.Sprint(rows, sum); err != nil || got != want {
					t.Errorf("%s on %d workers: %s, not %s (%v)", algo, workers, got, want, err)
				}
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// summed returns the number of rows of an operator and the sum of its second column. It checks
// partners by their keys.
func summed(ctx *op.Ctx, o op.Operator) (string, error) {
	s, err := o.Stream()
	if err != nil {
		return "", err
	}
	rows, sum := int64(0), int64(0)
	for {
		b, err := s.Next()
		if err != nil {
			return "", err
		}
		if b == nil {
			return fmt.Sprint(rows, sum), s.Close()
		}
		keys, payload := vec.Vector{Type: types.T(types.Int64)}, vec.Vector{Type: types.T(types.Int64)}
		k, p := b.Cols[0].Flatten(&keys), b.Cols[1].Flatten(&payload)
		for i, x := range p.I64[:b.N] {
			if k.I64[i]/1_000_003*2 != x {
				return "", fmt.Errorf("key %d with payload %d", k.I64[i], x)
			}
			sum += x
		}
		rows += int64(b.N)
	}
}
