//go:build cuda

package main

import (
	"errors"
	"fmt"

	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/join/hash"
)

// Workload b: unique build keys, and probe keys that all have one partner. 8 bytes per pair are
// written, the row numbers of both sides.
const (
	hashBuild = 1 << 24
	hashProbe = 1 << 28
	hashFloor = 4*hashBuild + 4*hashProbe + 8*hashProbe
)

// randomOf returns the build row that probe row i joins.
func randomOf(build int64) func(i int64) int64 {
	return func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+7) % uint64(build)) }
}

// payload returns the value of a row, on either side.
func payload(i int64) int64 { return int64(int32(murmur.Mix64(uint64(i) + 99))) }

func hashJoins(b *bench) error {
	return errors.Join(
		b.within(func() error { return sparseHash(b) }),
		b.within(func() error { return denseHash(b) }),
		b.within(func() error { return hostHash(b) }),
	)
}

func hashPairs(t *engine.Task, in join.Input, out join.Output) error {
	return hash.Pairs(t, in, out, hash.Options{})
}

func hashSum(t *engine.Task, in join.Input, aggs []join.Agg) ([]join.Value, error) {
	return hash.Aggregate(t, in, aggs, hash.Options{})
}

func sparseHash(b *bench) error {
	random := randomOf(hashBuild)
	l, err := newRelation(b, column.I32, hashProbe, func(i int64) int64 { return sparse(random(i)) })
	if err != nil {
		return err
	}
	r, err := newRelation(b, column.I32, hashBuild, sparse)
	if err != nil {
		return err
	}
	name := "hash join b, 2^24 x 2^28, sparse keys, "
	return errors.Join(
		b.within(func() error {
			return pairsCase(b, name+"row pairs", l, r, hashProbe, hashFloor, line{Bar: 36}, hashPairs)
		}),
		b.within(func() error {
			return pairsCase(b, "radix join of the same sides, row pairs", l, r, hashProbe, 0, line{Bar: 36}, radixRowPairs)
		}),
		b.within(func() error { return probeSum(b, name+"SUM of a probe column", l, r) }),
		b.within(func() error { return buildSum(b, name+"SUM of a build column", l, r, random) }),
	)
}

func denseHash(b *bench) error {
	random := randomOf(hashBuild)
	l, err := newRelation(b, column.I32, hashProbe, random)
	if err != nil {
		return err
	}
	r, err := newRelation(b, column.I32, hashBuild, func(i int64) int64 { return i * 48271 % hashBuild })
	if err != nil {
		return err
	}
	l, r = l.bounded(0, hashBuild-1), r.bounded(0, hashBuild-1)
	name := "hash join b, dense keys, "
	return errors.Join(
		b.within(func() error {
			return pairsCase(b, name+"row pairs", l, r, hashProbe, hashFloor, line{Bar: 61}, hashPairs)
		}),
		b.within(func() error { return probeSum(b, name+"SUM of a probe column", l, r) }),
	)
}

// probeSum sums the payload of the probe side, all of whose rows join.
func probeSum(b *bench, work string, l, r relation) error {
	values, host, err := upload(b, l.rows, func(i int64) int32 { return int32(payload(i)) })
	if err != nil {
		return err
	}
	return sumOf(b, work, float64(l.rows+r.rows), "tuples", equal(l, r), values, column.I32, sumAll(int64(len(host)), payload), line{}, hashSum)
}

// buildSum sums the payload of the build row that each probe row joins.
func buildSum(b *bench, work string, l, r relation, partner func(i int64) int64) error {
	values, _, err := upload(b, r.rows, func(i int64) int32 { return int32(payload(i) >> 1) })
	if err != nil {
		return err
	}
	want := sumAll(l.rows, func(i int64) int64 { return payload(partner(i)) >> 1 })
	c := column.Column{Kind: column.I32, Rows: r.rows, Values: values, Bounded: true, Min: -1 << 30, Max: 1<<30 - 1}
	in, aggs := equal(l, r), []join.Agg{{Func: join.Sum, Column: c}}
	var got []join.Value
	ms, err := b.median(func() (err error) {
		got, err = hashSum(b.Task, in, aggs)
		return err
	})
	if err == nil && int64(got[0].Lo) != want {
		err = fmt.Errorf("%s: sum %d, want %d", work, int64(got[0].Lo), want)
	}
	if err == nil {
		b.add(work, ms, float64(l.rows+r.rows), "tuples", 0, line{})
	}
	return err
}

