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

// countedPairs is the least number of pairs of a join for which sample pairs are counted. With
// fewer pairs, the share that satisfies its comparisons together matters little.
const countedPairs = 1e7

// mostPaired is the number of rows of each side that are paired, and manyPaired the number if
// those yield fewer than fewFound pairs: narrow bands of two columns leave less than one pair in
// 100,000.
const (
	mostPaired = 512
	manyPaired = 2048
	fewFound   = 64
)

// pairedStretch is the number of adjacent table rows that a sample may contain in succession.
const pairedStretch = 8

// sidesPaired identifies the tables of two sides, and the maximum number of rows of each to pair.
type sidesPaired struct {
	l, r *logical.Scan
	rows int
}

// paired holds pairs of sample rows of two tables that pass their scans' predicates, and the
// results of comparisons on them.
type paired struct {
	rows    [2][]int
	pairs   *pairsample.Sample
	numbers map[sided]int // of conditions; negative if evaluation failed
	same    bool          // both sides are the same table
}

// countedShare returns the share of the pairs of l and r that satisfy several comparisons,
// counted among pairs of sample rows, which accounts for correlated columns. guess is the
// estimate without counting; it has the weight of a few pairs. ok is false if there are too few
// pairs to matter or if some columns are not unmodified table columns.
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

// countPairs counts the pairs of sample rows of two tables that satisfy comparisons.
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

// pairCount is the number of sample pairs that satisfy comparisons. If a table is joined with
// itself, pairs of a row with itself and with a neighbour are counted separately: they are much
// more frequent in a sample than in the table, and satisfy the comparisons more often than other
// pairs if the table has any order.
type pairCount struct {
	found, pairs         float64 // pairs of rows that are not adjacent
	nearFound, nearPairs float64
	selfFound, selfPairs float64
}

// countNear moves pairs of rows within one stretch out of c's counts of distant pairs.
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

// share estimates the share of all pairs that satisfy the comparisons; rows is the size of a
// table that is joined with itself. guess has the weight of a few pairs. The share found for
// neighbours is assumed for a quarter of the way to the next stretch of the sample.
func (c *pairCount) share(guess, rows float64) float64 {
	apart := (ownRows + c.found) / (ownRows/max(guess, tiny) + c.pairs)
	if c.nearPairs == 0 || c.selfPairs == 0 {
		return apart
	}
	near := min(1, max(2*pairedStretch, rows*pairedStretch/manyPaired/2)/rows)
	return apart*(1-near) + near*c.nearFound/c.nearPairs + c.selfFound/c.selfPairs/rows
}

// Counted reports whether the share of the pairs that satisfy some comparisons of both sides is
// counted on sample pairs, or is too small to matter.
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

// scanOf returns the scan of the table that all columns of e belong to, or nil unless there is
// exactly one such table with sample rows.
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

// pairedWith returns the sample pairs of the two tables whose columns a comparison uses, or nil
// if a table has no sample rows.
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

// thinned returns at most most of the given rows.
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

// kept returns the sample rows of a table that pass the scan's predicates, or all of them if too
// few pass.
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

// add adds a comparison to the pairs' conditions and returns its number, or -1 if that fails.
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

// operandValues holds the values of an operand for some rows.
type operandValues struct {
	text    bool
	texts   []string
	numbers []float64
	null    []bool
}

// valuesAt computes e for sample rows; it returns nil if that fails.
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
