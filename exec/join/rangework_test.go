package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// smallPieces makes pieces of so much work, until the function that it gives is called.
func smallPieces(work int64) (undo func()) {
	least, most := leastPiece, mostPiece
	leastPiece, mostPiece = work, work
	return func() { leastPiece, mostPiece = least, most }
}

// TestRangePieces checks that pieces have every candidate once, and no more than their work.
func TestRangePieces(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		w := rangeWork{piece: 1 + r.Int64N(300)}
		n := r.IntN(700)
		want, wanted := make([]map[int]bool, n), 0
		for i := range n {
			from, to := r.Int32N(1000), int32(0)
			if to = from + r.Int32N(10); r.IntN(100) == 0 {
				to = from + r.Int32N(5000)
			}
			if i%windowRows == 0 {
				w.before = append(w.before, w.total)
			}
			w.from, w.to, w.total = append(w.from, from), append(w.to, to), w.total+driverWork+int64(to-from)
			want[i] = make(map[int]bool)
			for at := from; at < to; at++ {
				want[i][int(at)] = true
				wanted++
			}
		}
		for p, ok := w.take(); ok; p, ok = w.take() {
			work := 0
			for {
				driver := p.at
				from, to, more := w.step(&p, driver)
				if !more {
					break
				}
				for at := from; at < to; at++ {
					if work++; !want[driver][at] {
						t.Fatalf("driver %d of %d: position %d comes twice, or is none of its window", driver, n, at)
					}
					delete(want[driver], at)
					wanted--
				}
			}
			if work > int(w.piece) {
				t.Fatalf("%d candidates in a piece of %d", work, w.piece)
			}
		}
		if wanted != 0 {
			t.Fatalf("%d candidates of %d drivers are in no piece", wanted, n)
		}
	}
}

// TestLongWindowsAreDivided has workers take turns at one row with many partners, of which
// another comparison leaves some.
func TestLongWindowsAreDivided(t *testing.T) {
	defer smallPieces(100)()
	const n, workers = 10_000, 4
	root := mem.NewRoot("query", 0)
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: "c", T: bigint} }
	m := &rangePairer{cs: []comparison{{"<", col(1), col(101)}, {"<>", col(2), col(102)}}}
	word := func(n int, f func(i int) int64) *vec.Vector { return ints(n, f) }
	left := &Side{Rows: 1, Keys: []*vec.Vector{word(1, func(int) int64 { return -1 }), word(1, func(int) int64 { return 3 })}}
	right := &Side{Rows: n, Keys: []*vec.Vector{word(n, func(i int) int64 { return int64(i) }), word(n, func(i int) int64 { return int64(i % 4) })}}
	if err := m.Build(&op.Ctx{Context: context.Background(), Mem: root, Workers: workers}, root, left, right); err != nil {
		t.Fatal(err)
	}
	if m.swapped || m.sweep != nil {
		t.Fatal("the left row is no driver")
	}
	var ws []PairWorker
	for range workers {
		ws = append(ws, m.Worker())
	}
	counts, total := make([]int, workers), 0
	for ended := 0; ended < workers; {
		ended = 0
		for i, w := range ws {
			p, done, err := w.Next(32)
			if err != nil {
				t.Fatal(err)
			}
			counts[i], total, ended = counts[i]+len(p.Probe), total+len(p.Probe), ended+one(done)
		}
	}
	for _, k := range counts {
		if k > total/workers+200 {
			t.Errorf("workers have %v pairs", counts)
		}
	}
	if total != n*3/4 {
		t.Errorf("%d pairs, want %d", total, n*3/4)
	}
	if m.Close(); root.Used() != 0 {
		t.Errorf("%d bytes are held", root.Used())
	}
}

// TestRangeSkew joins few rows with many by ranges in small pieces, by all kinds, with equality
// keys and without, on up to seven workers.
func TestRangeSkew(t *testing.T) {
	defer waysCost(sweepFactor, treeFactor)
	r := rand.New(rand.NewPCG(63, 64))
	for _, kind := range allKinds {
		for round := range 24 {
			undo := smallPieces([]int64{1, 20, 300}[round%3])
			favour(r.IntN(6))
			g := &generator{Rand: r, distinct: 1 + r.IntN(60), nulls: float64(round%2) * 0.1, zipf: true, noNaN: true}
			c := &joinCase{algo: physical.Range, kind: kind, residual: []string{"", "", "sum", "less"}[r.IntN(4)],
				nullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
			for range r.IntN(3) {
				c.operands, c.nullSafe = append(c.operands, []types.Type{date, text}[r.IntN(2)]), append(c.nullSafe, r.IntN(3) == 0)
			}
			for range 1 + r.IntN(3) {
				c.operands = append(c.operands, []types.Type{bigint, double, text}[r.IntN(3)])
				c.ranges = append(c.ranges, rangeOps[r.IntN(4)])
			}
			rows := [][2]int{{1, 500}, {500, 1}, {60, 60}, {600, 20}, {5, 300}}[r.IntN(5)]
			c.left, c.right = g.relation(leftID, rows[0], c.operands), g.relation(rightID, rows[1], c.operands)
			check(t, c, []int{3, 1024}[r.IntN(2):][:1], []int{2 + r.IntN(6)})
			undo()
		}
	}
}

// TestRangePiecesInEveryWay is TestInEveryWay for small pieces.
func TestRangePiecesInEveryWay(t *testing.T) {
	defer smallPieces(40)()
	r := rand.New(rand.NewPCG(65, 66))
	for i, kind := range allKinds {
		g := &generator{Rand: r, distinct: 20, nulls: 0.1, noNaN: true}
		c := &joinCase{algo: physical.Range, kind: kind, operands: []types.Type{bigint}, ranges: []string{"<"}, residual: []string{"", "sum"}[r.IntN(2)]}
		if i%2 == 0 {
			c.operands, c.nullSafe = append([]types.Type{text}, c.operands...), []bool{false}
		}
		c.left, c.right = g.relation(leftID, 10, c.operands), g.relation(rightID, 80, c.operands)
		want, err := c.rows()
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) { c.harness(t, want, err).Run(t) })
	}
}
