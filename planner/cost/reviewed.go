package cost

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// reviewed describes the rows of a table that a scan's predicates keep. A dimension's keys may reach far
// beyond those of a fact: a calendar of two centuries has a year of sales. How many of the filtered
// rows find partners then depends on which keys they have, and statistics of single columns do not
// show that. If the table is small, the predicates are evaluated on all of its rows.
type reviewed struct {
	in    *Props // the scan before its predicates
	preds []expr.Expr
	rows  float64 // estimated
	known map[int]keys
}

const (
	// mostReviewed is the number of rows of a table up to which predicates are evaluated on all of them.
	mostReviewed = 128 << 10
	// mostKeys bounds the keys that are kept of the rows; others are dropped at even distances.
	mostKeys = 1024
)

// keys holds the values of an integer column in the rows that predicates keep.
type keys struct {
	values []float64 // ascending; a part of them if there are many
	each   float64   // number of rows that a value stands for
	ok     bool
}

// reviewedRows returns the description of a scan's rows after its predicates, or nil if they are not
// reviewed.
func reviewedRows(in *Props, preds []expr.Expr, rows float64) *reviewed {
	if in.scan == nil || in.looks == nil || in.Rows < leastSampled || in.Rows > mostReviewed {
		return nil
	}
	if _, ok := in.scan.Table.(catalog.Reviewer); !ok {
		return nil
	}
	return &reviewed{in, preds, rows, map[int]keys{}}
}

// keysOf returns the values of a column of the table in the rows that are kept.
func (k *reviewed) keysOf(ordinal int) keys {
	found, ok := k.known[ordinal]
	if !ok {
		found = k.find(ordinal)
		k.known[ordinal] = found
	}
	return found
}

func (k *reviewed) find(ordinal int) keys {
	at := slices.Index(k.in.scan.Ordinals, ordinal)
	if at < 0 || ordinal == catalog.RowID {
		return keys{}
	}
	key := k.in.scan.Columns[at]
	if key.T.Kind() != types.KindI64 {
		return keys{}
	}
	whole := append(slices.Clone(k.preds), key.Ref())
	s, ok := k.in.sampleOf(whole...)
	if !ok {
		return keys{}
	}
	return remembered(&s, map[look]keys{}, 'k', &expr.Call{Fn: expr.FuncAnd, Args: whole, T: types.T(types.Int64)}, func() keys { return k.review(&s, key) })
}

// chosen returns all rows of the table, and the numbers of those that are kept.
func (k *reviewed) chosen(s *sample) (*vec.Batch, []int32, bool) {
	rows := k.in.scan.Table.(catalog.Reviewer).Review(s.ordinals, mostReviewed)
	if rows == nil || rows.N == 0 {
		return nil, nil, false
	}
	preds := make([]expr.Expr, len(k.preds))
	for i, e := range k.preds {
		preds[i] = expr.Map(e, likelyConst)
	}
	f, err := eval.CompileFilter(preds, s.ids)
	if err != nil {
		return nil, nil, false
	}
	idx, all, err := f.NewEvaluator(kernel.Tentative(nil)).Select(rows)
	if all {
		idx = make([]int32, rows.N)
		for i := range idx {
			idx[i] = int32(i)
		}
	}
	return rows, idx, err == nil
}

// review finds the values of a column in the rows that are kept.
func (k *reviewed) review(s *sample, key logical.Column) keys {
	rows, idx, ok := k.chosen(s)
	if !ok {
		return keys{}
	}
	col := rows.Cols[slices.Index(s.ids, key.ID)]
	step := max(1, len(idx)/mostKeys)
	values := make([]int64, 0, len(idx))
	for _, i := range idx {
		if col.Null == nil || !col.Null[i] {
			values = append(values, col.I64[i])
		}
	}
	slices.Sort(values)
	out := keys{each: float64(step), ok: true}
	for i := 0; i < len(values); i += step {
		out.values = append(out.values, float64(values[i]))
	}
	return out
}

// far is the share of a column's values within the other side's range below which it matters which
// rows a filter keeps.
const far = 0.9

// farther is such a share below which rows that were not reviewed are assumed to be within the range.
const farther = 0.25

// keptShare estimates a = b where a is filtered and most of its table's values lie outside the range of
// b. inside is the share of values within that range.
func keptShare(a, b *Column, inside float64) (float64, bool) {
	if a.reviewed == nil || inside >= far || !b.Type.IsInteger() {
		return 0, false
	}
	k := a.reviewed.keysOf(a.ordinal)
	if !k.ok {
		return 0, false
	}
	d, partners := b.distribution(), 0.0
	for _, x := range k.values {
		partners += d.upTo(x) - d.upTo(x-1)
	}
	return partners * k.each * (1 - b.Null) / max(1, a.reviewed.rows), true
}

