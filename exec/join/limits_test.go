package join_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// TestCollidingHashes keeps only four bits of the hashes, so that lists mix different keys.
func TestCollidingHashes(t *testing.T) {
	defer keyenc.MaskHashes(^uint64(0))
	keyenc.MaskHashes(15)
	r := rand.New(rand.NewPCG(1, 3))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.Range} {
		for _, kind := range jointest.AllKinds {
			for round := range 3 {
				g := &jointest.Generator{Rand: r, Distinct: []int{2, 40, 100}[round], Nulls: 0.05}
				c := &jointest.Case{Algo: algo, Kind: kind, Operands: []types.Type{jointest.Text, jointest.Wide}, NullSafe: []bool{true, false}}
				if algo == physical.Range {
					c.Operands, c.Ranges = append(c.Operands, jointest.Bigint), []expr.FuncID{"<="}
				}
				c.Left, c.Right = g.Relation(jointest.LeftID, 100, c.Operands), g.Relation(jointest.RightID, 40, c.Operands)
				jointest.Check(t, c, []int{3, 1024}, []int{2})
			}
		}
	}
}

// TestEqualKeys joins sides whose keys are all equal: full skew, a cross product.
func TestEqualKeys(t *testing.T) {
	for _, algo := range jointest.AllAlgos {
		for _, typ := range []types.Type{jointest.Bigint, jointest.Text} {
			g := &jointest.Generator{Rand: rand.New(rand.NewPCG(1, 4)), Distinct: 1}
			c := &jointest.Case{Algo: algo, Kind: logical.Inner, Operands: []types.Type{typ}, NullSafe: []bool{false}}
			if algo == physical.Range {
				c.Operands, c.Ranges = []types.Type{typ, jointest.Date}, []expr.FuncID{"<="}
			}
			c.Left, c.Right = g.Relation(jointest.LeftID, 20, c.Operands), g.Relation(jointest.RightID, 2100, c.Operands)
			jointest.Check(t, c, []int{1000}, []int{4})
		}
	}
}

// TestManyPartitions joins enough rows for several partitions and workers, with sparse and dense
// keys, with and without duplicates. It counts the expected rows with a map.
func TestManyPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, spread := range []int64{1, 1 << 40} {
			for _, dups := range []int64{1, 3} {
				const rows = 40_000
				c := &jointest.Case{Algo: algo, Kind: logical.Inner, Operands: []types.Type{jointest.Bigint}, NullSafe: []bool{false}}
				c.Left, c.Right = &optest.Relation{Cols: jointest.ColumnsOf(jointest.LeftID, c.Operands)}, &optest.Relation{Cols: jointest.ColumnsOf(jointest.RightID, c.Operands)}
				count := make(map[int64]int)
				for i := range int64(rows) {
					c.Right.Rows = append(c.Right.Rows, []catalog.Datum{catalog.Int(i), catalog.Int(i / dups * spread), catalog.Int(0)})
					count[i/dups*spread]++
				}
				r.Shuffle(rows, func(i, k int) { c.Right.Rows[i], c.Right.Rows[k] = c.Right.Rows[k], c.Right.Rows[i] })
				want := 0
				for i := range int64(rows) {
					key := r.Int64N(rows) * spread
					c.Left.Rows = append(c.Left.Rows, []catalog.Datum{catalog.Int(i), catalog.Int(key), catalog.Int(0)})
					want += count[key]
				}
				got, err := c.Run(t, 2048, 4, false)
				if err != nil || len(got) != want {
					t.Fatalf("%s, spread %d, %d duplicates: %d rows, want %d (%v)", algo, spread, dups, len(got), want, err)
				}
			}
		}
	}
}

