package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// looks are what rows of tables that were looked at told of expressions, by these: in a statement
// their columns have ids of their own.
type looks struct {
	rows map[expr.Expr][]int32 // for which they are true; nil where finding out failed
	ndv  map[expr.Expr]float64
}

func newLooks() *looks { return &looks{map[expr.Expr][]int32{}, map[expr.Expr]float64{}} }

// leastSampled is how many rows a table has at least of which some are looked at.
const leastSampled = 256

// ownRows is the weight of an estimate beside what some rows show: as if so many rows had been
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
	rows, ok := s.where([]expr.Expr{e})
	if !ok {
		return guess
	}
	return clamp((ownRows+float64(len(rows)))/(ownRows/max(guess, tiny)+float64(s.rows.N)), 0, 1)
}

// together gives the share of rows for which all of parts are true. Were they independent, that
// would be the product of theirs; some rows of the table tell how far they are. Where these do not
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
	n := float64(s.rows.N)
	product, expected, least := 1.0, n, 1.0
	var all []int32
	for i := range parts {
		rows, ok := s.where(parts[i].preds)
		if !ok {
			return guess
		}
		share := parts[i].share
		product, expected, least = product*share, expected*float64(len(rows))/n, min(least, share)
		if i == 0 {
			all = rows
		} else {
			all = common(all, rows)
		}
	}
	// By chance the rows have more or fewer of each part than the table, which the product makes up
	// for where parts are independent and overdoes where they are the same: half of it is right.
	share := product
	if expected > 0 {
		share = math.Sqrt(product * expected / n)
	}
	prior := ownRows * share / max(guess, tiny)
	return min(share*(ownRows+float64(len(all)))/max(prior+expected, tiny), least)
}

// maxTogether bounds the predicates of which rows are looked at.
const maxTogether = 8

// common gives the rows that are in both of two ascending lists.
func common(a, b []int32) []int32 {
	out, at := make([]int32, 0, min(len(a), len(b))), 0
	for _, x := range a {
		for at < len(b) && b[at] < x {
			at++
		}
		if at < len(b) && b[at] == x {
			out = append(out, x)
		}
	}
	return out
}

// cheap are the functions that are computed for rows of a sample: those that take little time for
// a row whatever it holds, as planning cannot be cancelled.
var cheap = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "<=>": true, "in": true, "like": true, "isnull": true,
	"and": true, "or": true, "xor": true, "not": true, "case": true, "coalesce": true, "cast": true,
	"+": true, "-": true, "*": true, "/": true, "%": true, "div": true, "neg": true, "abs": true, "sign": true, "ceil": true, "floor": true, "round": true, "truncate": true,
	"length": true, "char_length": true, "ascii": true, "left": true, "right": true, "substring": true, "upper": true, "lower": true, "trim": true, "ltrim": true, "rtrim": true,
	"extract": true, "date": true, "datediff": true, "last_day": true, "week": true, "yearweek": true, "date_add": true, "date_sub": true,
	"collate": true, "collation_key": true, "collation_fold": true, "collated_pair": true, "collated_value": true,
}

// mostCalls bounds the calls of expressions that are computed for a sample.
const mostCalls = 64

// sample are some rows of a table.
type sample struct {
	rows  *vec.Batch
	ids   []expr.ColID // of the batch's columns
	looks *looks
}

// sampleOf gives some rows of the table that the columns of expressions are of. ok is false where
// they are of several tables or none, where rows are not those of the table, and where values
// depend on more than columns.
func (p *Props) sampleOf(list ...expr.Expr) (s sample, ok bool) {
	var scan *logical.Scan
	var ordinals []int
	good, calls := true, 0
	for _, e := range list {
		expr.Walk(e, func(e expr.Expr) bool {
			switch x := e.(type) {
			case *expr.Col:
				c, known := p.Col(x.ID)
				good = good && known && c.looks != nil && (scan == nil || scan == c.scan)
				scan, s.looks, s.ids, ordinals = c.scan, c.looks, append(s.ids, x.ID), append(ordinals, c.ordinal)
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
	if !good || scan == nil || TableRows(scan.Table) < leastSampled {
		return s, false
	}
	table, ok := scan.Table.(catalog.Sampler)
	if !ok {
		return s, false
	}
	s.rows = table.Sample(ordinals)
	return s, s.rows != nil && s.rows.N > 0
}

// where gives the rows for which all of preds are true, ascending; ok is false where finding out
// fails. The list is read-only.
func (s *sample) where(preds []expr.Expr) (rows []int32, ok bool) {
	for i, e := range preds {
		here, known := s.looks.rows[e]
		if !known {
			here = s.isTrue(e)
			s.looks.rows[e] = here
		}
		switch {
		case here == nil:
			return nil, false
		case i == 0:
			rows = here
		default:
			rows = common(rows, here)
		}
	}
	return rows, true
}

// isTrue gives the rows for which e is true, ascending; nil where finding out fails.
func (s *sample) isTrue(e expr.Expr) []int32 {
	f, err := eval.CompileFilter([]expr.Expr{expr.Map(e, likelyConst)}, s.ids)
	if err != nil {
		return nil
	}
	idx, all, err := f.NewEvaluator(eval.Ctx{}).Select(s.rows)
	switch {
	case err != nil:
		return nil
	case !all:
		return append([]int32{}, idx...)
	}
	rows := make([]int32, s.rows.N)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// sampled gives the values of e for some rows of the table that its columns are of, flat; nil
// where that fails.
func (p *Props) sampled(e expr.Expr) *vec.Vector {
	s, ok := p.sampleOf(e)
	if !ok {
		return nil
	}
	return s.values(e)
}

func (s *sample) values(e expr.Expr) *vec.Vector {
	prog, err := eval.Compile(expr.Map(e, likelyConst), s.ids)
	if err != nil {
		return nil
	}
	v, err := prog.NewEvaluator(eval.Ctx{}).Eval(s.rows)
	if err != nil {
		return nil
	}
	return v.Flatten(nil)
}

// foldedNDV estimates the distinct values of an expression that maps many values to one.
func (p *Props) foldedNDV(e expr.Expr) float64 {
	s, ok := p.sampleOf(e)
	if !ok {
		return defaultFolded
	}
	n, known := s.looks.ndv[e]
	if !known {
		n = defaultFolded
		if v := s.values(e); v != nil {
			n = distinctOf(v)
		}
		s.looks.ndv[e] = n
	}
	return n
}

// distinctOf estimates how many distinct values there are where some rows have those of v: these
// and, by how many are there once or twice, those that they do not show (Chao 1984).
func distinctOf(v *vec.Vector) float64 {
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
	return 1
}

func unseen[T comparable](v *vec.Vector, list []T) float64 {
	times := make(map[T]int, 64)
	for i, x := range list[:v.N] {
		if v.Null == nil || !v.Null[i] {
			times[x]++
		}
	}
	var once, twice float64
	for _, n := range times {
		switch n {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return max(1, float64(len(times))+once*max(0, once-1)/(2*(twice+1)))
}

// number gives the value of a row of a flat numeric vector; ok is false for NULL.
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