// foundFar is keysFound for two columns most of whose values on one side lie beyond those of the other.
func foundFar(key keyPair, l, r *Props) (float64, bool) {
	a, aok := columnOf(key.l, l)
	b, bok := columnOf(key.r, r)
	if !aok || !bok || !a.Bounded || !b.Bounded || a.Type.Kind() != b.Type.Kind() {
		return 0, false
	}
	lo, hi := max(a.Lo, b.Lo), min(a.Hi, b.Hi)
	if lo > hi {
		return 0, true
	}
	insideA, insideB := a.rangeShare(lo, hi, false, false), b.rangeShare(lo, hi, false, false)
	if share, ok := keptShare(&b, &a, insideB); ok {
		return min(1, share*min(r.Rows, b.reviewed.rows)/max(1-a.Null, tiny)), true
	}
	if share, ok := withinShare(&a, &b, insideA); ok {
		return min(1, share*b.NDV/max(b.Domain, 1)), true
	}
	if in := clipped(&a, insideA, l.Rows); in > insideA {
		return min(1, in/max(1-a.Null, tiny)*min(1, b.NDV/max(b.Domain, shrink(a.Domain, insideA, 1-a.Null)))), true
	}
	if insideB >= farther {
		return 0, false
	}
	inside := shrink(b.Domain, insideB, 1-b.Null) // of the other side's range
	return min(1, min(b.NDV, inside)/max(a.Domain, inside)), true
}

// withinShare returns the share of the rows kept of a, whose values lie far beyond those of b, that are
// within b's range.
func withinShare(a, b *Column, inside float64) (float64, bool) {
	if a.reviewed == nil || inside >= far {
		return 0, false
	}
	k := a.reviewed.keysOf(a.ordinal)
	if !k.ok || len(k.values) == 0 {
		return 0, k.ok
	}
	from, _ := slices.BinarySearch(k.values, b.Lo)
	to, _ := slices.BinarySearch(k.values, b.Hi+1)
	return float64(to-from) / float64(len(k.values)), true
}

// combinations returns how many combinations of values the columns have in the rows that are kept.
func (k *reviewed) combinations(ordinals []int) (float64, bool) {
	whole := slices.Clone(k.preds)
	for _, o := range ordinals {
		at := slices.Index(k.in.scan.Ordinals, o)
		if at < 0 || o == catalog.RowID {
			return 0, false
		}
		whole = append(whole, k.in.scan.Columns[at].Ref())
	}
	s, ok := k.in.sampleOf(whole...)
	if !ok {
		return 0, false
	}
	n := remembered(&s, map[look]float64{}, 'd', &expr.Call{Fn: expr.FuncAnd, Args: whole, T: types.T(types.Int64)}, func() float64 {
		rows, idx, ok := k.chosen(&s)
		if !ok {
			return -1
		}
		seen, tuple := map[string]bool{}, []byte(nil)
		for _, i := range idx {
			tuple = tuple[:0]
			for _, e := range whole[len(k.preds):] {
				d := catalog.DatumAt(rows.Cols[slices.Index(s.ids, e.(*expr.Col).ID)], int(i))
				tuple, _ = appendValue(tuple, &d)
			}
			seen[string(tuple)] = true
		}
		return float64(len(seen))
	})
	return n, n >= 0
}

// keptWithin narrows a column to the values of its rows that are kept and lie within b's range. It
// reports whether they are known.
func (a *Column) keptWithin(b *Column) bool {
	if a.reviewed == nil || !a.Bounded || !b.Bounded || a.rangeShare(b.Lo, b.Hi, false, false) >= far {
		return false
	}
	k := a.reviewed.keysOf(a.ordinal)
	if !k.ok {
		return false
	}
	from, _ := slices.BinarySearch(k.values, b.Lo)
	to, _ := slices.BinarySearch(k.values, b.Hi+1)
	if to <= from {
		return false
	}
	n := max(1, k.each*float64(to-from))
	a.Lo, a.Hi, a.NDV, a.Domain = k.values[from], k.values[to-1], min(n, a.NDV), min(n, a.Domain)
	return true
}

// review counts the values of a column in the rows that a filter keeps, which are fewer than a random
// choice of as many rows has if the column follows the filtered one, as weeks follow years.
func (a *Column) review() {
	if a.reviewed == nil || a.whole >= nearly*a.base {
		return
	}
	k := a.reviewed.keysOf(a.ordinal)
	if !k.ok || k.each > 1 || len(k.values) == 0 {
		return
	}
	n := 1.0
	for i, x := range k.values[1:] {
		if x != k.values[i] {
			n++
		}
	}
	a.NDV = min(a.NDV, n)
}

// clipped returns the share of a filtered column's rows that lie within the other side's range if it
// is not known which rows the filter keeps. A query that filters a dimension, most of whose keys the
// other side lacks, is assumed to select keys that the other side has.
func clipped(c *Column, inside, rows float64) float64 {
	if inside >= farther || c.base <= 0 || c.whole < nearly*c.base || c.whole > c.base/nearly || rows >= c.base {
		return inside
	}
	return min(1-c.Null, inside*c.base/max(1, rows))
}
