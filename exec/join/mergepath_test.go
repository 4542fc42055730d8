package join

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// smallTiles makes long groups of few pairs, until the function that it gives is called.
func smallTiles(pairs int) (undo func()) {
	before := tilePairs
	tilePairs = pairs
	return func() { tilePairs = before }
}

// skewedCodes gives ascending codes, many of them equal, the greatest and the least code
// among them.
func skewedCodes(r *rand.Rand, n int) []uint64 {
	codes := make([]uint64, n)
	for i := range codes {
		switch codes[i] = uint64(float64(1+n/4) * r.Float64() * r.Float64() * r.Float64()); r.IntN(20) {
		case 0:
			codes[i] = math.MaxUint64
		case 1:
			codes[i] = r.Uint64()
		}
	}
	slices.Sort(codes)
	return codes
}

// TestPathAt compares places on the path with merging row by row.
func TestPathAt(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 200 {
		left, right := skewedCodes(r, r.IntN(40)), skewedCodes(r, r.IntN(40))
		l, r := 0, 0
		for d := range len(left) + len(right) + 1 {
			if gotL, gotR := pathAt(left, right, d); gotL != l || gotR != r {
				t.Fatalf("%v and %v: %d rows on the path are %d left and %d right ones, want %d and %d", left, right, d, gotL, gotR, l, r)
			}
			if l < len(left) && (r == len(right) || left[l] <= right[r]) {
				l++
			} else {
				r++
			}
		}
	}
}

// TestMergePieces checks that the pieces have every pair once, and that none has much more work
// than others.
func TestMergePieces(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for round := range 300 {
		undo := smallTiles(1 + r.IntN(100))
		left, right := skewedCodes(r, r.IntN(300)), skewedCodes(r, r.IntN(300)+round%2*2000)
		once := r.IntN(3) == 0
		workers := 1 + r.IntN(7)
		p := newMergePath(&op.Ctx{Workers: workers}, left, right, once)
		undo()
		got := make(map[[2]int]int)
		for x, ok := p.take(); ok; x, ok = p.take() {
			pairs := 0
			if x.pairs > 0 {
				g := x.group
				for k := range x.pairs {
					k += (x.row-g.left)*g.width + x.partner - g.right
					got[[2]int{g.left + k/g.width, g.right + k%g.width}]++
				}
				if x.pairs > p.tile || left[g.left] != right[g.right] {
					t.Fatalf("tile %+v of %+v with tiles of %d pairs", x, *g, p.tile)
				}
				continue
			}
			for l := x.l; l < x.end; l++ {
				if at := slices.IndexFunc(p.groups, func(g longGroup) bool { return l >= g.left && l < g.leftEnd }); at >= 0 {
					if at < x.long {
						t.Fatalf("left row %d is of group %d, but the stretch begins with %d", l, at, x.long)
					}
					continue
				}
				from := lowerBound(right, left[l])
				for i := from; i < len(right) && right[i] == left[l] && !(once && i > from); i++ {
					if got[[2]int{l, i}]++; i < x.r {
						t.Fatalf("the stretch from left row %d on begins at right row %d, but has a pair with row %d", x.l, x.r, i)
					}
					pairs++
				}
			}
			if most := p.stretch * p.tile; workers > 1 && (x.end-x.l > p.stretch || pairs > most) {
				t.Fatalf("%d left rows and %d pairs in a stretch of %d", x.end-x.l, pairs, p.stretch)
			}
		}
		want := 0
		for l, c := range left {
			from := lowerBound(right, c)
			for i := from; i < len(right) && right[i] == c && !(once && i > from); i++ {
				want++
				if got[[2]int{l, i}] != 1 {
					t.Fatalf("%d workers, once %v: left row %d and right row %d come %d times", workers, once, l, i, got[[2]int{l, i}])
				}
			}
		}
		if len(got) != want {
			t.Fatalf("%d pairs, want %d", len(got), want)
		}
	}
}

