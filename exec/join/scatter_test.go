package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
	"gsql/internal/simd"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestPartition deals out few rows and as many as go through buffers, with skipped rows, and with
// numbers of their own: each comes once, in its partition, and the rows of one ascend.
func TestPartition(t *testing.T) {
	simd.EachLevel(t.Run, func(t *testing.T) {
		r := rand.New(rand.NewPCG(91, 91))
		for _, n := range []int{1, 5000, 4 * combinedRows} {
			for workers := 1; workers < 4; workers++ {
				for _, d := range []digits{{hashed: true, shift: 56, count: 256}, {shift: 57, count: 128}, {hashed: true, shift: 62, count: 4}} {
					acct := mem.NewRoot("query", 0)
					in := &coded{codes: mustAlloc[uint64](t, acct, n), skip: mustAlloc[bool](t, acct, n)}
					for i := range in.codes.S {
						in.codes.S[i] = r.Uint64() >> (r.Uint32() % 8)
						in.skip.S[i] = r.IntN(50) == 0
					}
					if workers == 2 {
						for i := range n {
							in.rows = append(in.rows, int32(3*i))
						}
					}
					p, err := partition(&op.Ctx{Context: context.Background(), Mem: acct, Workers: workers}, acct, in, d)
					if err != nil {
						t.Fatal(err)
					}
					checkPartitions(t, in, p, d)
					p.free()
					in.free()
					if acct.Used() != 0 {
						t.Errorf("%d bytes are left", acct.Used())
					}
				}
			}
		}
	})
}

func checkPartitions(t *testing.T, in *coded, p *parts, d digits) {
	t.Helper()
	factor := int32(1)
	if in.rows != nil {
		factor = 3
	}
	seen := 0
	for x := range d.count + 1 {
		from, to := p.start[x], len(p.rows.S)
		if x < d.count {
			to = p.start[x+1]
		}
		last := int32(-1)
		for i := from; i < to; i++ {
			row := p.rows.S[i] / factor
			want := int((in.codes.S[row] - d.min) >> d.shift)
			if d.hashed {
				want = int(rowhash.Mix(in.codes.S[row]) >> d.shift)
			}
			if in.skip.S[row] {
				want = d.count
			}
			if row <= last || p.rows.S[i]%factor != 0 || p.codes.S[i] != in.codes.S[row] || want != x {
				t.Fatalf("row %d of code %d in partition %d behind row %d", row, p.codes.S[i], x, last)
			}
			last = row
			seen++
		}
	}
	if seen != len(in.codes.S) {
		t.Fatalf("%d of %d rows", seen, len(in.codes.S))
	}
}

func mustAlloc[T any](t *testing.T, acct *mem.Account, n int) *mem.Buffer[T] {
	t.Helper()
	b, err := mem.Alloc[T](acct, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLargeRounds joins as many rows as go to their partitions through buffers; each key is half of
// its partner's payload, and half of the keys have one.
func TestLargeRounds(t *testing.T) {
	const builds, probes = 2 * combinedPartitions * clusterRows, 5 * combinedRows
	r := rand.New(rand.NewPCG(92, 92))
	perm := r.Perm(builds)
	right := []*vec.Vector{ints(builds, func(i int) int64 { return int64(perm[i]) * 1_000_003 }), ints(builds, func(i int) int64 { return 2 * int64(perm[i]) })}
	left := []*vec.Vector{ints(probes, func(int) int64 { return r.Int64N(2*builds) * 1_000_003 })}
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
				node := &physical.Node{Op: equality(algo, bigint), In: []*physical.Node{{Cols: benchCols(leftID, left)}, {Cols: benchCols(rightID, right)}},
					Cols: []logical.Column{benchCols(leftID, left)[0], benchCols(rightID, right)[1]}}
				o, err := New(node, &columnar{cols: left}, &columnar{cols: right})
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

// summed gives the number of rows of an operator and the sum of its second column, with partners
// checked by their keys.
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
