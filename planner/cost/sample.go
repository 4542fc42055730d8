package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// looks caches the results of evaluating expressions on sample rows, by expression, within a
// statement, in which columns have unique ids.
type looks struct {
	truths, wholes map[look]*samplePredicate
	ndv, numbers   map[look]float64
	moments        map[look]maybe
	paired         map[sidesPaired]*paired
}

// look is an expression over sample rows of a table.
type look struct {
	e    expr.Expr
	rows *catalog.Findings
}

func newLooks() *looks {
	return &looks{map[look]*samplePredicate{}, map[look]*samplePredicate{}, map[look]float64{}, map[look]float64{}, map[look]maybe{}, map[sidesPaired]*paired{}}
}

// leastSampled is the least number of rows of a table that is sampled.
const leastSampled = 256

// ownRows is the weight of an estimate relative to sample rows: it counts as if ownRows matching
// rows had been found among correspondingly many.
const ownRows = 0.5

// seen corrects an estimate of the share of rows for which e is true by evaluating e on sample
// rows of its columns' table. guess has the weight of a few rows (the mean of the Gamma
// distribution that these yield for a Poisson rate).
func (p *Props) seen(e expr.Expr, guess float64) float64 {
	s, ok := p.sampleOf(e)
	if !ok {
		return guess
	}
	const little = 0.02 // of the weight of the sample rows
	t, own := s.predicate(e), ownRows/max(guess, tiny)
	if own > little*float64(t.n) {
		t = s.wholePredicate(e)
	}
	if t.bits == nil {
		return guess
	}
	return clamp((ownRows+float64(t.count))/(own+float64(t.n)), 0, 1)
}

// together returns the share of rows for which all of parts are true. If they were independent,
// it would be the product of their shares; sample rows show how far they are from that. Without
// sample rows, guess is returned.
func (p *Props) together(parts []part, guess float64) float64 {
	var preds []expr.Expr
	for i := range parts {
		preds = append(preds, parts[i].preds...)
	}
	if len(preds) > maxTogether {
		return guess
	}
	s, ok := p.sampleOf(preds...)
	if !ok {
		return guess
	}
	all, expected, ok := s.all(parts)
	if !ok {
		return guess
	}
	n, product, least := float64(all.n), 1.0, 1.0
	for i := range parts {
		product, least = product*parts[i].share, min(least, parts[i].share)
	}
	// By chance the sample has more or fewer rows of each part than the table. The product
	// corrects for that if parts are independent and overcorrects if they are the same, so half
	// of the correction is applied.
	share := product
	if expected > 0 {
		share = math.Sqrt(product * expected / n)
	}
	prior := ownRows * share / max(guess, tiny)
	return min(share*(ownRows+float64(all.count))/max(prior+expected, tiny), least)
}

// maxTogether bounds the number of predicates that are evaluated together on sample rows.
const maxTogether = 8

// cheap lists the functions that are evaluated on sample rows: those that take little time for
// any row, as planning cannot be cancelled.
var cheap = map[expr.FuncID]bool{
	expr.FuncEQ: true, expr.FuncNE: true, expr.FuncLT: true, expr.FuncLE: true, expr.FuncGT: true, expr.FuncGE: true, expr.FuncNullSafeEQ: true, expr.FuncIn: true, expr.FuncLike: true, expr.FuncIsNull: true,
	expr.FuncAnd: true, expr.FuncOr: true, expr.FuncXor: true, expr.FuncNot: true, expr.FuncCase: true, expr.FuncCoalesce: true, expr.FuncCast: true,
	expr.FuncAdd: true, expr.FuncSub: true, expr.FuncMul: true, expr.FuncDiv: true, expr.FuncMod: true, expr.FuncIntDiv: true, expr.FuncNeg: true, expr.FuncAbs: true, expr.FuncSign: true, expr.FuncCeil: true, expr.FuncFloor: true, expr.FuncRound: true, expr.FuncTruncate: true,
	expr.FuncLength: true, expr.FuncCharLength: true, expr.FuncASCII: true, expr.FuncLeft: true, expr.FuncRight: true, expr.FuncSubstring: true, expr.FuncUpper: true, expr.FuncLower: true, expr.FuncTrim: true, expr.FuncLTrim: true, expr.FuncRTrim: true,
	expr.FuncExtract: true, expr.FuncDate: true, expr.FuncDateDiff: true, expr.FuncLastDay: true, expr.FuncWeek: true, expr.FuncYearWeek: true, expr.FuncDateAdd: true, expr.FuncDateSub: true,
	expr.FuncCollate: true, expr.FuncCollationKey: true, expr.FuncCollationFold: true, expr.FuncCollatedPair: true, expr.FuncCollatedValue: true,
}

// mostCalls bounds the number of calls in expressions that are evaluated on a sample.
const mostCalls = 64

// sample holds sample rows of a table.
type sample struct {
	rows     *vec.Batch
	findings *catalog.Findings
	ids      []expr.ColID // of the batch's columns
	ordinals []int        // of those columns in the table
	looks    *looks
}

