package cost

import (
	"math"
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// nearly is the share of values or rows that counts as almost all of them.
const nearly = 0.9

// keyPairs are the two sides of several equalities.
type keyPairs struct {
	l, r   side
	values float64 // combinations, if the keys' values were independent
	known  float64 // share of the pairs of rows in which no key is NULL
}

// side is one side of several equalities.
type side struct {
	p      *Props
	scan   *logical.Scan // table of all its columns
	cols   []int         // their ordinals
	mixed  bool          // its columns are not all of one table
	left   float64       // share of the table's values present on either side
	holds  bool          // each of its columns has almost all values of the other side's
	values float64       // combinations, if the columns' values were independent
	whole  float64       // the largest number of distinct values of a column in the table
	table  float64       // rows of the table
	// combined is the number of combinations of values in the table, 0 if unknown.
	combined float64
}

// values holds the numbers of distinct values of an operand: those present, those possible, and
// those in its table.
type values struct{ shown, now, whole float64 }

func newKeyPairs(keys []keyPair, l, r *Props) *keyPairs {
	k := &keyPairs{values: 1, known: 1}
	k.l, k.r = side{p: l, holds: true, left: 1, values: 1}, side{p: r, holds: true, left: 1, values: 1}
	for i := range keys {
		a, b := k.l.add(keys[i].l), k.r.add(keys[i].r)
		both := max(a.now, b.now)
		k.l.count(a, b, both)
		k.r.count(b, a, both)
		k.values *= both
		k.known *= (1 - l.nullShare(keys[i].l)) * (1 - r.nullShare(keys[i].r))
	}
	k.l.combine()
	k.r.combine()
	return k
}

// add records an operand of this side.
func (s *side) add(e expr.Expr) values {
	c, ok := columnOf(e, s.p)
	if !ok || c.scan == nil || s.scan != nil && s.scan != c.scan {
		s.mixed = true
		n := s.p.domain(e)
		return values{s.p.NDV(e), n, n}
	}
	if s.scan == nil {
		s.scan, s.table = c.scan, c.base
	}
	s.cols = append(s.cols, c.ordinal)
	return values{c.NDV, c.Domain, c.whole}
}

// count records the values of an operand and of the other side's; both is the number of values of
// the two sides together.
func (s *side) count(mine, other values, both float64) {
	s.holds = s.holds && mine.whole >= nearly*other.whole
	s.left *= min(1, both/max(1, mine.whole))
	s.values *= mine.shown
	s.whole = max(s.whole, mine.whole)
}

// combine asks the table how many combinations of values the columns have.
func (s *side) combine() {
	if s.mixed || s.scan == nil || len(s.cols) < 2 {
		return
	}
	if s.keyed() {
		s.combined = s.table
	} else if t, ok := s.scan.Table.(catalog.Combiner); ok {
		if n, ok := t.Combinations(s.cols); ok {
			s.combined = max(n, s.whole)
		}
	}
}

// combinations returns the number of combinations of values that the sides' keys have together.
// The combinations of the smaller side are assumed to be a subset of those of the larger, or of
// its parent by a foreign key. If a side's number of combinations is unknown, its rows bound it,
// and being the parent of the other side is assumed with a probability of one half.
func (k *keyPairs) combinations() float64 {
	most := max(k.l.bound(), k.r.bound())
	limit := most
	for _, s := range [][2]*side{{&k.l, &k.r}, {&k.r, &k.l}} {
		parent, child := s[0], s[1]
		switch n := parent.bound(); {
		case !parent.holds || parent.mixed:
		case parent.unique() && parent.mayDetermine(child):
			limit = min(limit, n)
		case child.mixed && parent.whole >= nearly*parent.table: // another table's column is compared in addition to a key
			return max(1, k.values)
		case parent.combined == 0 || child.combined == 0:
			limit = min(limit, math.Sqrt(n*most))
		}
	}
	return max(1, min(k.values, limit))
}

// mayDetermine reports whether the child's keys may all be keys of this side, which is unique.
// The child must not have more combinations; if these are unknown, no single column of this side may
// be unique: otherwise the other columns are merely compared in addition to a foreign key.
func (s *side) mayDetermine(child *side) bool {
	if child.combined > 0 {
		const sampling = 1.5
		return child.bound() < sampling*s.bound()
	}
	return s.whole < nearly*s.table
}

// found returns the share of the combinations possible on both sides that occur in rows of the
// right side.
func (k *keyPairs) found() float64 {
	s, all := &k.r, k.combinations()
	shown := drawn(s.values, s.p.Rows)
	if s.combined > 0 {
		shown = min(shown, all, thin(s.combined*s.left, s.table*s.left, s.p.Rows))
		if s.unique() {
			shown = min(s.p.Rows, all)
		}
	}
	return min(1, shown/all)
}

// bound returns an upper bound of a side's combinations.
func (s *side) bound() float64 {
	switch {
	case s.mixed || s.scan == nil:
		return max(1, s.p.Rows)
	case s.combined > 0:
		return max(1, s.combined*s.left)
	}
	return max(1, s.table*s.left)
}

// unique reports whether few rows of the table share a combination.
func (s *side) unique() bool {
	return s.combined > nearly*s.table || s.combined == 0 && s.keyed()
}

// keyed reports whether all columns of some unique key are columns of the side.
func (s *side) keyed() bool {
	for _, ix := range s.scan.Table.Schema().Indexes {
		if (ix.Unique || ix.Primary) && !slices.ContainsFunc(ix.Columns, func(c int) bool { return !slices.Contains(s.cols, c) }) {
			return true
		}
	}
	return false
}

// domain returns the number of distinct values from which those of an expression are drawn.
func (p *Props) domain(e expr.Expr) float64 {
	if c, ok := columnOf(e, p); ok {
		return c.Domain
	}
	return p.NDV(e)
}

// mostByKey bounds the number of rows of a table by predicates that leave few values of each
// column of a multi-column unique key. The shares of the individual columns underestimate this
// effect.
func (p *Props) mostByKey(preds []expr.Expr) float64 {
	most := math.Inf(1)
	if p.scan == nil || len(preds) < 2 {
		return most
	}
	for _, ix := range p.scan.Table.Schema().Indexes {
		if !ix.Unique && !ix.Primary || len(ix.Columns) < 2 {
			continue
		}
		rows := 1.0
		for _, c := range ix.Columns {
			rows *= p.valuesLeft(preds, c)
		}
		most = min(most, rows)
	}
	return most
}

// valuesLeft returns the number of values of a table's column that satisfy equalities.
func (p *Props) valuesLeft(preds []expr.Expr, ordinal int) float64 {
	least := math.Inf(1)
	for _, e := range preds {
		call, ok := e.(*expr.Call)
		if !ok || call.Fn != expr.FuncEQ && call.Fn != expr.FuncIn {
			continue
		}
		col, others := call.Args[0], call.Args[1:]
		if _, ok := bareCol(col); !ok && call.Fn == expr.FuncEQ {
			col, others = call.Args[1], call.Args[:1]
		}
		c, ok := bareCol(col)
		if !ok || slices.ContainsFunc(others, func(e expr.Expr) bool { _, known := expr.Likely(e); return !known }) {
			continue
		}
		if known, ok := p.Col(c.ID); ok && known.scan != nil && known.ordinal == ordinal {
			least = min(least, float64(len(others)))
		}
	}
	return least
}

// valued describes the values of several columns of one scan.
type valued struct {
	scan  *logical.Scan
	count float64 // combinations, if the columns' values were independent
	key   float64 // values of a column that is different in each row of the table; 0: none
	rows  float64 // of the table
	cols  []int
	left  float64 // share of the table's combinations that remain
	most  float64 // values of the column that has the most
	kept  *reviewed
}

// combinationsOf returns the number of combinations that the values of columns may have, judging
// by the tables' keys: if a column is different in each row, the other columns of its table add
// none. The columns of one table have no more combinations than it has rows; most bounds the
// total. drawn is set if the rows contain only some of the combinations, as with independent
// columns.
func combinationsOf(in *Props, keys []logical.Column) (count, most float64, drawn bool) {
	var room [4]valued
	scans, computed, free := room[:0], 0, false
	count, most = 1, 1
	for _, k := range keys {
		c, ok := in.Col(k.ID)
		if !ok {
			continue
		}
		n := c.NDV
		if c.Null > 0 {
			n++
		}
		if c.scan == nil {
			count, most, computed = count*n, most*n, computed+1
			continue
		}
		at := slices.IndexFunc(scans, func(v valued) bool { return v.scan == c.scan })
		if at < 0 {
			at = len(scans)
			scans = append(scans, valued{scan: c.scan, count: 1, key: math.Inf(1), rows: max(1, c.base), left: 1})
		}
		scans[at].add(&c, n)
	}
	for i := range scans {
		v := &scans[i]
		v.combine()
		count, most = count*min(v.count, v.key), most*min(v.count, v.key, v.rows)
		free = free || v.count <= v.key && len(v.cols) > 1
	}
	return count, most, free || len(scans)+computed > 1
}

// all is the share of distinct values among a table's rows from which a column is considered a
// key.
const all = 0.99

// KeyAmong reports whether one of the columns is a key of a table that has at least as many rows
// as in, so that few rows of in share a value of it.
func KeyAmong(in *Props, cols []logical.Column) bool {
	return slices.ContainsFunc(cols, func(col logical.Column) bool {
		c, ok := in.Col(col.ID)
		return ok && c.scan != nil && c.Null == 0 && c.whole >= all*c.base && in.Rows <= c.base
	})
}

func (v *valued) add(c *Column, values float64) {
	v.count, v.cols, v.most = v.count*values, append(v.cols, c.ordinal), max(v.most, values)
	v.left *= min(1, c.Domain/max(1, c.whole))
	v.kept = c.reviewed
	if c.Null == 0 && c.whole >= all*c.base {
		v.key = min(v.key, values)
	}
}

// fewCombined is the number of combinations below which the exact number does not matter.
const fewCombined = 64

// combine asks the table how many of the combinations exist.
func (v *valued) combine() {
	if v.kept != nil && v.count > fewCombined && v.key == math.Inf(1) {
		if n, ok := v.kept.combinations(v.cols); ok {
			v.count = max(1, n)
			return
		}
	}
	t, ok := v.scan.Table.(catalog.Combiner)
	if !ok || len(v.cols) < 2 || v.count <= fewCombined || v.key < math.Inf(1) {
		return
	}
	if n, ok := t.Combinations(v.cols); ok {
		v.count = max(v.most, min(v.count, n*v.left))
	}
}
