package join

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// TestGrace joins with a part of the memory that it takes otherwise: the same rows come,
// and some of them by way of the disk.
func TestGrace(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, shape := range [][]types.Type{{bigint}, {text, wide}} {
			for _, kind := range allKinds {
				g := &generator{Rand: r, distinct: 2000, nulls: 0.02}
				c := &joinCase{algo: algo, kind: kind, operands: shape, nullSafe: make([]bool, len(shape)), residual: []string{"", "sum"}[r.IntN(2)], buildLeft: r.IntN(2) == 0}
				c.nullSafe[0] = r.IntN(3) == 0
				c.left, c.right = g.relation(leftID, 6000, shape), g.relation(rightID, 4000, shape)
				if kind == logical.Single {
					unique(c.right)
				}
				checkGrace(t, c)
			}
		}
	}
}

// unique leaves rows of different keys, which are in the second column.
func unique(rel *relation) {
	seen := map[string]bool{}
	kept := rel.rows[:0]
	for _, row := range rel.rows {
		if k := row[1].Text(); !seen[k] {
			seen[k] = true
			kept = append(kept, row)
		}
	}
	rel.rows = kept
}

func checkGrace(t *testing.T, c *joinCase) {
	t.Helper()
	all := mem.NewRoot("query", 0)
	want, err := c.runIn(t, &op.Ctx{Context: context.Background(), Mem: all, Workers: 1, BatchSize: 500}, false)
	if err != nil {
		t.Fatal(err)
	}
	parts, away := []int64{2, 4}, int64(2)
	if c.algo == physical.Radix { // first it makes its rounds smaller
		parts, away = []int64{2, 4, 7, 9}, 7
	}
	for _, workers := range []int{1, 3} {
		for _, part := range parts {
			space := spill.NewSpace(t.TempDir(), 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", all.Peak()/part), Workers: workers, BatchSize: 200, Spill: space}
			got, err := c.runIn(t, ctx, workers > 1)
			if err != nil {
				t.Fatalf("%s kind %d keys %v, %d workers, 1/%d of %d bytes: %v", c.algo, c.kind, c.operands, workers, part, all.Peak(), err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s kind %d keys %v, %d workers, 1/%d of the memory: %s", c.algo, c.kind, c.operands, workers, part, difference(got, want))
			}
			if space.Used() != 0 || part >= away && space.Written() == 0 {
				t.Fatalf("%s kind %d: %d bytes were on disk, %d are left", c.algo, c.kind, space.Written(), space.Used())
			}
		}
	}
	c.harness(t, nil, nil).RunInterleaved(t, all.Peak()/parts[len(parts)-1])
}

// TestGraceEnds: rows of one key that do not fit are an error, however often they are
// dealt out; so is a full disk, and nothing is left of either.
func TestGraceEnds(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(13, 14)), distinct: 1}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix} {
		c := &joinCase{algo: algo, kind: logical.Semi, operands: []types.Type{bigint}, nullSafe: []bool{false}}
		c.left, c.right = g.relation(leftID, 8000, c.operands), g.relation(rightID, 8000, c.operands)
		for limit, want := range map[int64]sqlerr.Code{0: sqlerr.OutOfMemory, 5000: sqlerr.DiskFull} {
			space := spill.NewSpace(t.TempDir(), limit)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 60_000), Workers: 2, BatchSize: 100, Spill: space}
			if _, err := c.runIn(t, ctx, false); !errors.Is(err, want) || space.Used() != 0 {
				t.Errorf("%s: %v, want %d; %d bytes are left on disk", algo, err, want, space.Used())
			}
		}
	}
}

// TestGraceNullAware: NOT IN looks at NULLs of the whole right side, whichever partition
// they are dealt to.
func TestGraceNullAware(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, kind := range []logical.JoinKind{logical.Anti, logical.Mark} {
			for _, operand := range []types.Type{bigint, text} {
				for _, nulls := range []int{0, 1} {
					g := &generator{Rand: r, distinct: 6000, nulls: 0.02}
					c := &joinCase{algo: algo, kind: kind, nullAware: true, operands: []types.Type{operand}, nullSafe: []bool{false}}
					c.left = g.relation(leftID, 6000, c.operands)
					g.nulls = 0
					c.right = g.relation(rightID, 4000, c.operands)
					for i := range nulls {
						c.right.rows[i][1].Null = true
					}
					checkGrace(t, c)
				}
			}
		}
	}
}

