//go:build sim || cuda

package radix

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/enginetest"
	"gsql/gpu/group"
	"gsql/gpu/join"
	"gsql/gpu/join/jointest"
)

var deviceCounts = []int{1, 2, 4, 8}

// cuts divides n rows among devices: evenly, or with some devices that have none or almost all.
func cuts(n, devices int, even bool, r *rand.Rand) []int {
	at := make([]int, devices+1)
	for d := 1; d < devices; d++ {
		if even {
			at[d] = n * d / devices
		} else if at[d] = at[d-1]; r.IntN(3) > 0 {
			at[d] += r.IntN(n - at[d] + 1)
		}
	}
	at[devices] = n
	return at
}

// rowsOf returns rows [from, to) of a column.
func rowsOf(v jointest.Values, from, to int) jointest.Values {
	w := jointest.Values{Kind: v.Kind}
	if v.Ints != nil {
		w.Ints = v.Ints[from:to]
	}
	if v.Doubles != nil {
		w.Doubles = v.Doubles[from:to]
	}
	if v.Null != nil {
		w.Null = v.Null[from:to]
	}
	return w
}

// spreadAggregate uploads a join's rows to the devices of a group and aggregates it there.
func spreadAggregate(t *testing.T, engines []*engine.Engine, conditions []jointest.Condition, aggs []jointest.Agg, even bool, opt Options) ([]join.Value, Spread, error) {
	t.Helper()
	g, err := group.Begin(t.Context(), engines, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.End(); err != nil {
			t.Error(err)
		}
	}()
	r := rand.New(rand.NewPCG(uint64(len(engines)), 3))
	left := cuts(int(conditions[0].Left.Rows()), len(engines), even, r)
	right := cuts(int(conditions[0].Right.Rows()), len(engines), even, r)
	ins, parts := make([]join.Input, len(engines)), make([][]join.Agg, len(engines))
	for d, m := range g.Members {
		mine := make([]jointest.Condition, len(conditions))
		for i, c := range conditions {
			mine[i] = jointest.Condition{Op: c.Op, Left: rowsOf(c.Left, left[d], left[d+1]), Right: rowsOf(c.Right, right[d], right[d+1])}
		}
		ins[d] = upload(t, m.Task, mine, true)
		var own []jointest.Agg
		for _, a := range aggs {
			at := right
			if a.Left {
				at = left
			}
			if a.Func != join.CountRows {
				a.Column = rowsOf(a.Column, at[d], at[d+1])
			}
			own = append(own, a)
		}
		parts[d] = uploadAggs(t, m.Task, own)
	}
	free := g.Members[0].Free()
	values, spread, err := AggregateOn(g, ins, parts, opt)
	if now := g.Members[0].Free(); now != free {
		t.Errorf("%d of %d bytes are free after the join", now, free)
	}
	return values, spread, err
}

// TestAggregateOn compares joins on 1, 2, 4 and 8 devices with nested loops.
func TestAggregateOn(t *testing.T) {
	for _, devices := range deviceCounts {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			engines := enginetest.NewAll(t, devices, 16<<20)
			sizes := [][2]int{{1, 1}, {0, 5}, {130, 300}, {400, 37}}
			for i, shape := range shapes {
				for k, kind := range []column.Kind{column.I32, column.I64, column.F64} {
					if devices != 2 && (i+k+devices/4)%3 > 0 {
						continue // a third of the cases elsewhere
					}
					s := (i + k + devices) % len(sizes)
					size := sizes[s]
					nulls := (s+i)%2 == 0
					conditions := equality(keys(kind, shape, size[0], 1, nulls), keys(kind, shape, size[1], 2, k == 1))
					pairs := jointest.Pairs(int64(size[0]), int64(size[1]), conditions)
					var aggs []jointest.Agg
					for f := range join.Max + 1 {
						left := (int(f)+i+s)%2 == 0
						n := size[1]
						if left {
							n = size[0]
						}
						of := []column.Kind{column.I32, column.I64, column.F64}[(i+k+s)%3]
						aggs = append(aggs, jointest.Agg{Func: f, Left: left, Column: keys(of, "extreme", n, 7, s > 0)})
					}
					opt := Options{BuildLeft: s%2 == 0, Bits: []uint{0, 9, 12, 0}[s]}
					got, _, err := spreadAggregate(t, engines, conditions, aggs, k == 0, opt)
					if err != nil {
						t.Fatal(err)
					}
					for a := range aggs {
						if want := aggs[a].Aggregate(pairs); !same(got[a], want, aggs[a]) {
							t.Errorf("%s/%s %v: aggregate %d is %+v, want %+v", shape, kind.Suffix(), size, a, got[a], want)
						}
					}
				}
			}
		})
	}
}