// TestLongGroupsAreDivided has workers take turns: whatever the row that has the pairs, none
// gets much more than its share.
func TestLongGroupsAreDivided(t *testing.T) {
	defer smallTiles(100)()
	for _, rows := range [][2]int{{1, 10_000}, {10_000, 1}, {100, 100}, {10_000, 0}} {
		for _, once := range []bool{false, true} {
			side := func(n int, others int64) *Side {
				v := ints(n+1000, func(i int) int64 {
					if i < n {
						return 7
					}
					return others + int64(i)
				})
				return &Side{Rows: v.N, Keys: []*vec.Vector{v}}
			}
			const workers = 4
			root := mem.NewRoot("query", 0)
			m := &mergePairer{nullSafe: []bool{false}, once: once}
			ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: workers}
			if err := m.Build(ctx, root, side(rows[0], 100), side(rows[1], 200_000)); err != nil {
				t.Fatal(err)
			}
			want := rows[0] * rows[1]
			if once {
				want = min(want, rows[0])
			}
			total, most := 0, 0
			counts := make([]int, workers)
			var ws []PairWorker
			for range workers {
				ws = append(ws, m.Worker())
			}
			for ended := 0; ended < workers; {
				ended = 0
				for i, w := range ws {
					p, done, err := w.Next(64)
					if err != nil {
						t.Fatal(err)
					}
					counts[i] += len(p.Probe)
					ended += one(done)
				}
			}
			for _, n := range counts {
				total, most = total+n, max(most, n)
			}
			if total != want || most > want/workers+2*m.path.tile {
				t.Errorf("%d x %d rows, once %v: workers have %v pairs of %d", rows[0], rows[1], once, counts, want)
			}
			m.Close()
			if root.Used() != 0 {
				t.Errorf("%d bytes are held", root.Used())
			}
		}
	}
}

// TestMergeSkew joins skewed sides, whose long groups are divided in small tiles, by all kinds, with
// exact codes, hashes and hashes that collide, on up to seven workers.
func TestMergeSkew(t *testing.T) {
	defer func(b uint64) { hashBits = b }(hashBits)
	r := rand.New(rand.NewPCG(45, 46))
	for _, kind := range allKinds {
		for round := range 24 {
			undo := smallTiles([]int{1, 10, 200}[round%3])
			if hashBits = ^uint64(0); round%4 == 0 {
				hashBits = 7
			}
			shape := keyShapes[r.IntN(len(keyShapes))]
			g := &generator{Rand: r, distinct: 1 + r.IntN(60), nulls: float64(round%2) * 0.1, zipf: true}
			c := &joinCase{algo: physical.Merge, kind: kind, operands: shape.types, nullSafe: shape.nullSafe,
				residual: []string{"", "", "sum", "less"}[r.IntN(4)], nullAware: r.IntN(2) == 0}
			c.nullAware = c.nullAware && (kind == logical.Mark || kind == logical.Anti)
			rows := [][2]int{{1, 500}, {500, 1}, {80, 80}, {7, 300}, {200, 3}}[r.IntN(5)]
			if c.left, c.right = g.relation(leftID, rows[0], c.operands), g.relation(rightID, rows[1], c.operands); kind == logical.Single && round%2 == 0 {
				unique(c.right)
			}
			check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{2 + r.IntN(6)})
			undo()
		}
	}
}

// TestMergeTilesInEveryWay is TestInEveryWay for tiles of long groups: streams are taken in
// random orders, closed early, refused memory.
func TestMergeTilesInEveryWay(t *testing.T) {
	defer smallTiles(30)()
	r := rand.New(rand.NewPCG(47, 48))
	for i, kind := range allKinds {
		g := &generator{Rand: r, distinct: 4, nulls: 0.1, noNaN: true}
		typ := []types.Type{bigint, text}[i%2]
		c := &joinCase{algo: physical.Merge, kind: kind, operands: []types.Type{typ}, nullSafe: []bool{i%3 == 0}, residual: []string{"", "sum"}[r.IntN(2)]}
		c.left, c.right = g.relation(leftID, 40, c.operands), g.relation(rightID, 60, c.operands)
		if kind == logical.Single {
			g.distinct = 200
			c.right = g.relation(rightID, 20, c.operands)
			unique(c.right)
		}
		want, err := c.rows()
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) { c.harness(t, want, err).Run(t) })
	}
}
