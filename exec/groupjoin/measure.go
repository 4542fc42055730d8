package groupjoin

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// measure aggregates an argument over windows of the index.
type measure interface {
	// windows computes the aggregate over each of the windows.
	windows(s *spans, out *results) error
	// sweep does so for rows [from, to) of a sweep's windows, in which positions enter in
	// the order of at; total has the memory of the sweep's trees.
	sweep(w *sweeping, from, to int, out *results) error
	// emit writes rows sel of the results to dst, which is flat with as many slots.
	emit(out *results, sel []int32, dst *vec.Vector) error
	// layout tells which of the results' values the measure needs.
	layout() layout
	free()
}

// layout says what a measure computes beside the number of values met.
type layout uint8

const (
	countOnly layout = iota
	exactSum
	floatSum
	wordExtreme
)

// results are a measure's values, one a row of the probe side.
type results struct {
	count []int64 // values met that are not NULL
	exact []accum.Exact
	float []float64
	word  []uint64
}

// resize makes room for n values on the Go heap.
func (r *results) resize(l layout, n int) {
	if cap(r.count) < n {
		r.count = make([]int64, n)
		switch l {
		case exactSum:
			r.exact = make([]accum.Exact, n)
		case floatSum:
			r.float = make([]float64, n)
		case wordExtreme:
			r.word = make([]uint64, n)
		}
	}
	r.count = r.count[:n]
	switch l {
	case exactSum:
		r.exact = r.exact[:n]
	case floatSum:
		r.float = r.float[:n]
	case wordExtreme:
		r.word = r.word[:n]
	}
}

// part gives results [from, to).
func (r *results) part(from, to int) results {
	out := results{count: r.count[from:to]}
	switch {
	case r.exact != nil:
		out.exact = r.exact[from:to]
	case r.float != nil:
		out.float = r.float[from:to]
	case r.word != nil:
		out.word = r.word[from:to]
	}
	return out
}

// newMeasure makes the structure for an aggregate whose argument's values by row are v,
// flat, nil for COUNT(*); rows are the rows by position.
func newMeasure(a *expr.Agg, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	p, err := newPresence(v, rows, acct)
	if err != nil {
		return nil, err
	}
	m, err := newValues(a, p, v, rows, acct)
	if err != nil {
		p.free()
	}
	return m, err
}

func newValues(a *expr.Agg, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	switch a.Fn {
	case expr.CountStar, expr.Count:
		return &counting{p}, nil
	case expr.Sum:
		if v.Type.Kind() == types.KindF64 {
			return newFloatSums(p, v, rows, acct)
		}
		return newExactSums(a, p, v, rows, acct)
	case expr.Min, expr.Max:
		return newExtremes(a.Fn == expr.Max, p, v, rows, acct)
	}
	return nil, sqlerr.Internal("aggregate %s has no index", a)
}

// presence counts the values that are not NULL up to each position; prefix is nil where
// none is NULL.
type presence struct{ prefix *mem.Buffer[int64] }

func newPresence(v *vec.Vector, rows []int32, acct *mem.Account) (*presence, error) {
	if v == nil || v.Null == nil && v.Type.ID != types.Null {
		return &presence{}, nil
	}
	prefix, err := mem.Alloc[int64](acct, len(rows)+1)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for k, r := range rows {
		if !v.IsNull(int(r)) {
			n++
		}
		prefix.S[k+1] = n
	}
	return &presence{prefix}, nil
}

// has tells whether the value at a position is not NULL.
func (p *presence) has(at int32) bool { return p.prefix == nil || p.prefix.S[at+1] > p.prefix.S[at] }

func (p *presence) count(s *spans, dst []int64) {
	if p.prefix == nil {
		for i := range dst {
			dst[i] = s.rows(i)
		}
		return
	}
	prefix := p.prefix.S
	for i := range dst {
		dst[i] = prefix[s.hi[i]] - prefix[s.lo[i]]
	}
	if s.lo2 != nil {
		for i := range dst {
			dst[i] += prefix[s.hi2[i]] - prefix[s.lo2[i]]
		}
	}
}

func (p *presence) free() {
	if p != nil {
		p.prefix.Free()
	}
}

// counting is COUNT.
type counting struct{ *presence }

func (c *counting) layout() layout { return countOnly }

func (c *counting) windows(s *spans, out *results) error {
	c.count(s, out.count)
	return nil
}

func (c *counting) emit(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		dst.I64[k] = out.count[i]
	}
	return nil
}

// exactSums is SUM of integers and decimals: prefix sums in 128 bits.
type exactSums struct {
	*presence
	prefix *mem.Buffer[accum.Exact]
	name   string
	scale  int
}

func newExactSums(a *expr.Agg, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	prefix, err := mem.Alloc[accum.Exact](acct, len(rows)+1)
	if err != nil {
		return nil, err
	}
	m := &exactSums{p, prefix, a.String(), int(v.Type.Scale)}
	var sum accum.Exact
	for k, r := range rows {
		if p.has(int32(k)) {
			if lo, hi := exactValue(v, r); !sum.AddChecked(lo, hi) {
				m.prefix.Free()
				return nil, m.overflow()
			}
		}
		prefix.S[k+1] = sum
	}
	return m, nil
}

// exactValue gives the value of a row in 128 bits.
func exactValue(v *vec.Vector, row int32) (lo uint64, hi int64) {
	switch v.Type.Kind() {
	case types.KindI64:
		return uint64(v.I64[row]), v.I64[row] >> 63
	case types.KindU64:
		return uint64(v.I64[row]), 0
	case types.KindDec:
		return v.Dec[row].LowBits(), v.Dec[row].HighBits()
	}
	return 0, 0
}

func (m *exactSums) overflow() error {
	return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", m.name)
}

func (m *exactSums) layout() layout { return exactSum }

func (m *exactSums) windows(s *spans, out *results) error {
	m.count(s, out.count)
	prefix := m.prefix.S
	ok := true
	for i := range out.exact {
		t, before := prefix[s.hi[i]], prefix[s.lo[i]]
		ok = t.SubChecked(before.Lo, before.Hi) && ok
		out.exact[i] = t
	}
	if s.lo2 != nil {
		for i := range out.exact {
			t, before := prefix[s.hi2[i]], prefix[s.lo2[i]]
			ok = t.SubChecked(before.Lo, before.Hi) && ok
			ok = out.exact[i].AddChecked(t.Lo, t.Hi) && ok
		}
	}
	if !ok {
		return m.overflow()
	}
	return nil
}

func (m *exactSums) emit(out *results, sel []int32, dst *vec.Vector) error {
	for k, i := range sel {
		if out.count[i] == 0 {
			dst.SetNull(k)
			dst.Dec[k] = decimal128.Num{}
		} else if !out.exact[i].Sum(dst, k, m.scale) {
			return m.overflow()
		}
	}
	return nil
}

func (m *exactSums) free() {
	m.presence.free()
	m.prefix.Free()
}
