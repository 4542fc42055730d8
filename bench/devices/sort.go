//go:build cuda

package main

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"gsql/bench/fill"
	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/group"
	"gsql/gpu/group/sorting"
	"gsql/gpu/prim"
)

// sortCase sorts n pairs whose values are the keys' numbers. Keys are random or, with an exponent, of a
// Zipf distribution over 2^31 keys.
func sortCase(name string, n int64, exponent float64) benchmark {
	key := func(i int64) int32 { return int32(murmur.Mix64(uint64(i))) }
	if exponent > 0 {
		key = func(i int64) int32 {
			return int32(fill.Zipf(float64(murmur.Mix64(uint64(i))>>11)/(1<<53), 1<<31-1, exponent))
		}
	}
	prepare := func(g *group.Group) (func(*line) error, func() error, error) {
		devices := int64(len(g.Members))
		in, out := make([]sorting.Part, devices), make([]prim.Pairs, devices)
		for d, m := range g.Members {
			from, to := n*int64(d)/devices, n*int64(d+1)/devices
			var err error
			if in[d].Keys, err = upload(m, to-from, func(i int64) int32 { return key(from + i) }); err != nil {
				return nil, nil, err
			}
			if in[d].Values, err = upload(m, to-from, func(i int64) int32 { return int32(from + i) }); err != nil {
				return nil, nil, err
			}
			in[d].Rows = to - from
			capacity := sorting.Capacity(n, int(devices))
			for _, p := range []*gpu.Ptr{&out[d].Keys, &out[d].Values} {
				if *p, err = m.Alloc(4 * capacity); err != nil {
					return nil, nil, err
				}
			}
		}
		var sorted []sorting.Part
		work := func(l *line) (err error) {
			sorted, err = sorting.Sort(g, prim.Sorting{Kind: column.I32}, in, out, 4)
			for i, p := range sorted {
				l.Received = max(l.Received, g.Members[i].Received)
				l.Balance = max(l.Balance, float64(p.Rows*devices)/float64(n))
			}
			return err
		}
		return work, func() error { return inOrder(g, sorted, n, key) }, nil
	}
	return benchmark{name, n, prepare}
}

// inOrder checks that the devices' pairs are all n, each with its own key, in order, and equal keys in
// the order of their numbers.
func inOrder(g *group.Group, sorted []sorting.Part, n int64, key func(i int64) int32) error {
	var keys, values []int32
	for i, p := range sorted {
		for to, from := range map[*[]int32]gpu.Ptr{&keys: p.Keys, &values: p.Values} {
			part := make([]int32, p.Rows)
			raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), 4*p.Rows)
			m := g.Members[i]
			if err := m.Device.CopyToHost(raw, from, m.Compute); err != nil {
				return err
			}
			if err := m.Sync(); err != nil {
				return err
			}
			*to = append(*to, part...)
		}
	}
	if int64(len(keys)) != n {
		return fmt.Errorf("%d pairs, want %d", len(keys), n)
	}
	var bad atomic.Int64
	parallel(n, func(i int64) {
		if keys[i] != key(int64(values[i])) || i > 0 && (keys[i-1] > keys[i] || keys[i-1] == keys[i] && values[i-1] >= values[i]) {
			bad.Add(1)
		}
	})
	if bad.Load() > 0 {
		return fmt.Errorf("%d of %d pairs are out of order", bad.Load(), n)
	}
	return nil
}
