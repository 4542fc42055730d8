package theta

import (
	"context"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestRangePieces checks that the pieces contain every candidate once, and that none has more work
// than it may.
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

// TestLongWindowsAreDivided lets workers take turns at one row with many partners, of which
// another comparison keeps some.
func TestLongWindowsAreDivided(t *testing.T) {
	defer SmallPieces(100)()
	const n, workers = 10_000, 4
	root := mem.NewRoot("query", 0)
	col := func(id expr.ColID) expr.Expr { return &expr.Col{ID: id, Name: "c", T: types.T(types.Int64)} }
	m := &RangePairer{Comparisons: []Comparison{{"<", col(1), col(101)}, {"<>", col(2), col(102)}}}
	word := func(n int, f func(i int) int64) *vec.Vector {
		v := vec.NewFlat(types.T(types.Int64), n)
		for i := range v.I64 {
			v.I64[i] = f(i)
		}
		return v
	}
	left := &match.Side{Rows: 1, Keys: []*vec.Vector{word(1, func(int) int64 { return -1 }), word(1, func(int) int64 { return 3 })}}
	right := &match.Side{Rows: n, Keys: []*vec.Vector{word(n, func(i int) int64 { return int64(i) }), word(n, func(i int) int64 { return int64(i % 4) })}}
	if err := m.Build(&op.Ctx{Context: context.Background(), Mem: root, Workers: workers}, root, left, right); err != nil {
		t.Fatal(err)
	}
	if m.swapped || m.sweep != nil {
		t.Fatal("the left row is no driver")
	}
	var ws []match.PairWorker
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
			counts[i], total, ended = counts[i]+len(p.Probe), total+len(p.Probe), ended+vec.One(done)
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
