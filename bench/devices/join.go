//go:build cuda

package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"gsql/bench/fill"
	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/group"
	"gsql/gpu/join"
	"gsql/gpu/join/radix"
)

var cases = []benchmark{
	joinCase("join a, 2^27 x 2^27, 4-byte keys, SUM", 1<<27, 1<<27, 0),
	joinCase("join a with Zipf 1.0 on the probe side, SUM", 1<<27, 1<<27, 1),
	joinCase("join a with Zipf 1.5 on the probe side, SUM", 1<<27, 1<<27, 1.5),
	joinCase("join b, 2^24 x 2^28, 4-byte keys, SUM", 1<<24, 1<<28, 0),
	sortCase("sort of 2^28 random 4-byte keys with 4-byte values", 1<<28, 0),
	sortCase("sort of 2^28 4-byte keys of Zipf 1.5", 1<<28, 1.5),
}

// joinCase is SUM of a 4-byte column of the probe side over a join. Build keys are unique and spread
// over 32 bits; every probe row has one partner, of a Zipf distribution or, with exponent 0, a uniform
// one.
func joinCase(name string, build, probe int64, exponent float64) benchmark {
	partner := func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+12345) % uint64(build)) }
	if exponent > 0 {
		partner = func(i int64) int64 {
			u := float64(murmur.Mix64(uint64(i)+12345)>>11) / (1 << 53)
			return min(int64(fill.Zipf(u, float64(build), exponent)), build) - 1
		}
	}
	value := func(i int64) int32 { return int32(murmur.Mix32(uint32(i))) }
	prepare := func(g *group.Group) (func(*line) error, func() error, error) {
		n := int64(len(g.Members))
		ins, aggs := make([]join.Input, n), make([][]join.Agg, n)
		var want int64
		for i := range probe {
			want += int64(value(i))
		}
		for d, m := range g.Members {
			from, to := probe*int64(d)/n, probe*int64(d+1)/n
			low, high := build*int64(d)/n, build*int64(d+1)/n
			probeKeys, err := upload(m, to-from, func(i int64) int32 { return key(partner(from + i)) })
			if err != nil {
				return nil, nil, err
			}
			values, err := upload(m, to-from, func(i int64) int32 { return value(from + i) })
			if err != nil {
				return nil, nil, err
			}
			buildKeys, err := upload(m, high-low, func(i int64) int32 { return key(low + i) })
			if err != nil {
				return nil, nil, err
			}
			narrow := func(p gpu.Ptr, rows int64) column.Column {
				return column.Column{Kind: column.I32, Rows: rows, Values: p}
			}
			ins[d] = join.Input{Left: to - from, Right: high - low, Conditions: []join.Condition{
				{Op: join.EQ, Left: narrow(probeKeys, to-from), Right: narrow(buildKeys, high-low)}}}
			aggs[d] = []join.Agg{{Func: join.Sum, Left: true, Column: narrow(values, to-from)}}
		}
		var got int64
		work := func(l *line) (err error) {
			got, err = sum(g, ins, aggs, l)
			return err
		}
		return work, func() error {
			if got != want {
				return fmt.Errorf("sum %d, want %d", got, want)
			}
			return nil
		}, nil
	}
	return benchmark{name, build + probe, prepare}
}

// sum runs a join on all devices of a group, on one as on a machine that has no other.
func sum(g *group.Group, ins []join.Input, aggs [][]join.Agg, l *line) (sum int64, err error) {
	var got []join.Value
	if len(ins) == 1 {
		got, err = radix.Aggregate(g.Members[0].Task, ins[0], aggs[0], radix.Options{})
	} else {
		var spread radix.Spread
		got, spread, err = radix.AggregateOn(g, ins, aggs, radix.Options{})
		l.Received, l.Balance = slices.Max(spread.Received), spread.Balance()
	}
	if err != nil {
		return 0, err
	}
	return int64(got[0].Lo), nil
}

// key returns unique keys spread over 32 bits.
func key(i int64) int32 { return int32(murmur.Mix32(uint32(i) ^ 0x5bd1e995)) }

// upload creates a column of n values on a member's device.
func upload[T any](m *group.Member, n int64, f func(i int64) T) (gpu.Ptr, error) {
	values := make([]T, n)
	parallel(n, func(i int64) { values[i] = f(i) })
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), n*int64(unsafe.Sizeof(values[0])))
	p, err := m.Alloc(int64(len(raw)))
	if err == nil {
		err = m.Device.CopyToDevice(p, raw, m.Compute)
	}
	if err == nil {
		err = m.Sync()
	}
	return p, err
}

// parallel calls f for [0, n) on all cores.
func parallel(n int64, f func(i int64)) {
	workers := int64(runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				f(i)
			}
		})
	}
	wg.Wait()
}
