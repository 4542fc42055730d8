package storage

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Statistics hold this many buckets and common values at most.
const (
	histogramBuckets = 64
	commonValues     = 20
)

// description is what a sample says of a column.
type description struct {
	distinct int64
	bounds   []float64
	common   []catalog.ValueCount // scaled to the rows that the sample stands for
}

func compareUnsigned(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) }

// describeSample describes the values of a sample that stands for present rows without
// NULL. The sample is not changed.
func describeSample(v *vec.Vector, present int64) description {
	t := v.Type
	switch t.Kind() {
	case types.KindI64:
		return describeValues(values(v, v.I64), present, cmp.Compare[int64], func(x int64) catalog.Datum { return catalog.Datum{Type: t, I64: x} })
	case types.KindU64:
		return describeValues(values(v, v.I64), present, compareUnsigned, func(x int64) catalog.Datum { return catalog.Datum{Type: t, I64: x} })
	case types.KindF64:
		return describeValues(values(v, v.F64), present, cmp.Compare[float64], func(x float64) catalog.Datum { return catalog.Datum{Type: t, F64: x} })
	case types.KindDec:
		return describeValues(values(v, v.Dec), present, decimal128.Num.Cmp, func(x decimal128.Num) catalog.Datum { return catalog.Datum{Type: t, Dec: x} })
	case types.KindStr:
		return describeValues(values(v, v.Str), present, strings.Compare, func(x string) catalog.Datum { return catalog.Datum{Type: t, Str: strings.Clone(x)} })
	}
	return description{}
}

// values copies what is not NULL.
func values[T any](v *vec.Vector, xs []T) []T {
	out := make([]T, 0, v.N)
	for i, x := range xs[:v.N] {
		if v.Null == nil || !v.Null[i] {
			out = append(out, x)
		}
	}
	return out
}

// group is a value's stretch in the sorted sample.
type group struct{ at, n int }

func describeValues[T any](xs []T, present int64, compare func(a, b T) int, datum func(T) catalog.Datum) description {
	if len(xs) == 0 {
		return description{}
	}
	slices.SortFunc(xs, compare)
	var d description
	var frequent []group
	for at := 0; at < len(xs); {
		end := at + 1
		for end < len(xs) && compare(xs[end], xs[at]) == 0 {
			end++
		}
		d.distinct++
		if end-at > 1 {
			frequent = append(frequent, group{at, end - at})
		}
		at = end
	}
	scale := float64(present) / float64(len(xs))
	for _, g := range mostFrequent(frequent, len(xs), d.distinct, int64(len(xs)) >= present) {
		rows := int64(float64(g.n)*scale + 0.5)
		d.common = append(d.common, catalog.ValueCount{Value: datum(xs[g.at]), Rows: rows})
	}
	buckets := min(histogramBuckets, max(1, len(xs)-1))
	for i := 0; i <= buckets; i++ {
		d.bounds = append(d.bounds, datum(xs[i*(len(xs)-1)/buckets]).Float())
	}
	return d
}

// mostFrequent picks the values clearly more common than the average one; of a column
// with few values, all. In a part of the rows chance makes some values look common:
// there they must be ten at least, and four standard deviations above the average.
func mostFrequent(gs []group, n int, distinct int64, complete bool) []group {
	slices.SortStableFunc(gs, func(a, b group) int { return b.n - a.n })
	average := float64(n) / float64(distinct)
	least := 1.25 * average
	if !complete {
		least = max(10, least, average+4*math.Sqrt(average))
	}
	for i, g := range gs {
		if i == commonValues || distinct > commonValues && float64(g.n) < least {
			return gs[:i]
		}
	}
	return gs
}

// histogram makes the histogram of present rows, stretched to the column's bounds.
func (d *description) histogram(col *catalog.ColumnStats, present int64) *catalog.Histogram {
	if len(d.bounds) < 2 || col.Min == nil || col.Max == nil {
		return nil
	}
	h := &catalog.Histogram{Bounds: d.bounds, Rows: present}
	h.Bounds[0] = min(h.Bounds[0], col.Min.Float())
	last := len(h.Bounds) - 1
	h.Bounds[last] = max(h.Bounds[last], col.Max.Float())
	return h
}
