package stats

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

// Largest numbers of buckets and common values in statistics.
const (
	histogramBuckets = 64
	commonValues     = 20
)

// commonText is the length in bytes of the longest text that statistics keep as a common value.
const commonText = 1 << 10

// Description describes the values of a column based on a sample.
type Description struct {
	Distinct int64
	bounds   []float64
	Common   []catalog.ValueCount // scaled to the rows that the sample represents
}

func compareUnsigned(a, b int64) int { return cmp.Compare(uint64(a), uint64(b)) }

// Describe describes the values of a sample that represents present non-NULL rows. It does not
// change the sample.
func Describe(v *vec.Vector, present int64) Description {
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
		return describeValues(values(v, v.Str), present, strings.Compare, func(x string) catalog.Datum { return catalog.Datum{Type: t, Str: x} })
	}
	return Description{}
}

// values returns the non-NULL values.
func values[T any](v *vec.Vector, xs []T) []T {
	out := make([]T, 0, v.N)
	for i, x := range xs[:v.N] {
		if v.Null == nil || !v.Null[i] {
			out = append(out, x)
		}
	}
	return out
}

// group is the position and number of a value in the sorted sample.
type group struct{ at, n int }

func describeValues[T any](xs []T, present int64, compare func(a, b T) int, datum func(T) catalog.Datum) Description {
	if len(xs) == 0 {
		return Description{}
	}
	slices.SortFunc(xs, compare)
	var d Description
	var frequent []group
	for at := 0; at < len(xs); {
		end := at + 1
		for end < len(xs) && compare(xs[end], xs[at]) == 0 {
			end++
		}
		d.Distinct++
		if end-at > 1 {
			frequent = append(frequent, group{at, end - at})
		}
		at = end
	}
	scale := float64(present) / float64(len(xs))
	for _, g := range mostFrequent(frequent, len(xs), d.Distinct, int64(len(xs)) >= present) {
		value := datum(xs[g.at])
		if len(value.Str) > commonText {
			continue
		}
		value.Str = strings.Clone(value.Str) // the sample's texts belong to the table
		d.Common = append(d.Common, catalog.ValueCount{Value: value, Rows: int64(float64(g.n)*scale + 0.5)})
	}
	buckets := min(histogramBuckets, max(1, len(xs)-1))
	for i := 0; i <= buckets; i++ {
		d.bounds = append(d.bounds, datum(xs[i*(len(xs)-1)/buckets]).Float())
	}
	return d
}

// mostFrequent returns the values that are clearly more common than average, or all values of a
// column with few. In a sample, some values look common by chance: there they must occur at least
// ten times and four standard deviations above the average.
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

// Histogram returns the histogram of present rows, extended to the column's bounds, or nil if
// there is none.
func (d *Description) Histogram(col *catalog.ColumnStats, present int64) *catalog.Histogram {
	if len(d.bounds) < 2 || col.Min == nil || col.Max == nil {
		return nil
	}
	h := &catalog.Histogram{Bounds: d.bounds, Rows: present}
	h.Bounds[0] = min(h.Bounds[0], col.Min.Float())
	last := len(h.Bounds) - 1
	h.Bounds[last] = max(h.Bounds[last], col.Max.Float())
	return h
}
