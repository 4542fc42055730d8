package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// slowPairer finds the pairs of equality keys by comparing all values, as a Pairer outside
// of this package may: by the conditions and the sides' keys alone.
type slowPairer struct {
	*Driving
	mu    sync.Mutex // workers share the pairs
	pairs Pairs
}

func (p *slowPairer) Build(_ *op.Ctx, _ *mem.Account, left, right *Side) error {
	for l := range left.Rows {
		for r := range right.Rows {
			if p.match(left, right, l, r) {
				p.pairs.Probe, p.pairs.Build = append(p.pairs.Probe, int32(l)), append(p.pairs.Build, int32(r))
			}
		}
	}
	return nil
}

func (p *slowPairer) match(left, right *Side, l, r int) bool {
	for i := range p.Conditions {
		a, b := catalog.DatumAt(left.Keys[i], l), catalog.DatumAt(right.Keys[i], r)
		if a.Null || b.Null {
			return false
		}
		if order, comparable := compare(a, b); order != 0 || !comparable {
			return false
		}
	}
	return true
}

func (p *slowPairer) Worker() PairWorker { return p }
func (p *slowPairer) Close()             {}

func (p *slowPairer) Next(limit int) (Pairs, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(limit, len(p.pairs.Probe))
	out := Pairs{p.pairs.Probe[:n], p.pairs.Build[:n]}
	p.pairs = Pairs{p.pairs.Probe[n:], p.pairs.Build[n:]}
	return out, len(p.pairs.Probe) == 0, nil
}

// runPaired is joinCase.run through NewPaired.
func (c *joinCase) runPaired(t testing.TB, workers int, pairer func(*Driving) Pairer) ([]string, error) {
	t.Helper()
	root := mem.NewRoot("query", 0)
	ctx := &op.Ctx{Context: context.Background(), Mem: root, Workers: workers, BatchSize: 64}
	o, err := NewPaired(c.node(t), &input{rel: c.left, size: 64, forms: true}, &input{rel: c.right, size: 64}, "test", pairer)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(ctx, o)
	if cerr := o.Close(); cerr != nil || root.Used() != 0 {
		t.Fatalf("close: %v; %d bytes are held", cerr, root.Used())
	}
	return rows, err
}

// haveWords tells whether all types have words, as the nested loop's keys on a device.
func haveWords(ts []types.Type) bool {
	return !slices.ContainsFunc(ts, func(t types.Type) bool { return !HasWords(t) })
}

// TestPaired joins by pairs that others find: by comparing, and by the host's own pairer of
// each algorithm.
func TestPaired(t *testing.T) {
	slowly := func(d *Driving) Pairer { return &slowPairer{Driving: d} }
	onHost := func(d *Driving) Pairer { return d.Host }
	r := rand.New(rand.NewPCG(5, 6))
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.Radix, physical.Merge, physical.NestedLoop, physical.Range} {
		for _, shape := range keyShapes {
			if slices.Contains(shape.nullSafe, true) {
				continue
			}
			if algo == physical.NestedLoop && !haveWords(shape.types) {
				continue
			}
			for _, kind := range allKinds {
				g := &generator{Rand: r, distinct: 1 + r.IntN(30), nulls: 0.1}
				c := &joinCase{algo: algo, kind: kind, operands: shape.types, nullSafe: shape.nullSafe, residual: []string{"", "sum"}[r.IntN(2)],
					nullAware: r.IntN(2) == 0 && (kind == logical.Mark || kind == logical.Anti)}
				switch algo {
				case physical.Range:
					c.operands, c.nullSafe, c.ranges = []types.Type{bigint, date}, nil, []string{"<", ">="}
				case physical.NestedLoop:
					c.operands, c.ranges = append(slices.Clone(c.operands), date), []string{[]string{"<", ">="}[r.IntN(2)]}
				}
				c.left, c.right = g.relation(leftID, r.IntN(300), c.operands), g.relation(rightID, r.IntN(30), c.operands)
				pairers := []func(*Driving) Pairer{onHost}
				if len(c.ranges) == 0 {
					pairers = append(pairers, slowly)
				}
				want, wantErr := c.oracle()
				for i, p := range pairers {
					got, err := c.runPaired(t, 1+i, p)
					name := fmt.Sprintf("%s kind %d keys %v, pairer %d", algo, kind, c.operands, i)
					if (err != nil) != (wantErr != nil) {
						t.Fatalf("%s: error %v, want %v", name, err, wantErr)
					}
					if err == nil && !slices.Equal(got, want) {
						t.Fatalf("%s: %s", name, difference(got, want))
					}
				}
			}
		}
	}
}

// TestHostPairerShares checks that several workers of the host's pairers share the pairs.
func TestHostPairerShares(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	g := &generator{Rand: r, distinct: 50}
	for _, algo := range []physical.JoinAlgo{physical.Hash, physical.NestedLoop} {
		c := &joinCase{algo: algo, kind: logical.Inner, operands: []types.Type{bigint}, nullSafe: []bool{false}}
		c.left, c.right = g.relation(leftID, 3000, c.operands), g.relation(rightID, 200, c.operands)
		want, err := c.oracle()
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.runPaired(t, 4, func(d *Driving) Pairer { return d.Host })
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %s", algo, err, difference(got, want))
		}
	}
}