func TestMemoryIsRefused(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(1, 6)), Distinct: 100_000}
	for _, algo := range jointest.AllAlgos {
		c := jointest.SimpleCase(g, algo, logical.Left, 20_000, 20_000)
		refused := 0
		for limit := int64(1000); limit < 1<<26; limit *= 2 {
			root := mem.NewRoot("query", limit)
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 2, BatchSize: 2048}
			o, err := join.New(c.Node(t), optest.NewInput(c.Left, 2048), optest.NewInput(c.Right, 2048))
			if err != nil {
				t.Fatal(err)
			}
			stop := algo == physical.NestedLoop && o.Open(ctx) == nil // no need to run all 4*10^8 pairs
			if !stop {
				if algo == physical.NestedLoop {
					err = sqlerr.OutOfMemory
				} else {
					_, err = optest.Rows(ctx, o)
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

// TestCancellation stops joins that would run for minutes: cross products of equal keys, and
// pairs that are all dropped by residual predicates.
func TestCancellation(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(1, 8)), Distinct: 1}
	for _, algo := range jointest.AllAlgos {
		for _, residual := range []string{"", "sum"} {
			c := jointest.SimpleCase(g, algo, logical.Semi, 30_000, 30_000)
			if c.Residual = residual; residual == "" {
				c.Kind = logical.Inner
			}
			for _, row := range c.Left.Rows {
				row[len(row)-1] = catalog.NullOf(jointest.Bigint)
				if algo == physical.Range {
					row[2].I64--
				}
			}
			stop, cancel := context.WithCancel(context.Background())
			ctx := &op.Ctx{Context: stop, Mem: mem.NewRoot("query", 0), Workers: 2, BatchSize: 2048}
			o, err := join.New(c.Node(t), optest.NewInput(c.Left, 2048), optest.NewInput(c.Right, 2048))
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
			if late := time.Since(cancelled); !errors.Is(err, context.Canceled) || late > 20*time.Second { // 100 ms on an idle machine
				t.Errorf("%s %q: error %v %s after the cancellation", algo, residual, err, late)
			}
			if err := o.Close(); err != nil || ctx.Mem.Used() != 0 {
				t.Errorf("%s: %d bytes held after Close, error %v", algo, ctx.Mem.Used(), err)
			}
			cancel()
		}
	}
}

// TestCrossJoins joins without any condition, or by one that is not a comparison.
func TestCrossJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, kind := range jointest.AllKinds {
		for _, residual := range []string{"", "sum", "less"} {
			for _, rows := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {7, 40}, {40, 7}, {3, 2500}} {
				g := &jointest.Generator{Rand: r, Nulls: 0.1}
				c := &jointest.Case{Algo: physical.NestedLoop, Kind: kind, Residual: residual, BuildLeft: r.IntN(2) == 0,
					NullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
				c.Left, c.Right = g.Relation(jointest.LeftID, rows[0], nil), g.Relation(jointest.RightID, rows[1], nil)
				jointest.Check(t, c, []int{1, 3, 1024}[r.IntN(3):][:1], []int{1, 2})
			}
		}
	}
}

// TestNotInRows checks the three-valued logic of NOT IN over rows by hand.
func TestNotInRows(t *testing.T) {
	n, i := catalog.NullOf(jointest.Bigint), catalog.Int
	rel := func(base int, rows ...[2]catalog.Datum) *optest.Relation {
		out := &optest.Relation{Cols: jointest.ColumnsOf(base, []types.Type{jointest.Bigint, jointest.Bigint})}
		for k, r := range rows {
			out.Rows = append(out.Rows, []catalog.Datum{i(int64(k)), r[0], r[1], i(0)})
		}
		return out
	}
	left := rel(jointest.LeftID, [2]catalog.Datum{i(1), i(2)}, [2]catalog.Datum{i(1), n}, [2]catalog.Datum{i(5), n}, [2]catalog.Datum{i(9), i(9)}, [2]catalog.Datum{n, n})
	for _, tc := range []struct {
		right *optest.Relation
		want  []string // ids of the left rows that NOT IN keeps
	}{
		{rel(jointest.RightID), []string{"0", "1", "2", "3", "4"}},
		{rel(jointest.RightID, [2]catalog.Datum{i(1), i(2)}), []string{"2", "3"}},
		{rel(jointest.RightID, [2]catalog.Datum{i(1), n}), []string{"2", "3"}},
		{rel(jointest.RightID, [2]catalog.Datum{n, i(9)}), []string{"0"}},
		{rel(jointest.RightID, [2]catalog.Datum{n, n}), nil},
	} {
		for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop} {
			c := &jointest.Case{Algo: algo, Kind: logical.Anti, NullAware: true, Operands: []types.Type{jointest.Bigint, jointest.Bigint}, NullSafe: []bool{false, false}, Left: left, Right: tc.right}
			got, err := c.Run(t, 2, 1, false)
			if err != nil || len(got) != len(tc.want) {
				t.Fatalf("%s: %v, want ids %v (%v)", algo, got, tc.want, err)
			}
			for k := range got {
				if !strings.HasPrefix(got[k], tc.want[k]+" | ") {
					t.Fatalf("%s: %v, want ids %v", algo, got, tc.want)
				}
			}
		}
	}
}
