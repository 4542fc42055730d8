package join

import (
	"math"
	"math/rand/v2"
	"testing"

	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
)

var rangeOps = []string{"<", "<=", ">", ">="}

func waysCost(swept, treed float64) { sweepFactor, treeFactor = swept, treed }

// favour makes a way to run range joins the cheapest: windows, sweeps, sweeps with a tree.
func favour(round int) {
	switch round % 3 {
	case 0:
		waysCost(math.Inf(1), math.Inf(1))
	case 1:
		waysCost(0, math.Inf(1))
	case 2:
		waysCost(1e-9, 0)
	}
}

// TestRanges runs range joins with one and two predicates, with and without equality
// keys, by windows and by the sweeps.
func TestRanges(t *testing.T) {
	defer waysCost(sweepFactor, treeFactor)
	r := rand.New(rand.NewPCG(5, 6))
	operands := []types.Type{bigint, unsigned, double, date, decimal, wide, text, null}
	for round := range 700 {
		favour(round)
		g := &generator{Rand: r, distinct: 1 + r.IntN(60), nulls: float64(round%3) * 0.05}
		c := &joinCase{algo: physical.Range, kind: allKinds[r.IntN(len(allKinds))], residual: []string{"", "", "sum", "less"}[r.IntN(4)],
			nullAware: r.IntN(2) == 0, buildLeft: r.IntN(2) == 0}
		if round%7 == 0 {
			c.algo = physical.NestedLoop
		}
		c.nullAware = c.nullAware && (c.kind == logical.Mark || c.kind == logical.Anti)
		g.noNaN = c.nullAware
		for range r.IntN(2) * r.IntN(3) {
			c.operands = append(c.operands, []types.Type{date, text, double}[r.IntN(3)])
			c.nullSafe = append(c.nullSafe, r.IntN(3) == 0)
		}
		for range 1 + r.IntN(3) {
			c.operands = append(c.operands, operands[r.IntN(len(operands))])
			c.ranges = append(c.ranges, rangeOps[r.IntN(4)])
		}
		c.left = g.relation(leftID, r.IntN(80), c.operands)
		c.right = g.relation(rightID, r.IntN(80)*r.IntN(4)/3, c.operands)
		check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestBands runs two comparisons on one operand of either side.
func TestBands(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		g := &generator{Rand: r, distinct: 1 + r.IntN(200), nulls: float64(round%2) * 0.05}
		typ := []types.Type{bigint, double, decimal, text, wide}[r.IntN(5)]
		c := &joinCase{algo: []physical.JoinAlgo{physical.Range, physical.NestedLoop}[r.IntN(2)], kind: allKinds[r.IntN(len(allKinds))],
			operands: []types.Type{typ, typ}, ranges: []string{rangeOps[r.IntN(2)], rangeOps[2+r.IntN(2)]}, buildLeft: r.IntN(2) == 0}
		c.left, c.right = g.relation(leftID, r.IntN(150), c.operands), g.relation(rightID, r.IntN(150), c.operands)
		c.sameOperand = []string{"l", "r"}[round%2]
		check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestStreamedRanges holds one side and streams the other, with one to four comparisons, of
// which some rise or fall together.
func TestStreamedRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	words := []types.Type{bigint, unsigned, double, date, decimal, null}
	for round := range 700 {
		g := &generator{Rand: r, distinct: 1 + r.IntN(60), nulls: float64(round%3) * 0.05}
		c := &joinCase{algo: physical.Range, kind: allKinds[r.IntN(len(allKinds))], residual: []string{"", "", "sum", "less"}[r.IntN(4)],
			nullAware: r.IntN(2) == 0, buildLeft: r.IntN(2) == 0, streamed: true}
		c.nullAware = c.nullAware && (c.kind == logical.Mark || c.kind == logical.Anti)
		g.noNaN = c.nullAware
		typ := words[r.IntN(len(words))]
		for range 1 + r.IntN(3) {
			if r.IntN(3) == 0 {
				typ = words[r.IntN(len(words))]
			}
			c.operands = append(c.operands, typ)
			c.ranges = append(c.ranges, []string{"<", "<=", ">", ">=", "<", ">=", "="}[r.IntN(7)])
		}
		if len(c.operands) == 2 && c.operands[0] == c.operands[1] {
			c.sameOperand = []string{"", "l", "r"}[r.IntN(3)]
		}
		c.left, c.right = g.relation(leftID, r.IntN(80), c.operands), g.relation(rightID, r.IntN(80)*r.IntN(4)/3, c.operands)
		if round%3 == 0 { // the operands of a row together, or against each other
			for _, rel := range []*relation{c.left, c.right} {
				for _, row := range rel.rows {
					for i := range c.operands {
						if c.operands[i] == bigint && c.operands[0] == bigint && !row[1].Null && !row[1+i].Null {
							row[1+i].I64 = row[1].I64*int64(1-2*(round%2)) + int64(i)
						}
					}
				}
			}
		}
		check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{1, 2})
	}
}

// TestReach compares what the tree finds with a walk.
func TestReach(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{0, 1, 2, 3, 8, 9, 100, 1025} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = r.Uint64N(50) * r.Uint64N(2)
		}
		for _, falls := range []bool{false, true} {
			tree, b, err := newReach(mem.NewRoot("test", 0), words, n, falls)
			if err != nil {
				t.Fatal(err)
			}
			for range 300 {
				to, x := r.IntN(n+1), r.Uint64N(52)
				from := r.IntN(to + 1)
				if falls {
					x = ^x
				}
				want := from
				for want < to && (falls && ^words[want] < x || !falls && words[want] < x) {
					want++
				}
				if got := tree.next(int32(from), int32(to), x); got != int32(want) {
					t.Fatalf("%d words, falls %v: next(%d, %d, %d) = %d, want %d", n, falls, from, to, x, got, want)
				}
			}
			b.Free()
		}
	}
}

// TestLargeRanges crosses the sizes of tiles and blocks.
func TestLargeRanges(t *testing.T) {
	defer waysCost(sweepFactor, treeFactor)
	r := rand.New(rand.NewPCG(9, 10))
	for round := range 12 {
		favour(round)
		g := &generator{Rand: r, distinct: 3000, nulls: 0.01}
		c := &joinCase{algo: physical.Range, kind: allKinds[round%5], operands: []types.Type{date, date}, ranges: []string{"<", ">="}}
		if round >= 4 {
			c.operands, c.nullSafe = []types.Type{date, date, date}, []bool{false}
		}
		c.left, c.right = g.relation(leftID, 400, c.operands), g.relation(rightID, 1300, c.operands)
		for i := range c.left.rows { // few pairs: l.k < r.k0 only at the top
			c.left.rows[i][len(c.nullSafe)+1].I64 += 2500
		}
		check(t, c, []int{1024}, []int{1 + round%2*3})
	}
}

func TestBitmap(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 63, 64, 65, 4096, 4097, 300_000} {
		b, err := newBitmap(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]bool, n)
		for range r.IntN(20) {
			i := r.IntN(n)
			in[i] = true
			b.set(i)
		}
		want := -1
		for i := n - 1; i >= 0; i-- {
			if in[i] {
				want = i
			}
			if got := b.next(i); got != want {
				t.Fatalf("%d positions: next(%d) = %d, want %d", n, i, got, want)
			}
		}
	}
}
