package cost

import (
	"math"
	"slices"
	"sort"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Selectivities assumed in the absence of statistics.
const (
	defaultRange    = 1.0 / 3 // col < unknown
	defaultContains = 0.1     // LIKE '%x%', REGEXP
	defaultPrefix   = 0.05    // LIKE 'x%'
	defaultBool     = 0.5     // any other predicate
	maxBackoff      = 4       // predicates beyond these do not lower an estimate
)

// Conj returns the share of rows for which all of preds are true. Ranges on one column are first
// merged into one interval; the rest is combined with exponential back-off, because predicates on
// one table are rarely independent: the most selective counts in full, the next with its square
// root, and so on.
func Conj(preds []expr.Expr, p *Props) float64 {
	switch len(preds) {
	case 0:
		return 1
	case 1:
		return Selectivity(preds[0], p)
	}
	var room [4]span // most statements have few
	spans, parts := room[:0], make([]part, 0, len(preds))
	for i, e := range preds {
		if c, ok := comparison(e, p); ok && isRange(c.op) {
			spans = addSpan(spans, c, e)
			continue
		}
		parts = append(parts, part{preds[i : i+1], Selectivity(e, p)})
	}
	for i := range spans {
		s := &spans[i]
		parts = append(parts, part{s.preds, s.col.rangeShare(s.lo, s.hi, s.loOpen, s.hiOpen)})
	}
	if len(parts) == 1 {
		return parts[0].share
	}
	return p.together(parts, backoff(parts))
}

// part is a set of predicates that are estimated together, and the share of rows for which they
// are true.
type part struct {
	preds []expr.Expr
	share float64
}

func backoff(parts []part) float64 {
	shares := make([]float64, len(parts))
	for i := range parts {
		shares[i] = parts[i].share
	}
	sort.Float64s(shares)
	sel, exponent := 1.0, 1.0
	for i := 0; i < len(shares) && i < maxBackoff; i++ {
		sel *= math.Pow(shares[i], exponent)
		exponent /= 2
	}
	return sel
}

// span is the interval that range predicates leave for a column.
type span struct {
	id             expr.ColID
	col            Column
	lo, hi         float64
	loOpen, hiOpen bool
	preds          []expr.Expr // predicates that it comes from
}

func addSpan(spans []span, c compared, e expr.Expr) []span {
	for i := range spans {
		if s := &spans[i]; s.id == c.id {
			s.narrow(c)
			s.preds = append(s.preds, e)
			return spans
		}
	}
	s := newSpan(c)
	s.preds = []expr.Expr{e}
	return append(spans, s)
}

func newSpan(c compared) span {
	s := span{id: c.id, col: c.col, lo: math.Inf(-1), hi: math.Inf(1)}
	s.narrow(c)
	return s
}

func (s *span) narrow(c compared) {
	x, open := convert(c.value, c.col.Type), c.op == expr.FuncLT || c.op == expr.FuncGT
	switch c.op {
	case expr.FuncLT, expr.FuncLE:
		if x < s.hi || x == s.hi && open {
			s.hi, s.hiOpen = x, open
		}
	case expr.FuncGT, expr.FuncGE:
		if x > s.lo || x == s.lo && open {
			s.lo, s.loOpen = x, open
		}
	}
}

// compared is a predicate of the form column op constant.
type compared struct {
	id    expr.ColID
	col   Column
	op    expr.FuncID
	value catalog.Datum
}

func isRange(op expr.FuncID) bool {
	return op == expr.FuncLT || op == expr.FuncLE || op == expr.FuncGT || op == expr.FuncGE
}

// Mirror returns the operator with its sides swapped: a op b is b Mirror(op) a.
func Mirror(op expr.FuncID) expr.FuncID {
	switch op {
	case expr.FuncLT:
		return expr.FuncGT
	case expr.FuncLE:
		return expr.FuncGE
	case expr.FuncGT:
		return expr.FuncLT
	case expr.FuncGE:
		return expr.FuncLE
	}
	return op
}

// comparison recognises column op constant, in either order and below a cast that preserves the
// order.
func comparison(e expr.Expr, p *Props) (compared, bool) {
	call, ok := e.(*expr.Call)
	if !ok || len(call.Args) != 2 {
		return compared{}, false
	}
	switch call.Fn {
	case expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNullSafeEQ:
	default:
		return compared{}, false
	}
	if c, ok := against(call.Args[0], call.Args[1], p); ok {
		c.op = call.Fn
		return c, true
	}
	c, ok := against(call.Args[1], call.Args[0], p)
	c.op = Mirror(call.Fn)
	return c, ok
}

func against(col, value expr.Expr, p *Props) (compared, bool) {
	v, ok := expr.Likely(value)
	if !ok || v.Null {
		return compared{}, false
	}
	c, ok := bareCol(col)
	if !ok {
		return compared{}, false
	}
	cc, ok := p.Col(c.ID)
	if !ok || (cc.Type.Kind() == types.KindStr) != (v.Type.Kind() == types.KindStr) {
		return compared{}, false
	}
	return compared{id: c.ID, col: cc, value: v}, true
}

// bareCol strips casts that preserve the order of numbers and dates.
func bareCol(e expr.Expr) (*expr.Col, bool) {
	for {
		switch x := e.(type) {
		case *expr.Col:
			return x, true
		case *expr.Call:
			if x.Fn != expr.FuncCast || !keepsOrder(x.Args[0].Type(), x.T) {
				return nil, false
			}
			e = x.Args[0]
		default:
			return nil, false
		}
	}
}

func keepsOrder(from, to types.Type) bool {
	if from.IsNumeric() && to.IsNumeric() {
		return true
	}
	day := func(t types.Type) bool {
		return t.ID == types.Date || t.ID == types.Datetime || t.ID == types.Timestamp
	}
	return day(from) && day(to) || from.IsString() && to.IsString()
}

// Selectivity returns the share of rows for which e is true.
func Selectivity(e expr.Expr, p *Props) float64 {
	switch x := e.(type) {
	case *expr.Const:
		if x.Value.Null || x.Value.Float() == 0 {
			return 0
		}
		return 1
	case *expr.Call:
		share := callShare(x, p)
		if x.Fn == expr.FuncAnd || p.described(x) {
			return share
		}
		return p.seen(x, share)
	}
	return defaultBool
}

// described reports whether the statistics of a column determine for how many rows e is true.
func (p *Props) described(e *expr.Call) bool {
	switch e.Fn {
	case expr.FuncIsNull:
		_, ok := e.Args[0].(*expr.Col)
		return ok
	case expr.FuncIn:
		_, ok := bareCol(e.Args[0])
		return ok
	case expr.FuncNot:
		inner, ok := e.Args[0].(*expr.Call)
		return ok && p.described(inner)
	}
	_, ok := comparison(e, p)
	return ok
}

func callShare(e *expr.Call, p *Props) float64 {
	switch e.Fn {
	case expr.FuncAnd:
		if slices.ContainsFunc(e.Args, isAnd) {
			return Conj(expr.Conjuncts(e), p)
		}
		return Conj(e.Args, p)
	case expr.FuncOr:
		miss := 1.0
		for _, a := range e.Args {
			miss *= 1 - Selectivity(a, p)
		}
		return 1 - miss
	case expr.FuncNot:
		return notShare(e.Args[0], p)
	case expr.FuncIsNull:
		return p.nullShare(e.Args[0])
	case expr.FuncIn:
		return inShare(e, p)
	case expr.FuncLike:
		return likeShare(e, p)
	case expr.FuncRegexp:
		return defaultContains
	case expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNullSafeEQ:
		return compareShare(e, p)
	}
	return defaultBool
}

// notShare returns the share of rows for which e is false, without those for which it is NULL.
func notShare(e expr.Expr, p *Props) float64 {
	known := 1 - p.nullShare(e)
	if c, ok := e.(*expr.Call); ok && c.Fn == expr.FuncIsNull {
		known = 1
	}
	return clamp(known-Selectivity(e, p), 0, 1)
}

func isAnd(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && c.Fn == expr.FuncAnd
}

func compareShare(e *expr.Call, p *Props) float64 {
	if c, ok := comparison(e, p); ok {
		switch c.op {
		case expr.FuncEQ, expr.FuncNullSafeEQ:
			return c.col.eqShare(c.value)
		case expr.FuncNE:
			return clamp(1-c.col.Null-c.col.eqShare(c.value), 0, 1)
		}
		s := newSpan(c)
		return s.col.rangeShare(s.lo, s.hi, s.loOpen, s.hiOpen)
	}
	known := 1 - p.nullShare(e)
	eq := known / max(1, max(p.NDV(e.Args[0]), p.NDV(e.Args[1])))
	switch e.Fn {
	case expr.FuncEQ, expr.FuncNullSafeEQ:
		return eq
	case expr.FuncNE:
		return clamp(known-eq, 0, 1)
	}
	return known * defaultRange
}

func inShare(e *expr.Call, p *Props) float64 {
	var share float64
	for _, v := range e.Args[1:] {
		if c, ok := against(e.Args[0], v, p); ok {
			share += c.col.eqShare(c.value)
		} else if k, known := expr.Likely(v); !known || !k.Null {
			share += 1 / p.NDV(e.Args[0])
		}
	}
	return clamp(share, 0, 1-p.nullShare(e.Args[0]))
}

// prefixShare is the least share assumed for strings with a common prefix: a part of one bucket
// of the histogram. Strings with a prefix are concentrated in a narrow part of the interval
// between two bounds, so interpolation by their first bytes would estimate almost none.
func (c *Column) prefixShare() float64 {
	if c.hist == nil {
		return 0
	}
	return 0.25 / float64(len(c.hist.Bounds)-1)
}

// likeShare estimates a pattern without wildcards as an equality and a literal prefix
// as a range of the histogram.
func likeShare(e *expr.Call, p *Props) float64 {
	known := 1 - p.nullShare(e.Args[0])
	pattern, ok := expr.Likely(e.Args[1])
	if !ok || pattern.Null || pattern.Type.Kind() != types.KindStr {
		return known * defaultContains
	}
	prefix := pattern.Str
	i := strings.IndexAny(prefix, `%_\`)
	switch {
	case i == 0:
		if strings.Trim(prefix, "%") == "" {
			return known
		}
		return known * defaultContains
	case i > 0:
		prefix = prefix[:i]
	}
	c, ok := against(e.Args[0], &expr.Const{Value: catalog.Str(prefix)}, p)
	switch {
	case !ok:
		return known * defaultPrefix
	case i < 0:
		return c.col.eqShare(c.value)
	case !c.col.Bounded:
		return known * defaultPrefix
	}
	upper := catalog.Str(prefix + "\xff\xff\xff\xff\xff\xff\xff\xff")
	share := c.col.rangeShare(c.value.Float(), upper.Float(), false, false)
	return max(share, min(max(c.col.anyShare(), c.col.prefixShare()), known))
}
