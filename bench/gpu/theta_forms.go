//go:build cuda

package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"gsql/bench/murmur"
	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/join/theta"
)

// thetaForms measures what thetaJoins leaves out: conjunctions and other kinds, values instead of
// row numbers, output that is copied to the host, kernels compiled for the first time.
func thetaForms(b *bench) error {
	errs := []error{b.within(func() error { return firstTheta(b) })}
	for _, selectivity := range []float64{0.1, 0.5, 0.9} {
		errs = append(errs, b.within(func() error { return thetaCount(b, selectivity) }))
	}
	for _, f := range forms {
		errs = append(errs, b.within(func() error { return f.measure(b) }))
	}
	errs = append(errs, b.within(func() error { return thetaValues(b) }), b.within(func() error { return thetaToHost(b) }))
	for _, a := range []string{"naive, 50K x 45K", "partial sums, 50K x 45K", "tiles, 50K x 45K", "partial sums, 500K x 450K", "tiles, 500K x 450K"} {
		if ms := b.cub["theta ablation: "+a]; ms > 0 {
			var left, right float64 = 50e3, 45e3
			if len(a) > 20 && a[len(a)-4:] == "450K" {
				left, right = 500e3, 450e3
			}
			b.add("theta SUM, ablation: "+a, ms, left*right, "pairs", 0, line{Note: "ablation.cu"})
		}
	}
	return errors.Join(errs...)
}

// firstTheta measures how long a small join takes when the driver must first compile its kernels,
// and how long its second run takes.
func firstTheta(b *bench) error {
	l, r, err := overlapping(b, 1000, 1000, 0.5)
	if err != nil {
		return err
	}
	out, err := b.NewDevicePairs(1 << 20)
	if err != nil {
		return err
	}
	for _, work := range []struct {
		name string
		run  func() error
	}{
		{"COUNT", func() error {
			_, err := theta.Aggregate(b.Task, less(l, r), []join.Agg{{Func: join.CountRows}}, theta.Options{})
			return err
		}},
		{"row pairs", func() error {
			out.Rows = 0
			return errors.Join(theta.Pairs(b.Task, less(l, r), out, theta.Options{}), b.Sync())
		}},
	} {
		for _, when := range []string{"first, kernels loaded", "again"} {
			start := time.Now()
			if err := work.run(); err != nil {
				return err
			}
			b.add(fmt.Sprintf("theta %s, 1000 x 1000, %s", work.name, when), time.Since(start).Seconds()*1e3, 1e6, "pairs", 0, line{Note: "one run, the caller's clock"})
		}
	}
	return nil
}

// thetaCount counts 500K x 450K pairs of keys from the whole range of 32 bits, which allows
// no narrow comparison.
func thetaCount(b *bench, selectivity float64) error {
	const left, right = 500_000, 450_000
	cut := int64((1 - 2*selectivity) * (1 << 31))
	l, err := newRelation(b, column.I32, left, func(i int64) int64 { return clamp(int64(int32(murmur.Mix64(uint64(i)+1<<40))) + cut) })
	if err != nil {
		return err
	}
	r, err := newRelation(b, column.I32, right, func(i int64) int64 { return int64(int32(murmur.Mix64(uint64(i) + 2<<40))) })
	if err != nil {
		return err
	}
	_, want := partners(l, r)
	return countOf(b, fmt.Sprintf("theta COUNT, 500K x 450K, keys of 32 bits, selectivity %.2f", float64(want)/left/right), left*right, less(l, r), want, line{Bar: 9000})
}

func clamp(v int64) int64 { return min(max(v, -1<<31), 1<<31-1) }

// countOf measures COUNT(*) over a theta join and checks it.
func countOf(b *bench, work string, pairs float64, in join.Input, want int64, more line) error {
	var got []join.Value
	ms, err := b.median(func() (err error) {
		got, err = theta.Aggregate(b.Task, in, []join.Agg{{Func: join.CountRows}}, theta.Options{})
		return err
	})
	if err == nil && int64(got[0].Lo) != want {
		err = fmt.Errorf("%s: count %d, want %d", work, int64(got[0].Lo), want)
	}
	if err == nil {
		b.add(work, ms, pairs, "pairs", 0, more)
	}
	return err
}

