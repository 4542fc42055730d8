package hash

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// denseCase describes a build side with keys lo+place(i) mod 2^64 and the payload 3*place(i).
type denseCase struct {
	t       types.Type
	lo      uint64
	rows    int
	twice   bool // every key occurs twice
	gaps    bool
	inOrder bool
	nulls   bool
	arrange bool
	workers int
}

// build returns the side and the number of rows at each place.
func (c *denseCase) build(r *rand.Rand) (*match.Side, map[uint64]int) {
	keys, payload := vec.NewFlat(c.t, c.rows), vec.NewFlat(types.T(types.Int64), c.rows)
	order := r.Perm(c.rows)
	count := map[uint64]int{}
	for i, x := range order {
		if c.inOrder {
			x = i
		}
		place := uint64(x)
		switch {
		case c.twice:
			place /= 2
		case c.gaps:
			place *= 2
		}
		keys.I64[i], payload.I64[i] = int64(c.lo+place), int64(3*place)
		if c.nulls && i%7 == 3 {
			keys.SetNull(i)
			continue
		}
		count[place]++
	}
	return &match.Side{Rows: c.rows, Cols: []*vec.Vector{payload, keys}, Keys: []*vec.Vector{keys}}, count
}

// probe returns keys that all have partners. With some set, only some have one; with nulls set,
// some are NULL.
func (c *denseCase) probe(r *rand.Rand, some, nulls bool) *vec.Vector {
	v := vec.NewFlat(c.t, 100+r.IntN(200))
	for i := range v.I64 {
		place := uint64(r.IntN(c.rows))
		switch {
		case c.twice:
			place /= 2
		case c.gaps:
			place *= 2
		}
		v.I64[i] = int64(c.lo + place)
		if some && r.IntN(3) == 0 {
			v.I64[i] = []int64{int64(c.lo - 1), int64(c.lo + uint64(2*c.rows)), int64(c.lo + place + 1<<63), r.Int64()}[r.IntN(4)]
		}
		if nulls && r.IntN(4) == 0 {
			v.SetNull(i)
		}
	}
	return v
}

// TestDirect compares the pairs of directly addressed tables with counts by key.
func TestDirect(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var cases []denseCase
	for _, lo := range []uint64{1 << 63, 1<<64 - 300, 17, 1<<63 - 20_000} {
		for shape := range 5 {
			for _, arrange := range []bool{false, true} {
				c := denseCase{t: types.T(types.Int64), lo: lo, rows: 5000 + r.IntN(3000), twice: shape == 1, gaps: shape == 2, inOrder: shape == 3, nulls: shape == 4, arrange: arrange, workers: 1 + r.IntN(3)}
				cases = append(cases, c)
				c.t, c.lo = types.T(types.Uint64), lo^1<<63
				cases = append(cases, c)
			}
		}
	}
	cases = append(cases, denseCase{t: types.T(types.Int64), rows: 150_000, workers: 16}, denseCase{t: types.T(types.Int64), rows: 150_000, workers: 16, arrange: true},
		denseCase{t: types.T(types.Int64), rows: 150_000, workers: 16, twice: true}, denseCase{t: types.T(types.Int64), rows: 150_000, workers: 16, nulls: true})
	for _, c := range cases {
		testDense(t, r, &c)
	}
}

func testDense(t *testing.T, r *rand.Rand, c *denseCase) {
	build, count := c.build(r)
	root := mem.NewRoot("query", 0)
	m := &Matcher{NullSafe: []bool{false}, Arrange: c.arrange}
	if err := m.Build(&op.Ctx{Context: context.Background(), Mem: root, Workers: c.workers}, root, build); err != nil {
		t.Fatal(err)
	}
	if m.direct == nil {
		t.Fatalf("%+v: not addressed directly", *c)
	}
	if arranged := m.direct.one == nil && m.direct.off == nil; arranged != (!c.twice && !c.gaps && !c.nulls && (c.arrange || c.inOrder)) {
		t.Errorf("%+v: addresses are rows: %v", *c, arranged)
	}
	p := m.Prober()
	for turn := range 12 {
		keys := c.probe(r, turn%3 > 0, turn%3 > 1)
		if err := p.Probe(&match.Side{Rows: keys.N, Keys: []*vec.Vector{keys}}); err != nil {
			t.Fatal(err)
		}
		met, limit := make([]int, keys.N), []int{7, 64, math.MaxInt}[r.IntN(3)]
		for done := false; !done; {
			var pairs match.Pairs
			pairs, done, _ = p.Next(limit)
			if len(pairs.Build) > limit || pairs.Probe != nil && len(pairs.Probe) != len(pairs.Build) {
				t.Fatalf("%d and %d rows for a limit of %d", len(pairs.Probe), len(pairs.Build), limit)
			}
			for i, b := range pairs.Build {
				row := int32(i)
				if pairs.Probe != nil {
					row = pairs.Probe[i]
				}
				met[row]++
				place := uint64(keys.I64[row]) - c.lo
				if keys.IsNull(int(row)) || build.Keys[0].IsNull(int(b)) || build.Keys[0].I64[b] != keys.I64[row] || build.Cols[0].I64[b] != int64(3*place) {
					t.Fatalf("%+v: key %d meets the row of %d with %d", *c, keys.I64[row], build.Keys[0].I64[b], build.Cols[0].I64[b])
				}
			}
		}
		for i, n := range met {
			if want := count[uint64(keys.I64[i])-c.lo]; !keys.IsNull(i) && n != want {
				t.Fatalf("%+v: key %d has %d partners, not %d", *c, keys.I64[i], n, want)
			}
		}
	}
	if m.Close(); root.Used() != 0 {
		t.Errorf("%d bytes are left", root.Used())
	}
}
