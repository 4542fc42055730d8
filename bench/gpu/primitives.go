//go:build cuda

package main

import (
	"errors"
	"fmt"

	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/prim"
)

// primitiveRows is the size of every primitive case, as in cub.cu.
const primitiveRows = 1 << 27

// primitives measures the primitives of joins and compares them with CUB.
func primitives(b *bench) error {
	return errors.Join(
		b.within(func() error { return copying(b) }),
		b.within(func() error { return scanning(b) }),
		sorting(b, "32/32", column.I32, 4),
		sorting(b, "64/64", column.I64, 8),
		sorting(b, "64/32", column.I64, 4),
	)
}

// copying measures the rate on which floors are based.
func copying(b *bench) error {
	const n = 1 << 31
	from, err := b.Alloc(n)
	if err != nil {
		return err
	}
	to, err := b.Alloc(n)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error { return b.Device.CopyDevice(to, from, n, b.Compute) })
	if err == nil {
		b.report.CopyTBs = 2 * n / ms / 1e9
		b.add("device copy 2 GiB, read plus written", ms, 2*n, "B", 0, line{CubMS: b.cub["copy 2 GiB"]})
	}
	return err
}

func scanning(b *bench) error {
	const n = primitiveRows
	in, values, err := upload(b, n, func(i int64) uint64 { return murmur.Mix64(uint64(i)) & 7 })
	if err != nil {
		return err
	}
	out, err := b.Alloc(8 * n)
	if err != nil {
		return err
	}
	total, err := b.Alloc(8)
	if err != nil {
		return err
	}
	ms, err := b.median(func() error { return prim.Scan64(b.Task, in, out, n, total) })
	if err != nil {
		return err
	}
	sums, err := download[uint64](b, out, n)
	if err != nil {
		return err
	}
	b.add("scan exclusive u64 2^27", ms, n, "items", 16*n, line{CubMS: b.cub["scan u64"]})
	return every("scan", n-1, func(i int64) bool { return sums[i]+values[i] == sums[i+1] && (i > 0 || sums[0] == 0) })
}

// sorting measures a whole sort of random keys and, by keys known to differ in one digit only,
// a single pass.
func sorting(b *bench, name string, kind column.Kind, width int64) error {
	for _, bits := range []uint{64, 8} {
		if err := b.within(func() error { return sortBits(b, name, kind, width, bits) }); err != nil {
			return err
		}
	}
	return nil
}

func sortBits(b *bench, name string, kind column.Kind, width int64, bits uint) error {
	const n = primitiveRows
	keys, rows, err := sortInput(b, kind, width, bits)
	if err != nil {
		return err
	}
	out := prim.Pairs{}
	if out.Keys, err = b.Alloc(n * kind.Width()); err != nil {
		return err
	}
	if out.Values, err = b.Alloc(n * width); err != nil {
		return err
	}
	s := prim.Sorting{Kind: kind, Bounded: bits < 64, Max: 1<<bits - 1}
	ms, err := b.median(func() error { return s.Sort(b.Task, prim.Pairs{Keys: keys, Values: rows}, out, width, n) })
	if err != nil {
		return err
	}
	passes := float64(kind.Width())
	what, rival := "sort", "sort "+name
	if bits == 8 {
		passes, what, rival = 1, "partition pass, 8 bits,", "pass "+name
	}
	row := float64(kind.Width() + width)
	b.add(fmt.Sprintf("%s %s pairs 2^27", what, name), ms, n, "pairs", (2*passes*row+float64(kind.Width()))*n, line{CubMS: b.cub[rival]})
	return sorted(b, kind, out, width, bits)
}

// sortKey returns the i-th key of a sort by the given number of bits.
func sortKey(i int64, bits uint) int64 {
	return int64(murmur.Mix64(uint64(i)) & (1<<bits - 1))
}

func sortInput(b *bench, kind column.Kind, width int64, bits uint) (keys, rows gpu.Ptr, err error) {
	if kind == column.I32 {
		keys, _, err = upload(b, primitiveRows, func(i int64) int32 { return int32(sortKey(i, bits)) })
	} else {
		keys, _, err = upload(b, primitiveRows, func(i int64) int64 { return sortKey(i, bits) })
	}
	if err != nil {
		return 0, 0, err
	}
	if width == 4 {
		rows, _, err = upload(b, primitiveRows, func(i int64) int32 { return int32(i) })
	} else {
		rows, _, err = upload(b, primitiveRows, func(i int64) int64 { return i })
	}
	return keys, rows, err
}

// sorted checks that out has all rows in the order of their keys, and that equal keys keep their
// order.
func sorted(b *bench, kind column.Kind, out prim.Pairs, width int64, bits uint) error {
	if width == 4 {
		rows, err := download[int32](b, out.Values, primitiveRows)
		return errors.Join(err, inOrder(rows, kind, bits))
	}
	rows, err := download[int64](b, out.Values, primitiveRows)
	return errors.Join(err, inOrder(rows, kind, bits))
}

func inOrder[Row int32 | int64](rows []Row, kind column.Kind, bits uint) error {
	key := func(i int64) int64 {
		k := sortKey(int64(rows[i]), bits)
		if kind == column.I32 {
			return int64(int32(k))
		}
		return k
	}
	return every("sort", int64(len(rows))-1, func(i int64) bool {
		a, z := key(i), key(i+1)
		return a < z || a == z && rows[i] < rows[i+1]
	})
}
