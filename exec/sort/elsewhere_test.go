package sort

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// TestElsewhere sorts codes outside the operator: of keys that fit in them, of some that do not, and of
// keys that are all equal. Every third sorter refuses.
func TestElsewhere(t *testing.T) {
	kinds := []types.Type{bigint, ubigint, double, decimal, text}
	r := rng()
	var sorted, asked, inexact atomic.Int64
	elsewhere := func(codes []int64, bits int, rows []int32) (bool, error) {
		if asked.Add(1)%3 == 0 {
			return false, nil
		}
		for i := range rows {
			rows[i] = int32(i)
			if bits < 64 && (codes[i] < 0 || codes[i]>>bits != 0) {
				return false, fmt.Errorf("code %d of %d bits", codes[i], bits)
			}
		}
		slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(codes[a], codes[b]) })
		if sorted.Add(1); bits == 64 {
			inexact.Add(1)
		}
		return true, nil
	}
	check := func(rel *optest.Relation, keys ...by) {
		t.Helper()
		build := build(rel, keys, -1, 0)
		optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel.Rows, keys), InOrder: true, Build: func(in []op.Operator) (op.Operator, error) {
			o, err := build(in)
			if err == nil {
				o.(*Operator).Elsewhere = elsewhere
			}
			return o, err
		}}.RunQuick(t)
	}
	for i := range 20 {
		ts := []types.Type{kinds[i%5], kinds[r.IntN(5)], kinds[r.IntN(5)], bigint}
		rel := numbered(optest.New(1, ts...).Fill(r, 1+r.IntN(600), 1+r.IntN(12), r.IntN(6)))
		check(rel, by{0, r.IntN(2) == 0}, by{1, r.IntN(2) == 0}, by{2, r.IntN(2) == 0})
	}
	wide := optest.New(1, bigint, text, bigint)
	for i := range 80_000 { // runs of equal codes go beyond the workers' ranges
		wide.Rows = append(wide.Rows, []catalog.Datum{catalog.Int(int64(i % 3)), catalog.Str(fmt.Sprintf("%06d of a long text", i*7919%80_000)), catalog.Int(int64(i))})
	}
	check(wide, by{0, false}, by{1, true})
	least := int64(20) // with -short, there are fewer settings of workers and batches
	if testing.Short() {
		least = 10
	}
	if sorted.Load() < least || inexact.Load() < least/2 || asked.Load() == sorted.Load() {
		t.Errorf("%d of %d sorts elsewhere, %d by whole words", sorted.Load(), asked.Load(), inexact.Load())
	}
}
