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

// looks are the results of evaluating expressions on sample rows, by expression: in a statement
// their columns have ids of their own.
type looks struct {
	truths, wholes map[look]*samplePredicate
	ndv, numbers   map[look]float64
	moments        map[look]maybe
	paired         map[sidesPaired]*paired
}

// look is an expression over rows that a table shows.
type look struct {
	e    expr.Expr
	rows *catalog.Findings
}

func newLooks() *looks {
	return &looks{map[look]*samplePredicate{}, map[look]*samplePredicate{}, map[look]float64{}, map[look]float64{}, map[look]maybe{}, map[sidesPaired]*paired{}}
}

// leastSampled is how many rows a table has at least of which some are looked at.
const leastSampled = 256

// ownRows is the weight of an estimate relative to what sample rows show: as if so many rows had been
// found, of as many as that takes.
const ownRows = 0.5

// seen corrects an estimate of the share of rows for which all of preds are true by what they
// are for some rows of the table that their columns are of. guess is believed as if it came from
// a few rows (the mean of the Gamma distribution that these make of Poisson's).
func (p *Props) seen(e expr.Expr, guess float64) float64 {
	s, ok := p.sampleOf(e)
	if !ok {
		return guess
	}
	const little = 0.02 // of what the rows say
	t, own := s.predicate(e), ownRows/max(guess, tiny)
	if own > little*float64(t.n) {
		t = s.wholePredicate(e)
	}
	if t.bits == nil {
		return guess
	}
	return clamp((ownRows+float64(t.count))/(own+float64(t.n)), 0, 1)
}

// together returns the share of rows for which all of parts are true. Were they independent, that
// would be the product of theirs; sample rows show how far they are from that. If they do not,
// tell, guess stands.
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
	// By chance the rows have more or fewer of each part than the table, which the product makes up
	// for where parts are independent and overdoes where they are the same: half of it is right.
	share := product
	if expected > 0 {
		share = math.Sqrt(product * expected / n)
	}
	prior := ownRows * share / max(guess, tiny)
	return min(share*(ownRows+float64(all.count))/max(prior+expected, tiny), least)
}

// maxTogether bounds the predicates of which rows are looked at.
const maxTogether = 8

// cheap are the functions that are computed for rows of a sample: those that take little time for
// a row whatever it holds, as planning cannot be cancelled.
var cheap = map[expr.FuncID]bool{
	expr.FuncEQ: true, expr.FuncNE: true, expr.FuncLT: true, expr.FuncLE: true, expr.FuncGT: true, expr.FuncGE: true, expr.FuncNullSafeEQ: true, expr.FuncIn: true, expr.FuncLike: true, expr.FuncIsNull: true,
	expr.FuncAnd: true, expr.FuncOr: true, expr.FuncXor: true, expr.FuncNot: true, expr.FuncCase: true, expr.FuncCoalesce: true, expr.FuncCast: true,
	expr.FuncAdd: true, expr.FuncSub: true, expr.FuncMul: true, expr.FuncDiv: true, expr.FuncMod: true, expr.FuncIntDiv: true, expr.FuncNeg: true, expr.FuncAbs: true, expr.FuncSign: true, expr.FuncCeil: true, expr.FuncFloor: true, expr.FuncRound: true, expr.FuncTruncate: true,
	expr.FuncLength: true, expr.FuncCharLength: true, expr.FuncASCII: true, expr.FuncLeft: true, expr.FuncRight: true, expr.FuncSubstring: true, expr.FuncUpper: true, expr.FuncLower: true, expr.FuncTrim: true, expr.FuncLTrim: true, expr.FuncRTrim: true,
	expr.FuncExtract: true, expr.FuncDate: true, expr.FuncDateDiff: true, expr.FuncLastDay: true, expr.FuncWeek: true, expr.FuncYearWeek: true, expr.FuncDateAdd: true, expr.FuncDateSub: true,
	expr.FuncCollate: true, expr.FuncCollationKey: true, expr.FuncCollationFold: true, expr.FuncCollatedPair: true, expr.FuncCollatedValue: true,
}

// mostCalls bounds the calls of expressions that are computed for a sample.
const mostCalls = 64

// sample are some rows of a table.
type sample struct {
	rows     *vec.Batch
	findings *catalog.Findings
	ids      []expr.ColID // of the batch's columns
	ordinals []int        // of these
	looks    *looks
}

// sampleOf returns some rows of the table that the columns of expressions are of. ok is false where
// they are of several tables or none, where rows are not those of the table, and where values
// depend on more than columns.
func (p *Props) sampleOf(list ...expr.Expr) (s sample, ok bool) {
	return p.rowsOf(leastSampled, list...)
}

// rowsOf is sampleOf for tables of at least so many rows.
func (p *Props) rowsOf(least float64, list ...expr.Expr) (s sample, ok bool) {
	var scan *logical.Scan
	good, calls := true, 0
	for _, e := range list {
		expr.Walk(e, func(e expr.Expr) bool {
			switch x := e.(type) {
			case *expr.Col:
				c, known := p.Col(x.ID)
				good = good && known && c.looks != nil && (scan == nil || scan == c.scan)
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
	if !good || scan == nil || TableRows(scan.Table) < least {
		return s, false
	}
	table, ok := scan.Table.(catalog.Sampler)
	if !ok {
		return s, false
	}
	s.rows, s.findings = table.Sample(s.ordinals)
	return s, s.rows != nil && s.rows.N > 0
}

// first returns how many of the rows are looked at first; the others only if these do not suffice.
func (s *sample) first() int {
	const least = 4 * leastSampled
	if s.rows.N < least {
		return s.rows.N
	}
	return s.rows.N / 4
}

// values computes e for rows [from, to), flat; nil where that fails.
func (s *sample) values(e expr.Expr, from, to int) *vec.Vector {
	prog, err := eval.Compile(expr.Map(e, likelyConst), s.ids)
	if err != nil {
		return nil
	}
	v, err := prog.NewEvaluator(kernel.Ctx{}).Eval(s.rows.Slice(from, to))
	if err != nil {
		return nil
	}
	return v.Flatten(nil)
}

// remembered returns what was found of e in these rows before, in this statement or another one,
// and else finds it. kind is a letter for what it is.
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
			const few = 0.05 // of values that one row has: hardly any is unseen
			if distinct, once := distinctOf(v); n == s.rows.N || once <= few*distinct {
				return distinct
			}
		}
		return defaultFolded
	})
}

// distinctOf estimates how many distinct values there are where some rows have those of v: these
// and, by how many are there once or twice, those that they do not show (Chao 1984). once are those
// that one row has.
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

// number returns the value of a row of a flat numeric vector; ok is false for NULL.
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