// TestGraceWithOneSideInMemory joins with all amounts of memory from a quarter of what is
// taken otherwise, with some of which one side leaves no room for the other.
func TestGraceWithOneSideInMemory(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(17, 18)), distinct: 3000, nulls: 0.02}
	for _, algo := range []physical.JoinAlgo{physical.Radix, physical.Merge} {
		c := &joinCase{algo: algo, kind: logical.Left, operands: []types.Type{bigint}, nullSafe: []bool{false}}
		c.left, c.right = g.relation(leftID, 2000, c.operands), g.relation(rightID, 6000, c.operands)
		all := mem.NewRoot("query", 0)
		want, err := c.runIn(t, &op.Ctx{Context: context.Background(), Mem: all, Workers: 1, BatchSize: 500}, false)
		if err != nil {
			t.Fatal(err)
		}
		limits := map[int64]int{} // and the workers
		for i := range int64(24) {
			limits[all.Peak()*(8+i)/32] = 2
			limits[164_000+i*500] = 1 // about what the right side takes
		}
		for limit, workers := range limits {
			space := spill.NewSpace(t.TempDir(), 0)
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", limit), Workers: workers, BatchSize: 200, Spill: space}
			got, err := c.runIn(t, ctx, workers > 1)
			if err != nil || !slices.Equal(got, want) || space.Used() != 0 {
				t.Fatalf("%s, %d workers, %d bytes: %v; %d bytes are left; %s", algo, workers, limit, err, space.Used(), difference(got, want))
			}
		}
	}
}

// TestGraceNullAwareOfSeveral: rows of NOT IN with a NULL among several columns, or with further
// conditions, meet all rows of the other side.
func TestGraceNullAwareOfSeveral(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge} {
		for _, kind := range []logical.JoinKind{logical.Anti, logical.Mark} {
			for i, nulls := range [][2]float64{{}, {0.01, 0}, {0, 0.01}, {0.02, 0.01}, {0.3, 0.001}, {0.001, 0.3}} {
				g := &generator{Rand: r, distinct: 60}
				c := &joinCase{algo: algo, kind: kind, nullAware: true, operands: []types.Type{bigint, text}, nullSafe: []bool{i == 4, false}}
				if i%2 == 1 {
					c.residual = []string{"sum", "less"}[i/2%2]
				}
				if g.nulls = nulls[0]; i == 5 {
					c.operands, c.nullSafe, g.distinct = c.operands[:1], c.nullSafe[:1], 2000
				}
				c.left = g.relation(leftID, 3000, c.operands)
				g.nulls = nulls[1]
				c.right = g.relation(rightID, 2000, c.operands)
				checkGrace(t, c)
			}
		}
	}
}

// TestNullAwareHeld holds left rows of null-aware joins, past which small batches of right ones
// stream, and compares with the definition.
func TestNullAwareHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	space := spill.NewSpace(t.TempDir(), 0)
	for i := range 240 {
		g := &generator{Rand: r, distinct: 1 + r.IntN(12), nulls: []float64{0, 0.05, 0.4}[r.IntN(3)]}
		c := &joinCase{algo: physical.Hash, kind: []logical.JoinKind{logical.Anti, logical.Mark}[i%2], nullAware: true,
			operands: []types.Type{bigint, text}, nullSafe: []bool{false, r.IntN(4) == 0}, residual: []string{"", "sum", "less"}[r.IntN(3)]}
		switch i % 3 {
		case 1: // without equalities
			c.algo, c.operands, c.nullSafe = []physical.JoinAlgo{physical.Range, physical.NestedLoop}[r.IntN(2)], []types.Type{bigint, bigint}, nil
			c.ranges, c.streamed = []string{"<", ">="}, r.IntN(2) == 0
		case 2: // few rows without partners
			c.operands, c.nullSafe = c.operands[:1], c.nullSafe[:1]
			c.residual = "less"
		}
		c.left, c.right = g.relation(leftID, r.IntN(40), c.operands), g.relation(rightID, r.IntN(40), c.operands)
		want, err := c.oracle()
		if err != nil {
			t.Fatal(err)
		}
		for _, room := range []int64{5_000, 12_000} {
			ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", room), Workers: 1 + i%3, BatchSize: 7, Spill: space}
			if got, err := c.runIn(t, ctx, i%2 == 0); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s kind %d of %v null-safe %v ranges %v residual %q, %d bytes: %v; %s", c.algo, c.kind, c.operands, c.nullSafe, c.ranges, c.residual, room, err, difference(got, want))
			}
		}
	}
	if space.Written() == 0 || space.Used() != 0 {
		t.Errorf("%d bytes were on disk, %d are left", space.Written(), space.Used())
	}
}