// form is a conjunction over columns of one kind. Each of its operators compares different columns,
// except that a BETWEEN has one column on the right.
type form struct {
	name    string
	kind    column.Kind
	ops     []join.Op
	between bool
}

var forms = []form{
	{"two bounds (overlap), int32", column.I32, []join.Op{join.LE, join.GE}, false},
	{"BETWEEN, int32", column.I32, []join.Op{join.LE, join.GE}, true},
	{"= and <, int32", column.I32, []join.Op{join.EQ, join.LT}, false},
	{"<>, <, >=, <>, int32", column.I32, []join.Op{join.NE, join.LT, join.GE, join.NE}, false},
	{"<, int64", column.I64, []join.Op{join.LT}, false},
	{"<>, <, >=, <>, int64", column.I64, []join.Op{join.NE, join.LT, join.GE, join.NE}, false},
}

func (f form) measure(b *bench) error {
	const rows = 1 << 17
	spread := uint(32)
	if f.kind == column.I64 {
		spread = 64
	}
	// Keys compared by = have few values, so that some pairs are equal.
	key := func(c int, right uint64) func(i int64) int64 {
		if f.ops[c] == join.EQ {
			return func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+right) % 100) }
		}
		return func(i int64) int64 { return int64(murmur.Mix64(uint64(i)+uint64(c)<<40+right)) >> (64 - spread) }
	}
	in := join.Input{Left: rows, Right: rows}
	var left, right [][]int64
	for c, op := range f.ops {
		l, err := newRelation(b, f.kind, rows, key(c, 0))
		if err != nil {
			return err
		}
		r, err := newRelation(b, f.kind, rows, key(c, 1<<50))
		if err != nil {
			return err
		}
		if f.between && c > 0 {
			r = relation{in.Conditions[0].Right, func(i int64) int64 { return right[0][i] }, rows}
		}
		in.Conditions = append(in.Conditions, join.Condition{Op: op, Left: l.column, Right: r.column})
		left, right = append(left, hostKeys(l)), append(right, hostKeys(r))
	}
	var want atomic.Int64
	parallel(rows, func(from, to int64) {
		for i := from; i < to; i++ {
			want.Add(f.partners(left, right, i))
		}
	})
	return countOf(b, "theta COUNT, 128K x 128K, "+f.name, rows*rows, in, want.Load(), line{})
}

func hostKeys(r relation) []int64 {
	keys := make([]int64, r.rows)
	for i := range keys {
		keys[i] = r.key(int64(i))
	}
	return keys
}

// partners counts the right rows that match left row i.
func (f form) partners(left, right [][]int64, i int64) int64 {
	n := int64(0)
	for j := range right[0] {
		all := true
		for c, op := range f.ops {
			a, b := left[c][i], right[c][j]
			switch op {
			case join.EQ:
				all = a == b
			case join.NE:
				all = a != b
			case join.LT:
				all = a < b
			case join.LE:
				all = a <= b
			case join.GE:
				all = a >= b
			}
			if !all {
				break
			}
		}
		if all {
			n++
		}
	}
	return n
}

// deviceValues is an output of values that stays in device memory.
type deviceValues struct {
	left, a, b gpu.Ptr
	rows, room int64
}

func (d *deviceValues) Piece() (left, a, b gpu.Ptr, capacity int64, err error) {
	at := gpu.Ptr(4 * d.rows)
	return d.left + at, d.a + at, d.b + at, d.room - d.rows, nil
}

func (d *deviceValues) Emit(n int64) error {
	d.rows += n
	return nil
}

