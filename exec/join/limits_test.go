package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var allAlgos = []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range, physical.NestedLoop}

// simpleCase joins on one BIGINT, with a range predicate where the algorithm wants one.
func simpleCase(g *generator, algo physical.JoinAlgo, kind logical.JoinKind, left, right int) *joinCase {
	c := &joinCase{algo: algo, kind: kind, operands: []types.Type{bigint}, nullSafe: []bool{false}}
	if algo == physical.Range {
		c.operands, c.ranges = []types.Type{bigint, date}, []string{"<"}
	}
	c.left, c.right = g.relation(leftID, left, c.operands), g.relation(rightID, right, c.operands)
	return c
}

// TestCollidingHashes leaves four bits of the hashes, so that lists mix keys.
func TestCollidingHashes(t *testing.T) {
	defer func(b uint64) { hashBits = b }(hashBits)
	hashBits = 15
	r := rand.New(rand.NewPCG(1, 3))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range} {
		for _, kind := range allKinds {
			for round := range 3 {
				g := &generator{Rand: r, distinct: []int{2, 40, 100}[round], nulls: 0.05}
				c := &joinCase{algo: algo, kind: kind, operands: []types.Type{text, wide}, nullSafe: []bool{true, false}}
				if algo == physical.Range {
					c.operands, c.ranges = append(c.operands, bigint), []string{"<="}
				}
				c.left, c.right = g.relation(leftID, 100, c.operands), g.relation(rightID, 40, c.operands)
				check(t, c, []int{3, 1024}, []int{2})
			}
		}
	}
}

// TestEqualKeys joins sides whose keys are all equal: full skew, a cross product.
func TestEqualKeys(t *testing.T) {
	for _, algo := range allAlgos {
		for _, typ := range []types.Type{bigint, text} {
			g := &generator{Rand: rand.New(rand.NewPCG(1, 4)), distinct: 1}
			c := &joinCase{algo: algo, kind: logical.Inner, operands: []types.Type{typ}, nullSafe: []bool{false}}
			if algo == physical.Range {
				c.operands, c.ranges = []types.Type{typ, date}, []string{"<="}
			}
			c.left, c.right = g.relation(leftID, 20, c.operands), g.relation(rightID, 2100, c.operands)
			check(t, c, []int{1000}, []int{4})
		}
	}
}

// TestManyPartitions has enough rows for several partitions and workers, sparse keys
// and dense ones, with and without duplicates. The expectation is counted by a map.
func TestManyPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, spread := range []int64{1, 1 << 40} {
			for _, dups := range []int64{1, 3} {
				const rows = 40_000
				c := &joinCase{algo: algo, kind: logical.Inner, operands: []types.Type{bigint}, nullSafe: []bool{false}}
				c.left, c.right = &relation{cols: columnsOf(leftID, c.operands)}, &relation{cols: columnsOf(rightID, c.operands)}
				count := make(map[int64]int)
				for i := range int64(rows) {
					c.right.rows = append(c.right.rows, []catalog.Datum{catalog.Int(i), catalog.Int(i / dups * spread), catalog.Int(0)})
					count[i/dups*spread]++
				}
				r.Shuffle(rows, func(i, k int) { c.right.rows[i], c.right.rows[k] = c.right.rows[k], c.right.rows[i] })
				want := 0
				for i := range int64(rows) {
					key := r.Int64N(rows) * spread
					c.left.rows = append(c.left.rows, []catalog.Datum{catalog.Int(i), catalog.Int(key), catalog.Int(0)})
					want += count[key]
				}
				got, err := c.run(t, 2048, 4, false)
				if err != nil || len(got) != want {
					t.Fatalf("%s, spread %d, %d duplicates: %d rows, want %d (%v)", algo, spread, dups, len(got), want, err)
				}
			}
		}
	}
}

func TestMemoryIsRefused(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 6)), distinct: 100_000}
	for _, algo := range allAlgos {
		c := simpleCase(g, algo, logical.Left, 20_000, 20_000)
		refused := 0
		for limit := int64(1000); limit < 1<<26; limit *= 2 {
			root := mem.NewRoot("query", limit)
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 2, BatchSize: 2048}
			o, err := New(c.node(t), &input{rel: c.left, size: 2048}, &input{rel: c.right, size: 2048})
			if err != nil {
				t.Fatal(err)
			}
			stop := algo == physical.NestedLoop && o.Open(ctx) == nil // 4*10^8 pairs are not the point
			if !stop {
				if algo == physical.NestedLoop {
					err = sqlerr.OutOfMemory
				} else {
					_, err = drain(ctx, o)
				}
			}
			if errors.Is(err, sqlerr.OutOfMemory) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
			if err := o.Close(); err != nil {
				t.Fatal(err)
			}
			if root.Used() != 0 {
				t.Fatalf("%s with %d bytes: %d held after Close", algo, limit, root.Used())
			}
			if stop || err == nil {
				break
			}
		}
		if refused == 0 {
			t.Errorf("%s was never refused memory", algo)
		}
	}
}

