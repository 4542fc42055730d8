package cost

import (
	"math"
	"slices"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// side is one side of several equalities.
type side struct {
	p     *Props
	scan  *logical.Scan // that all its columns are of
	cols  []int         // their ordinals
	mixed bool          // they are not
	rows  float64       // of the table that have values which one side or the other has
	holds bool          // each of its columns has about all values of the other side's
}

// values are the distinct values of an operand: those that it may have, and those of its
// table.
type values struct{ now, whole float64 }

// add notes an operand of this side.
func (s *side) add(e expr.Expr) values {
	c, ok := columnOf(e, s.p)
	if !ok || c.scan == nil || s.scan != nil && s.scan != c.scan {
		s.mixed = true
		n := s.p.domain(e)
		return values{n, n}
	}
	if s.scan == nil {
		s.scan, s.rows = c.scan, c.base
	}
	s.cols = append(s.cols, c.ordinal)
	return values{c.Domain, c.whole}
}

// count notes the values of an operand beside those of the other side's; both sides together
// have so many.
func (s *side) count(mine, other values, both float64) {
	const nearly = 0.9
	s.holds = s.holds && mine.whole >= nearly*other.whole
	s.rows *= min(1, both/max(1, mine.whole))
}

// combinations bounds the combinations of values that two sides' keys have together: those
// of the larger one, or of one that has the values of the other side. That is the parent of a
// foreign key where its columns are unique; where nothing says so, it is taken for half true.
func combinations(l, r *side) float64 {
	a, b := l.bound(), r.bound()
	most := max(a, b)
	limit := most
	for _, s := range []*side{l, r} {
		switch n := s.bound(); {
		case !s.holds || s.mixed:
		case s.unique():
			limit = min(limit, n)
		default:
			limit = min(limit, math.Sqrt(n*most))
		}
	}
	return limit
}

// bound gives the rows that a side's combinations come from.
func (s *side) bound() float64 {
	if s.mixed || s.scan == nil {
		return max(1, s.p.Rows)
	}
	return max(1, s.rows)
}

// unique tells whether a unique key has no other columns than those of the side.
func (s *side) unique() bool {
	for _, ix := range s.scan.Table.Schema().Indexes {
		if (ix.Unique || ix.Primary) && !slices.ContainsFunc(ix.Columns, func(c int) bool { return !slices.Contains(s.cols, c) }) {
			return true
		}
	}
	return false
}

// domain gives the distinct values that those of an expression are some of.
func (p *Props) domain(e expr.Expr) float64 {
	if c, ok := columnOf(e, p); ok {
		return c.Domain
	}
	return p.NDV(e)
}

// mostByKey bounds the rows of a table by predicates that leave some values of each column of
// a unique key of several columns, which the shares of the columns by themselves say too
// little of.
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

// valuesLeft gives the number of values that equalities leave of a column of the table.
func (p *Props) valuesLeft(preds []expr.Expr, ordinal int) float64 {
	least := math.Inf(1)
	for _, e := range preds {
		call, ok := e.(*expr.Call)
		if !ok || call.Fn != "=" && call.Fn != "in" {
			continue
		}
		col, others := call.Args[0], call.Args[1:]
		if _, ok := bareCol(col); !ok && call.Fn == "=" {
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

// valued are the values that columns of one scan have together.
type valued struct {
	scan  *logical.Scan
	count float64 // combinations, were each column's values free
	key   float64 // values of one of them that is different in each row of the table, if there is one
	rows  float64 // of the table
	cols  int
}

// combinationsOf gives the combinations that the values of columns may have, as far as the
// table's keys tell: where one is different in each row, the other columns of its table add
// none. Those of one table have no more combinations than it has rows: most bounds all of
// them. drawn tells whether rows show but some of them, as values of several columns do that
// have nothing to do with each other.
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
			scans = append(scans, valued{scan: c.scan, count: 1, key: math.Inf(1), rows: max(1, c.base)})
		}
		scans[at].add(&c, n)
	}
	for i := range scans {
		v := &scans[i]
		count, most = count*min(v.count, v.key), most*min(v.count, v.key, v.rows)
		free = free || v.count <= v.key && v.cols > 1
	}
	return count, most, free || len(scans)+computed > 1
}

func (v *valued) add(c *Column, values float64) {
	const nearly = 0.99
	v.count, v.cols = v.count*values, v.cols+1
	if c.Null == 0 && c.whole >= nearly*c.base {
		v.key = min(v.key, values)
	}
}
