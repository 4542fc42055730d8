package agg

import (
	"context"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestBuffersGrow deals out rows with texts, decimals, doubles and NULLs, and compares what the buffers of
// few rows and of many take.
func TestBuffersGrow(t *testing.T) {
	for rows, most := range map[int]int64{20_000: 16 << 20, 400_000: 64 << 20} {
		held := growBuffers(t, rows)
		if held > most {
			t.Errorf("%d rows hold %d bytes", rows, held)
		}
	}
}

// growBuffers aggregates rows, two to a group, and returns how much memory is held when the input ends.
func growBuffers(t *testing.T, rows int) int64 {
	t.Helper()
	key, nulls, float, dec := vec.NewFlat(bigint, rows), vec.NewFlat(bigint, rows), vec.NewFlat(double, rows), vec.NewFlat(decimal, rows)
	words := vec.NewFlat(text, rows)
	words.Stored = true
	for i := range rows {
		g := i % (rows / 2)
		key.I64[i], float.F64[i], words.Str[i] = int64(g)<<40, float64(g), "a"
		nulls.I64[i] = 7
		if i > rows/4 && g%2 == 1 { // the first ones come when rows are in buffers
			nulls.SetNull(i)
		}
	}
	rel := optest.New(1, bigint, bigint, double, decimal, text)
	agg := func(fn expr.AggFn, c int, t types.Type) *expr.Agg {
		return &expr.Agg{Fn: fn, Args: []expr.Expr{rel.Col(c)}, T: t}
	}
	plan := &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}, Aggs: []*expr.Agg{agg(expr.Count, 1, bigint), agg(expr.Sum, 2, double), agg(expr.Count, 3, bigint), agg(expr.Min, 4, text)}}
	account := mem.NewRoot("query", 0)
	in := &watched{batches: batches{b: &vec.Batch{N: rows, Cols: []*vec.Vector{key, nulls, float, dec, words}}, times: 100}, account: account}
	node := &physical.Node{Op: plan, In: []*physical.Node{rel.Node()}, Est: physical.Estimate{Rows: float64(rows)}}
	o, err := New(node, in)
	if err != nil {
		t.Fatal(err)
	}
	o.splitAt = rows / 4 // and an eighth of that, because most rows make groups
	ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 1}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	groups := 0
	err = op.Each(ctx, o, func(_ int, b *vec.Batch) error {
		groups += b.N
		for i, k := range b.Cols[0].I64 {
			g := int(k >> 40)
			valid := int64(2)
			if g%2 == 1 {
				valid = 0
				if g <= rows/4 {
					valid = 1
				}
			}
			if b.Cols[1].I64[i] != valid || b.Cols[2].F64[i] != 2*float64(g) || b.Cols[3].I64[i] != 2 || b.Cols[4].Str[i] != "a" {
				t.Fatalf("%d rows: group %d has %v, %v, %v, %s", rows, g, b.Cols[1].I64[i], b.Cols[2].F64[i], b.Cols[3].I64[i], b.Cols[4].Str[i])
			}
		}
		return nil
	})
	if err != nil || groups != rows/2 {
		t.Errorf("%d rows: %d groups, error %v", rows, groups, err)
	}
	if err := o.Close(); err != nil || account.Used() != 0 {
		t.Errorf("%d bytes are held after Close, error %v", account.Used(), err)
	}
	return in.held
}

// TestEarlySplit deals out rows as soon as most of them make groups, where many groups are expected.
func TestEarlySplit(t *testing.T) {
	for _, expected := range []float64{0, 1 << 20} {
		rel := optest.New(1, bigint)
		key := groupKeys(20_000, 1<<30, true)
		node := &physical.Node{Op: &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}}, In: []*physical.Node{rel.Node()}, Est: physical.Estimate{Rows: expected}}
		o, err := New(node, &optest.Columns{Cols: []*vec.Vector{key}, Shares: 1})
		if err != nil {
			t.Fatal(err)
		}
		o.ctx = &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1}
		o.account, o.sets.Ctx = o.ctx.Mem.Child("HashAggregate"), o.ctx
		l := o.newLocal()
		give(t, o, l, 1<<20)
		if early := l.split != nil; early != (expected > 0) {
			t.Errorf("%v groups expected: dealt out: %v after %d groups", expected, early, l.groups.n)
		}
		if l.split != nil {
			l.split.free()
		}
		l.free()
	}
}

// TestFrequentKeyGrowsNoBuffers deals out rows half of which have the same key. Its buffer alone is full, and
// is aggregated.
func TestFrequentKeyGrowsNoBuffers(t *testing.T) {
	const rows = 100_000
	key := groupKeys(rows, 1<<30, true)
	for i := 0; i < rows; i += 2 {
		key.I64[i] = 1 << 50
	}
	rel := optest.New(1, bigint)
	plan := &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}, Aggs: []*expr.Agg{{Fn: expr.CountStar, T: bigint}}}
	o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, &optest.Columns{Cols: []*vec.Vector{key}, Shares: 1})
	if err != nil {
		t.Fatal(err)
	}
	o.splitAt = 1000
	o.ctx = &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: 1}
	o.account, o.sets.Ctx = o.ctx.Mem.Child("HashAggregate"), o.ctx
	l := o.newLocal()
	give(t, o, l, 1<<20)
	if l.split == nil || l.split.room != firstBuffer {
		t.Fatalf("the buffers have grown: %+v", l.split)
	}
	flushed := 0
	for _, g := range l.split.parts {
		if g != nil {
			flushed++
		}
	}
	if flushed != 1 {
		t.Errorf("%d partitions are aggregated, want that of the frequent key", flushed)
	}
	l.split.free()
	l.free()
}
