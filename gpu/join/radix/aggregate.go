package radix

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
	"gsql/kernels"
)

// fold is one pass over a join: all aggregates of one column or, if column is nil, the number of
// rows. The column's side is the probe side, whose rows carry it.
type fold struct {
	left   bool
	column *column.Column
	aggs   []int // indices among the requested aggregates
}

func (f *fold) carry() carry {
	if f.column == nil {
		return carry{}
	}
	return carry{width: f.column.Kind.Width(), low: f.column.Values, valid: f.column.Valid}
}

// folds groups aggregates by the passes that they require. Without NULLs the number of a column's
// values equals the number of rows, which any pass counts.
func folds(aggs []join.Agg, buildLeft bool) []fold {
	return foldsOn([][]join.Agg{aggs}, buildLeft)[0]
}

// foldsOn is folds for each of several devices, which all have their own columns for the same
// aggregates. Passes of the same index belong together: two columns are one only if they are on every
// device, as columns without rows may share an address.
func foldsOn(devices [][]join.Agg, buildLeft bool) [][]fold {
	aggs := devices[0]
	same := func(i, j int) bool {
		return aggs[i].Left == aggs[j].Left && every(devices, func(of []join.Agg) bool { return of[i].Column == of[j].Column })
	}
	valid := func(i int) bool {
		return every(devices, func(of []join.Agg) bool { return of[i].Column.Valid == 0 })
	}
	plan := foldPlan(aggs, buildLeft, same, valid)
	all := make([][]fold, len(devices))
	for d := range devices {
		all[d] = slices.Clone(plan)
		for f := range all[d] {
			if plan[f].column != nil {
				all[d][f].column = &devices[d][plan[f].aggs[0]].Column
			}
		}
	}
	return all
}

func every(devices [][]join.Agg, holds func(of []join.Agg) bool) bool {
	return !slices.ContainsFunc(devices, func(of []join.Agg) bool { return !holds(of) })
}

// foldPlan makes the passes: same reports whether two aggregates have the same column, and valid
// whether an aggregate's column has no NULL.
func foldPlan(aggs []join.Agg, buildLeft bool, same func(i, j int) bool, valid func(i int) bool) []fold {
	var all []fold
	var counts []int
	for i := range aggs {
		a := &aggs[i]
		if a.Func == join.CountRows || a.Func == join.Count && valid(i) {
			counts = append(counts, i)
			continue
		}
		known := false
		for j := range all {
			if known = same(all[j].aggs[0], i); known {
				all[j].aggs = append(all[j].aggs, i)
				break
			}
		}
		if !known {
			all = append(all, fold{left: a.Left, column: &a.Column, aggs: []int{i}})
		}
	}
	if len(counts) == 0 {
		return all
	}
	for j := range all {
		if valid(all[j].aggs[0]) {
			all[j].aggs = append(all[j].aggs, counts...)
			return all
		}
	}
	return append(all, fold{left: !buildLeft, aggs: counts})
}

// Aggregate returns aggregates over the joined rows, which are not materialised: a probe row counts
// as often as a block's table has its key. Integer sums are exact. At least one condition must be
// an equality; if not all of them fit into a key, pairs are listed and counted.
func Aggregate(t *engine.Task, in join.Input, aggs []join.Agg, opt Options) ([]join.Value, error) {
	if key, _ := join.NewKey(in.Conditions); len(key.Rest) > 0 {
		return join.AggregatePairs(t, in, aggs, pieceRows(t), func(out join.Output) error { return Pairs(t, in, out, opt) })
	}
	values := make([]join.Value, len(aggs))
	for _, f := range folds(aggs, opt.BuildLeft) {
		r, err := runFold(t, in, f, opt)
		if err != nil {
			return nil, err
		}
		for _, i := range f.aggs {
			values[i] = r.value(aggs[i])
		}
	}
	return values, nil
}

// runFold runs one fold over the join.
func runFold(t *engine.Task, in join.Input, f fold, opt Options) (results, error) {
	m := t.Mark()
	r, err := foldJoin(t, in, f, opt)
	return r, errors.Join(err, t.Release(m))
}

func foldJoin(t *engine.Task, in join.Input, f fold, opt Options) (results, error) {
	var r results
	s, err := newSides(in, !f.left, carry{}, f.carry(), opt)
	if err != nil {
		return r, err
	}
	words, err := newResults(t)
	if err != nil {
		return r, err
	}
	err = s.join(t, in, func(build, probe *prim.Partitions) error { return foldPartitions(t, build, probe, f, words) })
	if err != nil {
		return r, err
	}
	return readResults(t, words)
}

// newResults returns memory for results of nothing.
func newResults(t *engine.Task) (gpu.Ptr, error) {
	const bytes = int64(8 * len(results{}))
	words, err := t.Alloc(bytes)
	if err != nil {
		return 0, err
	}
	return words, t.Fill(words, 0, bytes)
}

// readResults waits for the work that folds into words.
func readResults(t *engine.Task, words gpu.Ptr) (r results, err error) {
	var raw [8 * len(r)]byte
	err = t.Read(raw[:], words)
	for i := range r {
		r[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return r, err
}

func foldPartitions(t *engine.Task, build, probe *prim.Partitions, f fold, words gpu.Ptr) error {
	u, err := countUnits(t, build, probe)
	if err != nil {
		return err
	}
	key := keyType(build.Wide)
	typ := key
	if f.column != nil {
		typ += f.column.Kind.Suffix()
	}
	for first := int64(0); first < u.n; first += u.most {
		n := min(u.n-first, u.most)
		list, err := u.write(t, first, n)
		if err != nil {
			return err
		}
		err = t.LaunchBlocks("gsql_radix_fold", typ, min(n, t.ResidentBlocks()), kernels.RadixFoldShared[key],
			uint64(build.Hashes), uint64(probe.Hashes), uint64(probe.Values), uint64(list), uint64(n), uint64(build.Bits), uint64(words))
		if err != nil {
			return err
		}
	}
	return nil
}

// results are the words that kernels fold into: the number of rows; the sum, as three digits
// of base 2^32 with a signed last digit, or as a double; the least and the greatest value as
// ordered words, the least one's complement.
type results [6]uint64

func (r *results) value(a join.Agg) join.Value {
	if a.Func == join.CountRows || a.Func == join.Count {
		return join.Value{Lo: r[0]}
	}
	if r[0] == 0 {
		return join.Value{Null: true}
	}
	double := a.Column.Kind == column.F64
	switch {
	case a.Func == join.Sum && double:
		return join.Value{F: math.Float64frombits(r[1])}
	case a.Func == join.Sum:
		lo, over := bits.Add64(r[1], r[2]<<32, 0)
		return join.Value{Lo: lo, Hi: r[2]>>32 + r[3] + over}
	case a.Func == join.Min:
		return extreme(^r[4], double)
	default:
		return extreme(r[5], double)
	}
}

// extreme returns the value of an ordered word.
func extreme(word uint64, double bool) join.Value {
	const sign = 1 << 63
	switch {
	case !double:
		v := int64(word ^ sign)
		return join.Value{Lo: uint64(v), Hi: uint64(v >> 63)}
	case word&sign != 0:
		return join.Value{F: math.Float64frombits(word ^ sign)}
	default:
		return join.Value{F: math.Float64frombits(^word)}
	}
}