// TestAggregateOnLevels partitions the devices' parts by two further levels.
func TestAggregateOnLevels(t *testing.T) {
	conditions := equality(keys(column.I32, "sparse", 300, 1, false), keys(column.I32, "sparse", 200, 2, true))
	aggs := []jointest.Agg{{Func: join.Sum, Left: true, Column: keys(column.I32, "extreme", 300, 3, false)}}
	got, _, err := spreadAggregate(t, enginetest.NewAll(t, 2, 32<<20), conditions, aggs, false, Options{Bits: 17})
	if err != nil {
		t.Fatal(err)
	}
	if want := aggs[0].Aggregate(jointest.Pairs(300, 200, conditions)); !same(got[0], want, aggs[0]) {
		t.Errorf("the sum is %+v, want %+v", got[0], want)
	}
}

// zipfKeys returns n keys of a Zipf distribution over the given number of keys.
func zipfKeys(n, distinct int, exponent float64, seed uint64) jointest.Values {
	r := rand.New(rand.NewPCG(seed, 9))
	v := jointest.Values{Kind: column.I32}
	var next func() int64
	switch {
	case exponent == 0:
		next = func() int64 { return r.Int64N(int64(distinct)) }
	default:
		z := rand.NewZipf(r, exponent, 1, uint64(distinct-1))
		next = func() int64 { return int64(z.Uint64()) }
	}
	for range n {
		v.Ints = append(v.Ints, next()*7919-1000)
	}
	return v
}

// TestAggregateOnSkew joins sides with frequent keys, and checks how evenly rows are dealt.
func TestAggregateOnSkew(t *testing.T) {
	const build, probe = 10000, 30000
	for _, devices := range deviceCounts[1:] {
		engines := enginetest.NewAll(t, devices, 32<<20)
		for i, exponent := range []float64{0, 1.01, 1.5} {
			if devices != 4 && i == 1 {
				continue
			}
			t.Run(fmt.Sprint(devices, "/", exponent), func(t *testing.T) {
				left, right := zipfKeys(probe, build, exponent, 1), jointest.Values{Kind: column.I32}
				for i := range build {
					right.Ints = append(right.Ints, int64(i*7919-1000))
				}
				value := zipfKeys(probe, 1000, 0, 3)
				aggs := []jointest.Agg{{Func: join.CountRows}, {Func: join.Sum, Left: true, Column: value}}
				got, spread, err := spreadAggregate(t, engines, equality(left, right), aggs, true, Options{})
				if err != nil {
					t.Fatal(err)
				}
				want := new(big.Int) // every probe row has one partner
				for _, v := range value.Ints {
					want.Add(want, big.NewInt(v))
				}
				if got[0].Lo != probe || jointest.Integer(got[1]).Cmp(want) != 0 {
					t.Errorf("%d rows with sum %v, want %d and %v", got[0].Lo, jointest.Integer(got[1]), probe, want)
				}
				if spread.Balance() > 1.1 {
					t.Errorf("the busiest device has %.2f times the mean: %v", spread.Balance(), spread.Rows)
				}
			})
		}
	}
}

// TestAggregateOnBroadcast: a small build side goes to all devices and probe rows stay.
func TestAggregateOnBroadcast(t *testing.T) {
	engines := enginetest.NewAll(t, 4, 16<<20)
	left, right := zipfKeys(40000, 500, 0, 1), zipfKeys(400, 500, 0, 2)
	counts := map[int64]int64{}
	for _, k := range right.Ints {
		counts[k]++
	}
	var want uint64
	for _, k := range left.Ints {
		want += uint64(counts[k])
	}
	got, spread, err := spreadAggregate(t, engines, equality(left, right), []jointest.Agg{{Func: join.CountRows}}, true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Lo != want {
		t.Errorf("%d rows, want %d", got[0].Lo, want)
	}
	for d, received := range spread.Received {
		if received != 300*4 {
			t.Errorf("device %d received %d bytes, want the 300 build keys of the others", d, received)
		}
	}
}

// TestAggregateOnWithoutMemory fails for want of memory at every step, and works again afterwards.
func TestAggregateOnWithoutMemory(t *testing.T) {
	engines := enginetest.NewAll(t, 2, 6<<20)
	left, right := zipfKeys(20000, 5000, 0, 1), zipfKeys(9000, 5000, 0, 2)
	aggs := []jointest.Agg{{Func: join.CountRows}}
	g, err := group.Begin(t.Context(), engines, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.End(); err != nil {
			t.Error(err)
		}
	}()
	ins, parts := make([]join.Input, 2), make([][]join.Agg, 2)
	for d, m := range g.Members {
		ins[d] = upload(t, m.Task, equality(rowsOf(left, d*10000, (d+1)*10000), rowsOf(right, d*4500, (d+1)*4500)), true)
		parts[d] = uploadAggs(t, m.Task, aggs)
	}
	failed := enginetest.Starved(t, g.Members[1].Task, 8<<10, func() error {
		_, _, err := AggregateOn(g, ins, parts, Options{})
		return err
	})
	if failed < 10 {
		t.Errorf("only %d allocations failed", failed)
	}
	got, _, err := AggregateOn(g, ins, parts, Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int64]uint64{}
	for _, k := range right.Ints {
		counts[k]++
	}
	var want uint64
	for _, k := range left.Ints {
		want += counts[k]
	}
	if got[0].Lo != want {
		t.Errorf("%d rows, want %d", got[0].Lo, want)
	}
}
