package radix

import (
	"context"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/input"
	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestBloomFilter probes with rows of which few, half or all have partners, and counts the pairs.
// It checks when a filter is made.
func TestBloomFilter(t *testing.T) {
	const build, probes = 1<<14 + 100, 60_000
	r := rand.New(rand.NewPCG(23, 24))
	bigint := types.T(types.Int64)
	for _, of := range []struct {
		matching float64
		made     bool
	}{{0.02, true}, {0.5, false}, {1, false}} {
		keys := vec.NewFlat(bigint, build)
		for i := range keys.I64 {
			keys.I64[i] = int64(i) << 32
		}
		rel, matches := optest.New(1, bigint), 0
		for range probes {
			key := (build + r.Int64N(1<<20)) << 32
			if r.Float64() < of.matching {
				key = r.Int64N(build) << 32
				matches++
			}
			rel.Rows = append(rel.Rows, []catalog.Datum{catalog.Int(key)})
		}
		spec, err := input.NewSpec(rel.Cols, []int{0}, []expr.Expr{rel.Col(0)})
		if err != nil {
			t.Fatal(err)
		}
		root := mem.NewRoot("query", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: 1}
		m := &Matcher{NullSafe: []bool{false}, Filters: true, ProbeSide: spec}
		if err := m.Build(ctx, root, &match.Side{Rows: build, Cols: []*vec.Vector{keys}, Keys: []*vec.Vector{keys}}); err != nil {
			t.Fatal(err)
		}
		in, err := optest.NewInput(rel, 1000).Stream()
		if err != nil {
			t.Fatal(err)
		}
		if got := countPairsOf(t, m, in, spec.NewReader(ctx)); got != matches {
			t.Errorf("%v of rows match: %d pairs, want %d", of.matching, got, matches)
		}
		if made := m.filter.Bloom.Load() != nil; made != of.made {
			t.Errorf("%v of rows match: a filter was made: %v", of.matching, made)
		}
		if m.Close(); root.Used() != 0 {
			t.Errorf("%d bytes are held", root.Used())
		}
	}
}

// countPairsOf probes with all rows of a stream and returns the number of pairs.
func countPairsOf(t *testing.T, m *Matcher, in op.Stream, r match.BatchReader) (n int) {
	t.Helper()
	p, rows, err := m.BufferedProber(in, r)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for {
		side, _, err := rows.NextSide()
		if err != nil {
			t.Fatal(err)
		}
		if side == nil {
			return n
		}
		if err := p.Probe(side); err != nil {
			t.Fatal(err)
		}
		for done := false; !done; {
			var pairs match.Pairs
			if pairs, done, err = p.Next(1000); err != nil {
				t.Fatal(err)
			}
			for i := range pairs.Probe {
				if n++; side.Cols[0].I64[pairs.Probe[i]] != m.build[0].I64[pairs.Build[i]] {
					t.Fatalf("row %d is paired with row %d", pairs.Probe[i], pairs.Build[i])
				}
			}
		}
	}
}