// sumAll returns the sum of f(0..n).
func sumAll(n int64, f func(i int64) int64) int64 {
	parts := make(chan int64, 1024)
	parallel(n, func(from, to int64) {
		var sum int64
		for i := from; i < to; i++ {
			sum += f(i)
		}
		parts <- sum
	})
	close(parts)
	var sum int64
	for s := range parts {
		sum += s
	}
	return sum
}

// hostHash joins 2^26 rows in device memory with 2^28 keys and payloads in pinned host memory, both
// copied chunk by chunk and read directly by the kernels.
func hostHash(b *bench) error {
	const build, probe, bytes = 1 << 26, hashProbe, 8 * hashProbe
	random := randomOf(build)
	r, err := newRelation(b, column.I32, build, sparse)
	if err != nil {
		return err
	}
	pinned, err := b.Device.AllocHost(bytes)
	if err != nil {
		return err
	}
	fillInt32(pinned[:bytes/2], func(i int64) int64 { return sparse(random(i)) })
	fillInt32(pinned[bytes/2:], payload)
	return errors.Join(b.within(func() error { return linkRate(b, pinned[:bytes/2]) }),
		b.within(func() error { return overLink(b, r, pinned, probe) }), b.Device.FreeHost(pinned))
}

func fillInt32(raw []byte, f func(i int64) int64) {
	parallel(int64(len(raw)/4), func(from, to int64) {
		for i := from; i < to; i++ {
			v := uint32(f(i))
			raw[4*i], raw[4*i+1], raw[4*i+2], raw[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
	})
}

// linkRate measures a plain copy, on which the floors of joins over the link are based.
func linkRate(b *bench, pinned []byte) error {
	to, err := b.Alloc(int64(len(pinned)))
	if err != nil {
		return err
	}
	ms, err := b.median(func() error { return b.Device.CopyToDevice(to, pinned, b.Compute) })
	if err == nil {
		b.add("copy of 1 GiB from pinned host memory", ms, float64(len(pinned)), "B", 0, line{})
	}
	return err
}

// overLink measures SUM over a join whose probe side crosses the link. The probe phase is the time
// beyond that of the same join with one probe row.
func overLink(b *bench, r relation, pinned []byte, rows int64) error {
	half := int64(len(pinned) / 2)
	host := func(raw []byte) hash.HostColumn {
		return hash.HostColumn{Column: column.Column{Kind: column.I32, Rows: rows}, Values: raw}
	}
	keys, values := host(pinned[:half]), host(pinned[half:])
	in := equal(relation{column: keys.Column, rows: rows}, r)
	aggs := []join.Agg{{Func: join.Sum, Left: true, Column: values.Column}}
	copied := func(n int64) func() ([]join.Value, error) {
		return func() ([]join.Value, error) {
			part := in
			part.Left = n
			h, err := hash.NewHostChunks(b.Task, part, aggs, hash.Options{}, []hash.HostColumn{keys}, []hash.HostColumn{values}, 1<<23)
			if err != nil {
				return nil, err
			}
			got, err := hash.AggregateOver(b.Task, h, hash.Options{})
			return got, errors.Join(err, h.Close())
		}
	}
	mapped := func() ([]join.Value, error) {
		in, aggs := equal(relation{column: keys.Column, rows: rows}, r), []join.Agg{{Func: join.Sum, Left: true, Column: values.Column}}
		in.Conditions[0].Left.Values, aggs[0].Column.Values = gpu.HostPtr(keys.Values), gpu.HostPtr(values.Values)
		return hash.Aggregate(b.Task, in, aggs, hash.Options{})
	}
	return errors.Join(
		b.overLinkCase("hash join 2^26 x 2^28 from pinned host memory, copied, SUM", r.rows, rows, copied(1), copied(rows)),
		b.overLinkCase("the same, read by the kernels", r.rows, rows, copied(1), mapped),
	)
}

func (b *bench) overLinkCase(work string, build, probe int64, alone, whole func() ([]join.Value, error)) error {
	var got []join.Value
	buildMS, err := b.median(func() error { _, err := alone(); return err })
	if err != nil {
		return fmt.Errorf("%s: %w", work, err)
	}
	ms, err := b.median(func() (err error) { got, err = whole(); return err })
	if err == nil && int64(got[0].Lo) != sumAll(probe, payload) {
		err = fmt.Errorf("wrong sum %d", int64(got[0].Lo))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", work, err)
	}
	b.add(work, ms, float64(build+probe), "tuples", 0, line{})
	b.add("its probe phase", ms-buildMS, float64(8*probe), "B", 0, line{Bar: 0.95 * 55, Note: "keys and payloads over the link"})
	return nil
}
