package merge

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// skewedCodes returns ascending codes, many of them equal, including the least and the greatest
// code.
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

// TestPathAt compares points of the path with a merge row by row.
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

// TestMergePieces checks that the pieces contain every pair once, and that none has much more work
// than the others.
func TestMergePieces(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for round := range 300 {
		undo := SmallTiles(1 + r.IntN(100))
		left, right := skewedCodes(r, r.IntN(300)), skewedCodes(r, r.IntN(300)+round%2*2000)
		once := r.IntN(3) == 0
		workers := 1 + r.IntN(7)
		p := newPath(&op.Ctx{Workers: workers}, left, right, once)
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
				from := LowerBound(right, left[l])
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
			from := LowerBound(right, c)
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

// TestLongGroupsAreDivided merges long groups with workers that take turns. Whichever side has the
// many rows, no worker gets much more than its share of the pairs.
func TestLongGroupsAreDivided(t *testing.T) {
	defer SmallTiles(100)()
	for _, rows := range [][2]int{{1, 10_000}, {10_000, 1}, {100, 100}, {10_000, 0}} {
		for _, once := range []bool{false, true} {
			side := func(n int, others int64) *match.Side {
				v := vec.NewFlat(types.T(types.Int64), n+1000)
				for i := range v.I64 {
					if v.I64[i] = 7; i >= n {
						v.I64[i] = others + int64(i)
					}
				}
				return &match.Side{Rows: v.N, Keys: []*vec.Vector{v}}
			}
			const workers = 4
			root := mem.NewRoot("query", 0)
			m := &Pairer{NullSafe: []bool{false}, Once: once}
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
			var ws []match.PairWorker
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
					ended += vec.One(done)
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