// sampleOf returns sample rows of the table that the columns of the expressions belong to. ok is
// false if they belong to several tables or none, if rows are not those of the table, or if
// values depend on more than columns.
func (p *Props) sampleOf(list ...expr.Expr) (s sample, ok bool) {
	return p.rowsOf(leastSampled, list...)
}

// rowsOf is sampleOf for tables of at least the given number of rows.
func (p *Props) rowsOf(least float64, list ...expr.Expr) (s sample, ok bool) {
	var scan *logical.Scan
	good, calls := true, 0
	for _, e := range list {
		expr.Walk(e, func(e expr.Expr) bool {
			switch x := e.(type) {
			case *expr.Col:
				c := p.tableColumnOf(x.ID)
				if c == nil || scan != nil && scan != c.scan || TableRows(c.scan.Table) < least {
					good = false
					break
				}
				scan, s.looks, s.ids, s.ordinals = c.scan, c.looks, append(s.ids, x.ID), append(s.ordinals, c.ordinal)
			case *expr.Call:
				calls++
				good = good && cheap[x.Fn] && calls <= mostCalls
			case *expr.Const, *expr.Placeholder:
			default:
				good = false
			}
			return good
		})
	}
	if !good || scan == nil {
		return s, false
	}
	table, ok := scan.Table.(catalog.Sampler)
	if !ok {
		return s, false
	}
	s.rows, s.findings = table.Sample(s.ordinals)
	return s, s.rows != nil && s.rows.N > 0
}

// first returns the number of rows that are evaluated first; the others follow only if these do
// not suffice.
func (s *sample) first() int {
	const least = 4 * leastSampled
	if s.rows.N < least {
		return s.rows.N
	}
	return s.rows.N / 4
}

// values computes e for rows [from, to), flat; it returns nil if that fails.
func (s *sample) values(e expr.Expr, from, to int) *vec.Vector {
	prog, err := eval.Compile(expr.Map(e, likelyConst), s.ids)
	if err != nil {
		return nil
	}
	v, err := prog.NewEvaluator(kernel.Tentative(nil)).Eval(s.rows.Slice(from, to))
	if err != nil {
		return nil
	}
	return v.Flatten(nil)
}

// remembered returns the cached result for e on these rows, from this statement or another one,
// or else computes it. kind is a letter that identifies the kind of result.
func remembered[T any](s *sample, of map[look]T, kind byte, e expr.Expr, find func() T) T {
	at := look{e, s.findings}
	if found, ok := of[at]; ok {
		return found
	}
	var room [256]byte
	key, plain := s.appendKey(append(room[:0], kind), e)
	if found, ok := s.findings.Of(key); ok && plain {
		of[at] = found.(T)
		return of[at]
	}
	found := find()
	of[at] = found
	if plain {
		s.findings.Keep(key, found)
	}
	return found
}

// foldedNDV estimates the distinct values of an expression that maps many values to one.
func (p *Props) foldedNDV(e expr.Expr) float64 {
	s, ok := p.sampleOf(e)
	if !ok {
		return defaultFolded
	}
	return remembered(&s, s.looks.ndv, 'n', e, func() float64 {
		for _, n := range []int{s.first(), s.rows.N} {
			v := s.values(e, 0, n)
			if v == nil {
				break
			}
			const few = 0.05 // share of values that occur in one row: almost none are unseen
			if distinct, once := distinctOf(v); n == s.rows.N || once <= few*distinct {
				return distinct
			}
		}
		return defaultFolded
	})
}

// distinctOf estimates the number of distinct values in the table from the values v of sample
// rows: those present plus, from the numbers of values that occur once and twice, those not in
// the sample (Chao 1984). once is the number of values that occur in one row.
func distinctOf(v *vec.Vector) (distinct, once float64) {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		return unseen(v, v.I64)
	case types.KindF64:
		return unseen(v, v.F64)
	case types.KindDec:
		return unseen(v, v.Dec)
	case types.KindStr:
		return unseen(v, v.Str)
	}
	return 1, 0
}

func unseen[T comparable](v *vec.Vector, list []T) (distinct, once float64) {
	times := make(map[T]int, 64)
	for i, x := range list[:v.N] {
		if v.Null == nil || !v.Null[i] {
			times[x]++
		}
	}
	var twice float64
	for _, n := range times {
		switch n {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return max(1, float64(len(times))+once*max(0, once-1)/(2*(twice+1))), once
}

// number returns a row's value in a flat numeric vector; ok is false for NULL.
func number(v *vec.Vector, i int) (x float64, ok bool) {
	d := catalog.DatumAt(v, i)
	return d.Float(), !d.Null
}

func likelyConst(e expr.Expr) expr.Expr {
	if p, ok := e.(*expr.Placeholder); ok {
		return &expr.Const{Value: p.Value}
	}
	return e
}
