package cost

import (
	"cmp"
	"math/bits"
	"slices"

	"gsql/internal/pairsample"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// countedPairs is how many pairs a join has at least of which some are counted: of fewer it
// matters little how many satisfy its comparisons together.
const countedPairs = 1e7

// mostPaired is how many rows of either side are paired, and manyPaired where those show fewer than
// fewFound pairs: narrow bands of two columns leave less than one pair in 100,000.
const (
	mostPaired = 512
	manyPaired = 2048
	fewFound   = 64
)

// pairedStretch is how many rows that lie side by side in a table a sample may have one after the
// other.
const pairedStretch = 8

// sidesPaired are the tables of two sides of which up to so many rows are paired.
type sidesPaired struct {
	l, r *logical.Scan
	rows int
}

// paired are pairs of rows that two tables show, of those that their scans keep, and what is
// known of comparisons on them.
type paired struct {
	rows    [2][]int
	pairs   *pairsample.Sample
	numbers map[sided]int // of conditions; negative where finding out failed
	same    bool          // both sides are the same table
}

// countedShare returns the share of the pairs of l and r that satisfy several comparisons, counted
// for pairs of the rows that their tables show: whatever the correlation of the columns.
// guess is the estimate without, which is believed as if it came from a few pairs. ok is false
// where pairs are too few to matter or some columns are not as a table has them.
func countedShare(list []sided, l, r *Props, guess float64) (share float64, ok bool) {
	if len(list) < 2 || l.Rows*r.Rows < countedPairs {
		return 0, false
	}
	var of sidesPaired
	for i, c := range list {
		here := sidesPaired{l.scanOf(c.l), r.scanOf(c.r), mostPaired}
		if i == 0 {
			of = here
		}
		if here != of || here.l == nil || here.r == nil {
			return 0, false
		}
	}
	c, ok := countPairs(list, l, r, of)
	if ok && c.found < fewFound {
		of.rows = manyPaired
		c, ok = countPairs(list, l, r, of)
	}
	if !ok {
		return 0, false
	}
	return clamp(c.share(guess, TableRows(of.l.Table)), 0, 1), true
}

// countPairs counts the pairs of rows of two tables that satisfy comparisons.
func countPairs(list []sided, l, r *Props, of sidesPaired) (count pairCount, ok bool) {
	p := l.pairedWith(r, of, list[0])
	if p == nil || p.pairs.Pairs() == 0 {
		return count, false
	}
	var numbers []int
	for _, c := range list {
		number, known := p.numbers[c]
		if !known {
			number = p.add(c, l, r)
			p.numbers[c] = number
		}
		if number < 0 {
			return count, false
		}
		numbers = append(numbers, number)
	}
	count.found, count.pairs = float64(p.pairs.Count(numbers...)), float64(p.pairs.Pairs())
	if p.same {
		p.countNear(&count, numbers)
	}
	return count, true
}

// pairCount is how many of some pairs satisfy comparisons. Where a table is joined with itself, pairs of
// a row with itself and with a neighbour are counted apart: a sample has far more of these than
// the table, and they satisfy more than others where the table has any order.
type pairCount struct {
	found, pairs         float64 // of rows that lie apart
	nearFound, nearPairs float64
	selfFound, selfPairs float64
}

// countNear takes the pairs of rows of one stretch out of c's.
func (p *paired) countNear(c *pairCount, numbers []int) {
	from := 0
	for i, row := range p.rows[0] {
		for from < len(p.rows[1]) && p.rows[1][from]/pairedStretch < row/pairedStretch {
			from++
		}
		for k := from; k < len(p.rows[1]) && p.rows[1][k]/pairedStretch == row/pairedStretch; k++ {
			found, pairs := &c.nearFound, &c.nearPairs
			if p.rows[1][k] == row {
				found, pairs = &c.selfFound, &c.selfPairs
			}
			if *pairs++; p.pairs.Has(i, k, numbers...) {
				*found++
			}
		}
	}
	c.found, c.pairs = c.found-c.nearFound-c.selfFound, c.pairs-c.nearPairs-c.selfPairs
}

// share estimates the share of all pairs that satisfy the comparisons, of a table of so many rows where
// it is joined with itself. guess is believed as if it came from a few pairs. What is true of
// neighbours is taken to be so for a quarter of the way to the next stretch of the sample.
func (c *pairCount) share(guess, rows float64) float64 {
	apart := (ownRows + c.found) / (ownRows/max(guess, tiny) + c.pairs)
	if c.nearPairs == 0 || c.selfPairs == 0 {
		return apart
	}
	near := min(1, max(2*pairedStretch, rows*pairedStretch/manyPaired/2)/rows)
	return apart*(1-near) + near*c.nearFound/c.nearPairs + c.selfFound/c.selfPairs/rows
}

// Counted reports whether the share of the pairs that satisfy some comparisons of both sides is
// counted for pairs of rows, or too small a matter to be.
func Counted(on []expr.Expr, l, r *Props) bool {
	var list []sided
	for _, e := range on {
		if a, op, b, ok := Sides(e, l, r); ok && isRange(op) {
			list = append(list, sided{a, op, b})
		}
	}
	_, ok := countedShare(list, l, r, 1)
	return ok || l.Rows*r.Rows < countedPairs
}

// scanOf returns the scan of the table that the columns of e are of; nil where there is not one
// that shows rows.
func (p *Props) scanOf(e expr.Expr) *logical.Scan {
	var scan *logical.Scan
	good := true
	expr.Walk(e, func(e expr.Expr) bool {
		if x, ok := e.(*expr.Col); ok {
			c, known := p.Col(x.ID)
			good = good && known && c.looks != nil && (scan == nil || scan == c.scan)
			scan = c.scan
		}
		return good
	})
	if !good {
		return nil
	}
	return scan
}

// pairedWith returns what is known of pairs of rows of two tables, of which a comparison has
// columns; nil where they show none.
func (p *Props) pairedWith(r *Props, of sidesPaired, c sided) *paired {
	a, some := p.sampleOf(c.l)
	b, others := r.sampleOf(c.r)
	if !some || !others {
		return nil
	}
	known, ok := a.looks.paired[of]
	if !ok {
		known = &paired{rows: [2][]int{p.kept(&a, of.l), r.kept(&b, of.r)}, numbers: map[sided]int{}}
		known.same = a.findings == b.findings
		for i, rows := range known.rows {
			known.rows[i] = thinned(rows, of.rows)
		}
		known.pairs = pairsample.New(len(known.rows[0]), len(known.rows[1]))
		a.looks.paired[of] = known
	}
	return known
}

// thinned returns most of some rows at most.
func thinned(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for i := range some {
		some[i] = rows[i*len(rows)/most]
	}
	return some
}

// kept returns the rows of a sample of a table that pass the scan's predicates, or all where hardly one
// does.
func (p *Props) kept(s *sample, scan *logical.Scan) []int {
	const few = 64
	all := make([]int, s.rows.N)
	for i := range all {
		all[i] = i
	}
	if s, ok := p.sampleOf(scan.Preds...); ok && len(scan.Preds) > 0 {
		if t, _, ok := allOf([]part{{preds: scan.Preds}}, s.wholePredicate); ok && t.count >= few {
			all = all[:0]
			for w, word := range t.bits {
				for ; word != 0; word &= word - 1 {
					all = append(all, w*64+bits.TrailingZeros64(word))
				}
			}
		}
	}
	return all
}

// add adds a comparison to the pairs' conditions and returns its number; -1 where that fails.
func (p *paired) add(c sided, l, r *Props) int {
	a, b := l.valuesAt(c.l, p.rows[0]), r.valuesAt(c.r, p.rows[1])
	if a == nil || b == nil || a.text != b.text {
		return -1
	}
	var order []int32
	for i, null := range b.null {
		if !null {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int { return b.compare(int(x), b, int(y)) })
	from, to := make([]int32, len(p.rows[0])), make([]int32, len(p.rows[0]))
	for i, null := range a.null {
		if null {
			continue
		}
		below, _ := slices.BinarySearchFunc(order, i, func(x int32, i int) int { return b.compare(int(x), a, i) })
		upTo, _ := slices.BinarySearchFunc(order, i, func(x int32, i int) int { return b.compare(int(x), a, i)*2 - 1 })
		from[i], to[i] = 0, int32(len(order))
		switch c.op {
		case expr.FuncGT:
			to[i] = int32(below)
		case expr.FuncGE:
			to[i] = int32(upTo)
		case expr.FuncLT:
			from[i] = int32(upTo)
		case expr.FuncLE:
			from[i] = int32(below)
		}
	}
	return p.pairs.Add(order, from, to, false)
}

// operandValues are the values of an operand for some rows.
type operandValues struct {
	text    bool
	texts   []string
	numbers []float64
	null    []bool
}

// valuesAt computes e for rows that a table shows; nil where that fails.
func (p *Props) valuesAt(e expr.Expr, rows []int) *operandValues {
	s, ok := p.sampleOf(e)
	if !ok {
		return nil
	}
	v := s.values(e, 0, s.rows.N)
	if v == nil {
		return nil
	}
	out := &operandValues{text: v.Type.Kind() == types.KindStr, null: make([]bool, len(rows))}
	for i, row := range rows {
		out.null[i] = v.IsNull(row)
		out.take(v, row)
	}
	return out
}

func (o *operandValues) take(v *vec.Vector, row int) {
	if o.text {
		o.texts = append(o.texts, v.Str[row])
		return
	}
	x, _ := number(v, row)
	o.numbers = append(o.numbers, x)
}

// compare compares value i with value k of b.
func (o *operandValues) compare(i int, b *operandValues, k int) int {
	if o.text {
		return cmp.Compare(o.texts[i], b.texts[k])
	}
	return cmp.Compare(o.numbers[i], b.numbers[k])
}