// thetaValues is the output-bound query of the paper: SELECT R.a, S.a, S.x WHERE R.a < S.a,
// 12 bytes a row.
func thetaValues(b *bench) error {
	l, r, err := overlapping(b, 50_000, 25_000, 0.5)
	if err != nil {
		return err
	}
	x, err := newRelation(b, column.I32, 25_000, func(i int64) int64 { return int64(murmur.Mix32(uint32(i))) })
	if err != nil {
		return err
	}
	each, want := partners(l, r)
	out := &deviceValues{room: want + 1}
	for _, p := range []*gpu.Ptr{&out.left, &out.a, &out.b} {
		if *p, err = b.Alloc(4 * out.room); err != nil {
			return err
		}
	}
	ms, err := b.median(func() error {
		out.rows = 0
		return theta.Values(b.Task, less(l, r), l.column, r.column, x.column, out, theta.Options{})
	})
	if err != nil {
		return err
	}
	if out.rows != want {
		return fmt.Errorf("theta values: %d rows, want %d", out.rows, want)
	}
	b.add("theta output-bound, 50K x 25K, values of 12 bytes", ms, float64(want), "rows", 0,
		line{Bar: -4, FloorMS: 12 * float64(want) / 4.2e9, Note: "floor: 12 bytes a row at 4.2 TB/s written"})
	return checkValues(b, l, r, x, each, out)
}

// checkValues adds up the left keys and checks that each row has a right key greater than its left
// key, and next to it an x of that right key.
func checkValues(b *bench, l, r, x relation, each []int64, out *deviceValues) error {
	left, err := download[int32](b, out.left, out.rows)
	if err != nil {
		return err
	}
	keys, err := download[int32](b, out.a, out.rows)
	if err != nil {
		return err
	}
	values, err := download[int32](b, out.b, out.rows)
	if err != nil {
		return err
	}
	of := map[int32][]int32{}
	for i := range r.rows {
		of[int32(r.key(i))] = append(of[int32(r.key(i))], int32(x.key(i)))
	}
	var sum, want atomic.Int64
	parallel(l.rows, func(from, to int64) {
		for i := from; i < to; i++ {
			want.Add(l.key(i) * each[i])
		}
	})
	err = every("theta values", out.rows, func(i int64) bool {
		sum.Add(int64(left[i]))
		for _, v := range of[keys[i]] {
			if v == values[i] {
				return left[i] < keys[i]
			}
		}
		return false
	})
	if err == nil && sum.Load() != want.Load() {
		err = fmt.Errorf("theta values: left values add up to %d, want %d", sum.Load(), want.Load())
	}
	return err
}

// thetaToHost copies all row pairs to the host while the next are computed.
func thetaToHost(b *bench) error {
	l, r, err := overlapping(b, 50_000, 25_000, 0.5)
	if err != nil {
		return err
	}
	_, want := partners(l, r)
	in := less(l, r)
	var best float64
	for range 3 {
		start := time.Now()
		pairs, err := b.Pairs(theta.Bytes(in, nil, theta.Options{}), func(out *engine.Pairs) error {
			return theta.Pairs(b.Task, in, out, theta.Options{})
		})
		if err != nil {
			return err
		}
		n, err := drain(pairs)
		if err = errors.Join(err, pairs.Close()); err != nil {
			return err
		}
		if n != want {
			return fmt.Errorf("theta pairs to the host: %d, want %d", n, want)
		}
		if ms := time.Since(start).Seconds() * 1e3; best == 0 || ms < best {
			best = ms
		}
	}
	b.add("theta output-bound, 50K x 25K, row pairs to pinned host memory", best, 8*float64(want), "B", 0,
		line{Bar: 50, FloorMS: 8 * float64(want) / 55.3e6, Note: "best of 3, the caller's clock; floor: 55.3 GB/s"})
	return nil
}

// drain counts pairs without reading them.
func drain(p *engine.Pairs) (n int64, err error) {
	for {
		left, _, err := p.Next()
		if err != nil || len(left) == 0 {
			return n, err
		}
		n += int64(len(left))
	}
}
