package spill_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/jointest"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// TestGrace joins in part of the memory that the join normally takes. It must return the same rows,
// and some of them must spill.
func TestGrace(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, shape := range [][]types.Type{{jointest.Bigint}, {jointest.Text, jointest.Wide}} {
			for i, kind := range jointest.AllKinds {
				if testing.Short() && (i+len(algo)+len(shape))%2 > 0 { // half is enough to look for races
					continue
				}
				g := &jointest.Generator{Rand: r, Distinct: 2000, Nulls: 0.02}
				c := &jointest.Case{Algo: algo, Kind: kind, Operands: shape, NullSafe: make([]bool, len(shape)), Residual: []string{"", "sum"}[r.IntN(2)], BuildLeft: r.IntN(2) == 0}
				c.NullSafe[0] = r.IntN(3) == 0
				c.Left, c.Right = g.Relation(jointest.LeftID, 6000, shape), g.Relation(jointest.RightID, 4000, shape)
				if kind == logical.Single {
					jointest.Unique(c.Right)
				}
				jointest.CheckSpilling(t, c)
			}
		}
	}
}

// TestGraceEnds checks that rows of one key that do not fit, however often they are partitioned,
// are held a portion at a time, that a full disk is an error, and that nothing is held after
// either.
func TestGraceEnds(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(13, 14)), Distinct: 1}
	kinds := []logical.JoinKind{logical.Semi, logical.Left, logical.Inner, logical.Full}
	if testing.Short() { // enough to look for races
		kinds = []logical.JoinKind{logical.Semi, logical.Full}
	}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix} {
		for _, kind := range kinds {
			c := &jointest.Case{Algo: algo, Kind: kind, Operands: []types.Type{jointest.Bigint}, NullSafe: []bool{false}}
			rows := 8000
			if testing.Short() {
				rows = 3000
			}
			if kind != logical.Semi {
				rows = 700
			}
			c.Left, c.Right = g.Relation(jointest.LeftID, rows, c.Operands), g.Relation(jointest.RightID, rows, c.Operands)
			want, err := c.RunIn(t, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1, BatchSize: 100}, false)
			if err != nil || len(want) == 0 {
				t.Fatal(len(want), err)
			}
			for limit, code := range map[int64]sqlerr.Code{0: 0, 5000: sqlerr.DiskFull} {
				space := spill.NewSpace(t.TempDir(), limit)
				ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", int64(rows)*8), Workers: 2, BatchSize: 100, Spill: space}
				got, err := c.RunIn(t, ctx, true)
				if code == 0 && (err != nil || !slices.Equal(got, want)) {
					t.Errorf("%s %d: %v, or other rows", algo, kind, err)
				}
				if code != 0 && !errors.Is(err, code) || space.Used() != 0 || space.Written() == 0 && code == 0 {
					t.Errorf("%s %d: %v, want %d; %d bytes were on disk, %d are left", algo, kind, err, code, space.Written(), space.Used())
				}
			}
		}
	}
}

// TestGraceNullAware checks that NOT IN considers the NULLs of the whole right side, in whichever
// partition they are.
func TestGraceNullAware(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, kind := range []logical.JoinKind{logical.Anti, logical.Mark} {
			for _, operand := range []types.Type{jointest.Bigint, jointest.Text} {
				for _, nulls := range []int{0, 1} {
					if testing.Short() && (nulls+len(algo)+int(kind))%2 > 0 { // half is enough to look for races
						continue
					}
					g := &jointest.Generator{Rand: r, Distinct: 6000, Nulls: 0.02}
					c := &jointest.Case{Algo: algo, Kind: kind, NullAware: true, Operands: []types.Type{operand}, NullSafe: []bool{false}}
					c.Left = g.Relation(jointest.LeftID, 6000, c.Operands)
					g.Nulls = 0
					c.Right = g.Relation(jointest.RightID, 4000, c.Operands)
					for i := range nulls {
						c.Right.Rows[i][1].Null = true
					}
					jointest.CheckSpilling(t, c)
				}
			}
		}
	}
}

// TestNullAwareOfOneKey checks NOT IN over rows of a single key value, which do not fit in memory
// and which partitioning cannot divide: they are held a portion at a time, with and without NULLs
// on either side.
func TestNullAwareOfOneKey(t *testing.T) {
	if testing.Short() {
		t.Skip("one worker: there are no races to look for")
	}
	const rows = 3000
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for i, kind := range []logical.JoinKind{logical.Anti, logical.Mark, logical.Anti, logical.Mark} {
			g := &jointest.Generator{Rand: rand.New(rand.NewPCG(29, 30)), Distinct: 1, Nulls: 0.02}
			c := &jointest.Case{Algo: algo, Kind: kind, NullAware: true, Operands: []types.Type{jointest.Bigint}, NullSafe: []bool{false}}
			c.Left = g.Relation(jointest.LeftID, rows, c.Operands)
			g.Nulls = 0
			c.Right = g.Relation(jointest.RightID, rows, c.Operands)
			c.Left.Rows[7][1] = catalog.Int(-7) // a row without a partner
			c.Right.Rows[0][1].Null = i > 1
			want, err := c.RunIn(t, &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1, BatchSize: 100}, false)
			if err != nil {
				t.Fatal(err)
			}
			if kept := map[int]int{0: 1, 1: rows, 2: 0, 3: rows}[i]; len(want) != kept {
				t.Fatalf("%s %d: %d rows in memory, not %d", algo, i, len(want), kept)
			}
			space := spill.NewSpace(t.TempDir(), 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", rows*8), Workers: 1, BatchSize: 100, Spill: space}
			got, err := c.RunIn(t, ctx, false)
			if err != nil || !slices.Equal(got, want) || space.Written() == 0 || space.Used() != 0 {
				t.Errorf("%s %d: %v, %d bytes were on disk, %d are left; %s", algo, i, err, space.Written(), space.Used(), optest.Difference(got, want))
			}
		}
	}
}

