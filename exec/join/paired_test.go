package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gsql/exec/join"
	"gsql/exec/join/jointest"
	"gsql/exec/join/match"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// slowPairer finds the pairs of equality keys by comparing all values. It uses only what is
// available to a Pairer outside this package: the conditions and the sides' keys.
type slowPairer struct {
	*join.Driving
	mu    sync.Mutex // workers share the pairs
	pairs match.Pairs
}

func (p *slowPairer) Build(_ *op.Ctx, _ *mem.Account, left, right *match.Side) error {
	for l := range left.Rows {
		for r := range right.Rows {
			if p.match(left, right, l, r) {
				p.pairs.Probe, p.pairs.Build = append(p.pairs.Probe, int32(l)), append(p.pairs.Build, int32(r))
			}
		}
	}
	return nil
}

func (p *slowPairer) match(left, right *match.Side, l, r int) bool {
	for i := range p.Conditions {
		a, b := catalog.DatumAt(left.Keys[i], l), catalog.DatumAt(right.Keys[i], r)
		if a.Null || b.Null {
			return false
		}
		if order, comparable := jointest.Compare(a, b); order != 0 || !comparable {
			return false
		}
	}
	return true
}

func (p *slowPairer) Worker() match.PairWorker { return p }
func (p *slowPairer) Close()                   {}

func (p *slowPairer) Next(limit int) (match.Pairs, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(limit, len(p.pairs.Probe))
	out := match.Pairs{Probe: p.pairs.Probe[:n], Build: p.pairs.Build[:n]}
	p.pairs = match.Pairs{Probe: p.pairs.Probe[n:], Build: p.pairs.Build[n:]}
	return out, len(p.pairs.Probe) == 0, nil
}

// runPaired does the same as Case.Run, through NewPaired.
func runPaired(t testing.TB, c *jointest.Case, workers int, pairer func(*join.Driving) match.Pairer) ([]string, error) {
	t.Helper()
	root := mem.NewRoot("query", 0)
	ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: workers, BatchSize: 64}
	o, err := join.NewPaired(c.Node(t), optest.NewInput(c.Left, 64), optest.NewInput(c.Right, 64), "test", pairer)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := optest.Rows(ctx, o)
	if cerr := o.Close(); cerr != nil || root.Used() != 0 {
		t.Fatalf("close: %v; %d bytes are held", cerr, root.Used())
	}
	return rows, err
}

// haveWords reports whether all types have order keys, as the keys of a nested loop on a device
// must.
func haveWords(ts []types.Type) bool {
	return !slices.ContainsFunc(ts, func(t types.Type) bool { return !keyenc.HasOrderKeys(t) })
}

// TestPaired joins by the pairs that other Pairers find: slowPairer, and the host's own pairer of
// each algorithm.
func TestPaired(t *testing.T) {
	slowly := func(d *join.Driving) match.Pairer { return &slowPairer{Driving: d} }
	onHost := func(d *join.Driving) match.Pairer { return d.Host }
	r := rand.New(rand.NewPCG(5, 6))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop, physical.Range} {
		for _, shape := range jointest.KeyShapes {
			if slices.Contains(shape.NullSafe, true) {
				continue
			}
			if algo == physical.NestedLoop && !haveWords(shape.Types) {
				continue
			}
			for _, kind := range jointest.AllKinds {
				g := &jointest.Generator{Rand: r, Distinct: 1 + r.IntN(30), Nulls: 0.1}
				c := &jointest.Case{Algo: algo, Kind: kind, Operands: shape.Types, NullSafe: shape.NullSafe, Residual: []string{"", "sum"}[r.IntN(2)],
					NullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
				switch algo {
				case physical.Range:
					c.Operands, c.NullSafe, c.Ranges = []types.Type{jointest.Bigint, jointest.Date}, nil, []expr.FuncID{"<", ">="}
				case physical.NestedLoop:
					c.Operands, c.Ranges = append(slices.Clone(c.Operands), jointest.Date), []expr.FuncID{[]expr.FuncID{"<", ">="}[r.IntN(2)]}
				}
				c.Left, c.Right = g.Relation(jointest.LeftID, r.IntN(300), c.Operands), g.Relation(jointest.RightID, r.IntN(30), c.Operands)
				pairers := []func(*join.Driving) match.Pairer{onHost}
				if len(c.Ranges) == 0 {
					pairers = append(pairers, slowly)
				}
				want, wantErr := c.Oracle()
				for i, p := range pairers {
					got, err := runPaired(t, c, 1+i, p)
					name := fmt.Sprintf("%s kind %d keys %v, pairer %d", algo, kind, c.Operands, i)
					if (err != nil) != (wantErr != nil) {
						t.Fatalf("%s: error %v, want %v", name, err, wantErr)
					}
					if err == nil && !slices.Equal(got, want) {
						t.Fatalf("%s: %s", name, optest.Difference(got, want))
					}
				}
			}
		}
	}
}

// TestHostPairerShares checks that several workers of the host's pairers divide the pairs among
// them.
func TestHostPairerShares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	g := &jointest.Generator{Rand: r, Distinct: 50}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.NestedLoop} {
		c := &jointest.Case{Algo: algo, Kind: logical.Inner, Operands: []types.Type{jointest.Bigint}, NullSafe: []bool{false}}
		c.Left, c.Right = g.Relation(jointest.LeftID, 3000, c.Operands), g.Relation(jointest.RightID, 200, c.Operands)
		want, err := c.Oracle()
		if err != nil {
			t.Fatal(err)
		}
		got, err := runPaired(t, c, 4, func(d *join.Driving) match.Pairer { return d.Host })
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %s", algo, err, optest.Difference(got, want))
		}
	}
}
