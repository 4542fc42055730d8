package agg

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// batches is an operator that returns the same batch several times.
type batches struct {
	b     *vec.Batch
	times int
}

func (s *batches) Open(*op.Ctx) error         { return nil }
func (s *batches) Ordered() bool              { return true }
func (s *batches) Close() error               { return nil }
func (s *batches) Stream() (op.Stream, error) { return &batchStream{*s}, nil }

type batchStream struct{ batches }

func (s *batchStream) Next() (*vec.Batch, error) {
	if s.times--; s.times < 0 {
		return nil, nil
	}
	return s.b, nil
}

// TestSpilling aggregates more groups than fit in memory.
func TestSpilling(t *testing.T) {
	rel := optest.New(1, text, bigint, text).Fill(rng(), 60_000, 48_000, 20)
	aggs := []*expr.Agg{{Fn: expr.CountStar, T: bigint}, {Fn: expr.Sum, Args: []expr.Expr{rel.Col(1)}, T: types.Dec(38, 0)},
		{Fn: expr.Min, Args: []expr.Expr{rel.Col(2)}, T: text}, {Fn: expr.Count, Args: []expr.Expr{rel.Col(1)}, T: bigint, Distinct: true}}
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, []int{0}, aggs), Build: build(rel, []int{0}, aggs)}.RunSpilling(t, 0.5)
}

// TestKeptRows aggregates groups of so few rows that, after an initial phase of grouping, rows are
// kept as they are until their partition is completed.
func TestKeptRows(t *testing.T) {
	const rows, twice = 700_000, 50_000 // the first keys occur again at the end
	keys := vec.NewFlat(text, rows)
	for i := range keys.Str {
		keys.Str[i] = fmt.Sprint(i % (rows - twice) * 7919)
	}
	for _, workers := range []int{1, 2} {
		rel := optest.New(1, text, bigint)
		plan := &physical.HashAgg{Aggs: sumOf(1)(rel)}
		plan.Keys = append(plan.Keys, rel.Col(0))
		o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, &optest.Columns{Cols: []*vec.Vector{keys, numbers(rows)}, Shares: workers})
		if err != nil {
			t.Fatal(err)
		}
		o.splitAt, o.buffers, o.keepFrom = 100, 1, 1000
		account := mem.NewRoot("query", 0)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: workers}
		if err := o.Open(ctx); err != nil {
			t.Fatal(err)
		}
		for _, s := range o.splits {
			if s.kept == nil {
				t.Errorf("%d workers: one of them kept no rows", workers)
			}
		}
		sums := map[string]int64{}
		var mu sync.Mutex
		err = op.Each(ctx, o, func(_ int, b *vec.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			for i, k := range b.Cols[0].Str {
				if _, ok := sums[k]; ok {
					t.Errorf("%d workers: two groups of %s", workers, k)
				}
				sums[k] = int64(b.Cols[1].Dec[i].LowBits())
			}
			return nil
		})
		if err != nil || len(sums) != rows-twice {
			t.Errorf("%d workers: %d groups, want %d; error %v", workers, len(sums), rows-twice, err)
		}
		for i, k := range keys.Str[:rows-twice] {
			want := int64(i % 1000)
			if i < twice {
				want += int64((i + rows - twice) % 1000)
			}
			if sums[k] != want {
				t.Fatalf("%d workers: the sum of %s is %d, want %d", workers, k, sums[k], want)
			}
		}
		if err := o.Close(); err != nil || account.Used() != 0 {
			t.Errorf("%d workers: %d bytes are held after Close, error %v", workers, account.Used(), err)
		}
	}
}

// TestSplitOfLargeBatches sums batches with more rows than a buffer takes at once, with and
// without memory for the buffers.
func TestSplitOfLargeBatches(t *testing.T) {
	const rows, groups, times = 50_000, 7000, 5
	keys := vec.NewFlat(bigint, rows)
	for i := range keys.I64 {
		keys.I64[i] = int64(i%groups) << 40
	}
	for _, limit := range []int64{0, splitBytes / 2} {
		rel := optest.New(1, bigint, bigint)
		plan := &physical.HashAgg{Aggs: sumOf(1)(rel)}
		plan.Keys = append(plan.Keys, rel.Col(0))
		in := &batches{b: &vec.Batch{N: rows, Cols: []*vec.Vector{keys, numbers(rows)}}, times: times}
		o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, in)
		if err != nil {
			t.Fatal(err)
		}
		o.splitAt = 100
		account := mem.NewRoot("query", limit)
		ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 1}
		if err := o.Open(ctx); err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		want := make([]int64, groups)
		for i := range rows {
			want[i%groups] += times * int64(i%1000)
		}
		seen := 0
		err = op.Each(ctx, o, func(_ int, b *vec.Batch) error {
			for i, k := range b.Cols[0].I64 {
				if got := int64(b.Cols[1].Dec[i].LowBits()); got != want[k>>40] {
					t.Errorf("limit %d: the sum of %d is %d, want %d", limit, k>>40, got, want[k>>40])
				}
				seen++
			}
			return nil
		})
		if err != nil || seen != groups {
			t.Errorf("limit %d: %d groups, want %d; error %v", limit, seen, groups, err)
		}
		if err := o.Close(); err != nil || account.Used() != 0 {
			t.Errorf("limit %d: %d bytes are held after Close, error %v", limit, account.Used(), err)
		}
	}
}

// watched is batches that notes how much memory the account holds at the end.
type watched struct {
	batches
	account *mem.Account
	at      int
	held    int64
}

func (s *watched) Stream() (op.Stream, error) { return s, nil }

func (s *watched) Next() (*vec.Batch, error) {
	if s.at == s.times {
		s.held = s.account.Used()
		return nil, nil
	}
	n := s.b.N
	s.at++
	return s.b.Slice((s.at-1)*n/s.times, s.at*n/s.times), nil
}

// TestBufferedTextsCount deals out texts of 10 KB: they count while they are in buffers.
func TestBufferedTextsCount(t *testing.T) {
	const rows, length = 1000, 10_000
	keys := vec.NewFlat(text, rows)
	for i := range keys.Str {
		keys.Str[i] = fmt.Sprintf("%0*d", length, i)
	}
	rel := optest.New(1, text, bigint)
	plan := &physical.HashAgg{Aggs: sumOf(1)(rel)}
	plan.Keys = append(plan.Keys, rel.Col(0))
	account := mem.NewRoot("query", 0)
	in := &watched{batches: batches{b: &vec.Batch{N: rows, Cols: []*vec.Vector{keys, numbers(rows)}}, times: 50}, account: account}
	o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, in)
	if err != nil {
		t.Fatal(err)
	}
	o.splitAt = 10
	ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: 1}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	if in.held < rows*length {
		t.Errorf("%d bytes are held for texts of %d", in.held, rows*length)
	}
	if err := o.Close(); err != nil || account.Used() != 0 {
		t.Errorf("%d bytes are held after Close, error %v", account.Used(), err)
	}
}
