package agg

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gsql/exec/agg/state"
	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// halves returns an aggregate of n distinct numbers, split evenly between two workers, with a
// memory limit of limit bytes. It has n/perGroup keys, or none if perGroup is 0.
func halves(t *testing.T, n, perGroup int, limit int64, agg *expr.Agg) *Operator {
	t.Helper()
	rel := optest.New(1, bigint, bigint)
	key, value := vec.NewFlat(bigint, n), vec.NewFlat(bigint, n)
	for i := range n {
		key.I64[i], value.I64[i] = int64(i*7919%n/max(perGroup, 1)), int64(i)
	}
	agg.Args = []expr.Expr{rel.Col(1)}
	plan := &physical.HashAgg{Aggs: []*expr.Agg{agg}}
	if perGroup > 0 {
		plan.Keys = []expr.Expr{rel.Col(0)}
	}
	o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, &optest.Columns{Cols: []*vec.Vector{key, value}, Shares: 2})
	if err != nil {
		t.Fatal(err)
	}
	o.ctx = &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", limit), Workers: 2, Spill: spill.NewSpace(t.TempDir(), 0)}
	return o
}

// fill reserves all free memory except the given number of bytes, and returns a function that
// releases it.
func fill(t *testing.T, ctx *op.Ctx, but int64) (release func()) {
	t.Helper()
	n := max(ctx.Mem.Left()-but, 0)
	if err := ctx.Mem.Reserve(n); err != nil {
		t.Fatal(err)
	}
	return func() { ctx.Mem.Release(n) }
}

// TestWorkerWaitsForAnother checks that a worker that lacks memory while another one holds all of
// it gets memory when the other one ends or spills.
func TestWorkerWaitsForAnother(t *testing.T) {
	for _, ends := range []bool{true, false} {
		o := halves(t, 20_000, 0, 1<<20, &expr.Agg{Fn: expr.Median, T: types.Dec(38, 4)})
		o.account, o.sets.Ctx = o.ctx.Mem.Child("HashAggregate"), o.ctx
		room := o.sets.Begin()
		one, other := o.newLocal(), o.newLocal()
		room.Begin()
		room.Begin()
		give(t, o, one, math.MaxInt)
		held := one.held.Rows()
		release := fill(t, o.ctx, 0)
		done := make(chan error)
		go func() {
			s, err := o.in.Stream()
			if err == nil {
				err = feed(other, s, math.MaxInt)
			}
			room.End(&other.held)
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		if ends {
			room.End(&one.held)
		} else if err := room.Put(&one.held); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || held == 0 || one.held.Rows() != 0 {
			t.Errorf("%v; %d rows were held, %d are", err, held, one.held.Rows())
		}
		release()
		one.free()
		other.free()
		if err := o.sets.Close(); err != nil || o.ctx.Mem.Used() != 0 {
			t.Errorf("%v, %d bytes are held", err, o.ctx.Mem.Used())
		}
	}
}

// give adds batches to a worker, from a new stream of the operator's input.
func give(t *testing.T, o *Operator, l *local, batches int) {
	t.Helper()
	s, err := o.in.Stream()
	if err == nil {
		err = feed(l, s, batches)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func feed(l *local, s op.Stream, batches int) error {
	for range batches {
		b, err := s.Next()
		if b == nil || err != nil {
			return err
		}
		if err := l.add(b); err != nil {
			return err
		}
	}
	return nil
}

// TestPartitionsGiveWay runs two streams, one of which lacks memory for its partition while the
// other holds one. The other stream returns the remaining rows once memory is available again.
func TestPartitionsGiveWay(t *testing.T) {
	const rows, perGroup = 400_000, 4
	o := halves(t, rows, perGroup, 3<<20, &expr.Agg{Fn: expr.Sum, T: types.Dec(38, 0)})
	if err := o.Open(o.ctx); err != nil {
		t.Fatal(err)
	}
	if o.phase != completing || o.disk == nil {
		t.Fatal("nothing is on disk")
	}
	o.completion.abreast = 2
	one, err := o.Stream()
	if err != nil {
		t.Fatal(err)
	}
	other, err := o.Stream()
	if err != nil {
		t.Fatal(err)
	}
	groups := 0
	take := func(s op.Stream) bool {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b != nil {
			groups += b.N
		}
		return b != nil
	}
	if !take(one) {
		t.Fatal("there are no groups")
	}
	release := fill(t, o.ctx, 0)
	if take(other) {
		t.Error("there was memory for two partitions")
	}
	release()
	for take(one) {
	}
	if groups != rows/perGroup {
		t.Errorf("%d groups, want %d", groups, rows/perGroup)
	}
	if err := o.Close(); err != nil || o.ctx.Mem.Used() != 0 {
		t.Errorf("%v, %d bytes are held", err, o.ctx.Mem.Used())
	}
}

// freed is a state that counts how often it is freed. The first time, it blocks until let is
// closed.
type freed struct {
	state.State
	times      atomic.Int64
	begun, let chan struct{}
}

func (f *freed) Free() {
	if f.times.Add(1) == 1 {
		close(f.begun)
		<-f.let
	}
}

// TestLateStreamFreesNothing opens a stream of partitions when the only other one has ended and is
// freeing them. The new stream must not free them a second time, because other operators may own
// the memory by then.
func TestLateStreamFreesNothing(t *testing.T) {
	f := &freed{begun: make(chan struct{}), let: make(chan struct{})}
	o := &Operator{ctx: &op.Ctx{Context: context.Background(), Workers: 2}, phase: completing, completion: completion{abreast: 2}, parts: []*groups{{states: []state.State{f}}}}
	drain := func() {
		s, err := o.Stream()
		if err != nil {
			t.Error(err)
			return
		}
		if b, err := s.Next(); b != nil || err != nil {
			t.Errorf("%v, %v of no partitions", b, err)
		}
	}
	var first sync.WaitGroup
	first.Go(drain)
	<-f.begun
	drain()
	close(f.let)
	first.Wait()
	if n := f.times.Load(); n != 1 {
		t.Errorf("freed %d times", n)
	}
}

// TestSharesOfAggregates checks that an aggregate keeps a share of the query's memory if its own
// memory grows with the rows, and otherwise leaves the share to other operators.
func TestSharesOfAggregates(t *testing.T) {
	for _, c := range []struct {
		perGroup int
		agg      expr.Agg
		keeps    bool
	}{
		{0, expr.Agg{Fn: expr.Sum, T: types.Dec(38, 0)}, false},
		{4, expr.Agg{Fn: expr.Sum, T: types.Dec(38, 0)}, true},
		{0, expr.Agg{Fn: expr.Count, Distinct: true, T: bigint}, true},
		{0, expr.Agg{Fn: expr.Median, T: types.Dec(38, 4)}, true},
	} {
		o := halves(t, 100, c.perGroup, 1<<20, &c.agg)
		o.ctx.Shares = mem.NewPool(o.ctx.Mem, 1, 1<<20)
		if err := o.Open(o.ctx); err != nil {
			t.Fatal(err)
		}
		other := o.ctx.Account("other")
		if keeps := other.Own() == 0; keeps != c.keeps {
			t.Errorf("%v: has a share: %v, want %v", c.agg.Fn, keeps, c.keeps)
		}
		other.End()
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		o.ctx.Shares.Close()
		if n := o.ctx.Mem.Used(); n != 0 {
			t.Errorf("%v: %d bytes are held", c.agg.Fn, n)
		}
	}
}