// TestGraceWithOneSideInMemory joins with amounts of memory from a quarter of the normal amount
// up. With some of them, one side in memory leaves no space for the other.
func TestGraceWithOneSideInMemory(t *testing.T) {
	g := &jointest.Generator{Rand: rand.New(rand.NewPCG(17, 18)), Distinct: 3000, Nulls: 0.02}
	for _, algo := range []physical.JoinAlgo{physical.Radix, physical.Merge} {
		c := &jointest.Case{Algo: algo, Kind: logical.Left, Operands: []types.Type{jointest.Bigint}, NullSafe: []bool{false}}
		c.Left, c.Right = g.Relation(jointest.LeftID, 2000, c.Operands), g.Relation(jointest.RightID, 6000, c.Operands)
		all := mem.NewRoot("query", 0)
		want, err := c.RunIn(t, &op.Ctx{Context: context.Background(), Mem: all, Workers: 1, BatchSize: 500}, false)
		if err != nil {
			t.Fatal(err)
		}
		limits := map[int64]int{} // number of workers by limit
		for i := range int64(24) {
			limits[all.Peak()*(8+i)/32] = 2
			limits[164_000+i*500] = 1 // about what the right side takes
		}
		for limit, workers := range limits {
			space := spill.NewSpace(t.TempDir(), 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", limit), Workers: workers, BatchSize: 200, Spill: space}
			got, err := c.RunIn(t, ctx, workers > 1)
			if err != nil || !slices.Equal(got, want) || space.Used() != 0 {
				t.Fatalf("%s, %d workers, %d bytes: %v; %d bytes are left; %s", algo, workers, limit, err, space.Used(), optest.Difference(got, want))
			}
		}
	}
}

// TestGraceNullAwareOfSeveral checks that rows of NOT IN with a NULL in one of several columns,
// or with further conditions, are compared with all rows of the other side.
func TestGraceNullAwareOfSeveral(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, kind := range []logical.JoinKind{logical.Anti, logical.Mark} {
			for i, nulls := range [][2]float64{{}, {0.01, 0}, {0, 0.01}, {0.02, 0.01}, {0.3, 0.001}, {0.001, 0.3}} {
				g := &jointest.Generator{Rand: r, Distinct: 60}
				c := &jointest.Case{Algo: algo, Kind: kind, NullAware: true, Operands: []types.Type{jointest.Bigint, jointest.Text}, NullSafe: []bool{i == 4, false}}
				if testing.Short() && (i+len(algo))%3 > 0 { // a third is enough to look for races
					continue
				}
				if i%2 == 1 {
					c.Residual = []string{"sum", "less"}[i/2%2]
				}
				if g.Nulls = nulls[0]; i == 5 {
					c.Operands, c.NullSafe, g.Distinct = c.Operands[:1], c.NullSafe[:1], 2000
				}
				c.Left = g.Relation(jointest.LeftID, 3000, c.Operands)
				g.Nulls = nulls[1]
				c.Right = g.Relation(jointest.RightID, 2000, c.Operands)
				jointest.CheckSpilling(t, c)
			}
		}
	}
}

// TestNullAwareHeld holds left rows of null-aware joins while small batches of right rows stream
// past, and compares the result with the definition.
func TestNullAwareHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	space := spill.NewSpace(t.TempDir(), 0)
	for i := range 240 {
		g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(12), Nulls: []float64{0, 0.05, 0.4}[r.IntN(3)]}
		c := &jointest.Case{Algo: physical.Hash, Kind: []logical.JoinKind{logical.Anti, logical.Mark}[i%2], NullAware: true,
			Operands: []types.Type{jointest.Bigint, jointest.Text}, NullSafe: []bool{false, r.IntN(4) == 0}, Residual: []string{"", "sum", "less"}[r.IntN(3)]}
		switch i % 3 {
		case 1: // without equalities
			c.Algo, c.Operands, c.NullSafe = []physical.JoinAlgo{physical.Range, physical.NestedLoop}[r.IntN(2)], []types.Type{jointest.Bigint, jointest.Bigint}, nil
			c.Ranges, c.Streamed = []expr.FuncID{"<", ">="}, r.IntN(2) == 0
		case 2: // few rows have no partner
			c.Operands, c.NullSafe = c.Operands[:1], c.NullSafe[:1]
			c.Residual = "less"
		}
		c.Left, c.Right = g.Relation(jointest.LeftID, r.IntN(40), c.Operands), g.Relation(jointest.RightID, r.IntN(40), c.Operands)
		want, err := c.Oracle()
		if err != nil {
			t.Fatal(err)
		}
		for _, room := range []int64{5_000, 12_000} {
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", room), Workers: 1 + i%3, BatchSize: 7, Spill: space}
			if got, err := c.RunIn(t, ctx, i%2 == 0); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s kind %d of %v null-safe %v ranges %v residual %q, %d bytes: %v; %s", c.Algo, c.Kind, c.Operands, c.NullSafe, c.Ranges, c.Residual, room, err, optest.Difference(got, want))
			}
		}
	}
	if space.Written() == 0 || space.Used() != 0 {
		t.Errorf("%d bytes were on disk, %d are left", space.Written(), space.Used())
	}
}