// TestInputErrors has either input fail.
func TestInputErrors(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 7)), distinct: 1000}
	for _, algo := range allAlgos {
		for _, fail := range [][2]int{{1, 0}, {0, 1}} {
			c := simpleCase(g, algo, logical.Left, 100, 100)
			root := mem.NewRoot("query", 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 2, BatchSize: 10}
			o, err := New(c.node(t), &input{rel: c.left, size: 10, failAt: fail[0]}, &input{rel: c.right, size: 10, failAt: fail[1]})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := drain(ctx, o); !errors.Is(err, errInput) {
				t.Errorf("%s: error %v", algo, err)
			}
			if err := o.Close(); err != nil || root.Used() != 0 {
				t.Errorf("%s: %d bytes held after Close, error %v", algo, root.Used(), err)
			}
		}
	}
}

// TestCancellation stops joins that would run for minutes: cross products of equal
// keys, and pairs that are all filtered away.
func TestCancellation(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 8)), distinct: 1}
	for _, algo := range allAlgos {
		for _, residual := range []string{"", "sum"} {
			c := simpleCase(g, algo, logical.Semi, 30_000, 30_000)
			if c.residual = residual; residual == "" {
				c.kind = logical.Inner
			}
			for _, row := range c.left.rows {
				row[len(row)-1] = catalog.NullOf(bigint)
				if algo == physical.Range {
					row[2].I64--
				}
			}
			stop, cancel := context.WithCancel(context.Background())
			ctx := &op.Ctx{Context: stop, Mem: mem.NewRoot("query", 0), Workers: 2, BatchSize: 2048}
			o, err := New(c.node(t), &input{rel: c.left, size: 2048}, &input{rel: c.right, size: 2048})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Open(ctx); err != nil {
				t.Fatal(err)
			}
			var cancelled time.Time
			time.AfterFunc(20*time.Millisecond, func() { cancelled = time.Now(); cancel() })
			err = op.Parallel(ctx, 2, func(int) error {
				s, err := o.Stream()
				if err != nil {
					return err
				}
				for {
					if b, err := s.Next(); b == nil || err != nil {
						return errors.Join(err, s.Close())
					}
				}
			})
			if late := time.Since(cancelled); !errors.Is(err, context.Canceled) || late > 2*time.Second { // 100 ms on a quiet machine
				t.Errorf("%s %q: error %v %s after the cancellation", algo, residual, err, late)
			}
			if err := o.Close(); err != nil || ctx.Mem.Used() != 0 {
				t.Errorf("%s: %d bytes held after Close, error %v", algo, ctx.Mem.Used(), err)
			}
			cancel()
		}
	}
}

// TestCrossJoins has no condition at all, or one that is no comparison.
func TestCrossJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, kind := range allKinds {
		for _, residual := range []string{"", "sum", "less"} {
			for _, rows := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {7, 40}, {40, 7}, {3, 2500}} {
				g := &generator{Rand: r, nulls: 0.1}
				c := &joinCase{algo: physical.NestedLoop, kind: kind, residual: residual, buildLeft: r.IntN(2) == 0,
					nullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
				c.left, c.right = g.relation(leftID, rows[0], nil), g.relation(rightID, rows[1], nil)
				check(t, c, []int{1, 3, 1024}[r.IntN(3):][:1], []int{1, 2})
			}
		}
	}
}

// TestNotInRows checks the three-valued logic of NOT IN over rows by hand.
func TestNotInRows(t *testing.T) {
	n, i := catalog.NullOf(bigint), catalog.Int
	rel := func(base int, rows ...[2]catalog.Datum) *relation {
		out := &relation{cols: columnsOf(base, []types.Type{bigint, bigint})}
		for k, r := range rows {
			out.rows = append(out.rows, []catalog.Datum{i(int64(k)), r[0], r[1], i(0)})
		}
		return out
	}
	left := rel(leftID, [2]catalog.Datum{i(1), i(2)}, [2]catalog.Datum{i(1), n}, [2]catalog.Datum{i(5), n}, [2]catalog.Datum{i(9), i(9)}, [2]catalog.Datum{n, n})
	for _, tc := range []struct {
		right *relation
		want  []string // ids of the left rows NOT IN keeps
	}{
		{rel(rightID), []string{"0", "1", "2", "3", "4"}},
		{rel(rightID, [2]catalog.Datum{i(1), i(2)}), []string{"2", "3"}},
		{rel(rightID, [2]catalog.Datum{i(1), n}), []string{"2", "3"}},
		{rel(rightID, [2]catalog.Datum{n, i(9)}), []string{"0"}},
		{rel(rightID, [2]catalog.Datum{n, n}), nil},
	} {
		for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop} {
			c := &joinCase{algo: algo, kind: logical.Anti, nullAware: true, operands: []types.Type{bigint, bigint}, nullSafe: []bool{false, false}, left: left, right: tc.right}
			got, err := c.run(t, 2, 1, false)
			if err != nil || len(got) != len(tc.want) {
				t.Fatalf("%s: %v, want ids %v (%v)", algo, got, tc.want, err)
			}
			for k := range got {
				if got[k][:2] != tc.want[k]+"|" {
					t.Fatalf("%s: %v, want ids %v", algo, got, tc.want)
				}
			}
		}
	}
}
