package groupjoin

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// measure aggregates an argument over windows of the index.
type measure interface {
	emitter
	// windows computes the aggregate over each of the windows.
	windows(s *windowList, out *results) error
	// sweep does the same for rows [from, to) of a sweep's windows, in which positions enter in
	// the order of at.
	sweep(w *sweeping, from, to int, out *results) error
	// whole reports whether no value is NULL.
	whole() bool
	free()
}

// newMeasure makes the measure of an aggregate whose argument has the values v by row, flat, or
// nil for COUNT(*). rows lists the rows by position.
func newMeasure(ctx *op.Ctx, a *expr.Agg, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	p, err := newPresence(ctx, v, rows, acct)
	if err != nil {
		return nil, err
	}
	m, err := newValues(ctx, a, p, v, rows, acct)
	if err != nil {
		p.free()
	}
	return m, err
}

func newValues(ctx *op.Ctx, a *expr.Agg, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (measure, error) {
	switch a.Fn {
	case expr.CountStar, expr.Count:
		return &counting{presence: p}, nil
	case expr.Sum:
		if v.Type.Kind() == types.KindF64 {
			return newFloatSums(ctx, p, v, rows, acct)
		}
		return newExactSums(ctx, a, p, v, rows, acct)
	case expr.Min, expr.Max:
		return newExtremes(ctx, a.Fn == expr.Max, p, v, rows, acct)
	}
	return nil, sqlerr.Internal("aggregate %s has no index", a)
}

// presence counts the values that are not NULL up to each position; prefix is nil if none is
// NULL.
type presence struct{ prefix *mem.Buffer[int64] }

func newPresence(ctx *op.Ctx, v *vec.Vector, rows []int32, acct *mem.Account) (*presence, error) {
	if v == nil || v.Null == nil && v.Type.ID != types.Null {
		return &presence{}, nil
	}
	prefix, err := mem.Alloc[int64](acct, len(rows)+1)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for k, r := range rows {
		if err := look(ctx, k); err != nil {
			prefix.Free()
			return nil, err
		}
		if !v.IsNull(int(r)) {
			n++
		}
		prefix.S[k+1] = n
	}
	return &presence{prefix}, nil
}

func (p *presence) whole() bool { return p.prefix == nil }

// has reports whether the value at a position is not NULL.
func (p *presence) has(at int32) bool { return p.prefix == nil || p.prefix.S[at+1] > p.prefix.S[at] }

func (p *presence) count(s *windowList, dst []int64) {
	if p.prefix == nil {
		for i := range dst {
			dst[i] = s.rows(i)
		}
		return
	}
	s.sums(p.prefix.S, dst)
}

func (p *presence) free() {
	if p != nil {
		p.prefix.Free()
	}
}

// counting is COUNT.
type counting struct {
	countOut
	*presence
}

func (c *counting) windows(s *windowList, out *results) error {
	c.count(s, out.count)
	return nil
}

// exactSums is SUM of integers and decimals: prefix sums in 64 bits, or in 128.
type exactSums struct {
	exactOut
	*presence
	sums   *mem.Buffer[int64] // if they fit in 64 bits
	prefix *mem.Buffer[accum.Exact]
}

func newExactSums(ctx *op.Ctx, a *expr.Agg, p *presence, v *vec.Vector, rows []int32, acct *mem.Account) (_ measure, err error) {
	m := &exactSums{exactOut: newExactOut(a, v), presence: p}
	if m.small {
		m.sums, err = smallPrefix(ctx, v, p, rows, acct)
		return m, err
	}
	if m.prefix, err = mem.Alloc[accum.Exact](acct, len(rows)+1); err != nil {
		return nil, err
	}
	var sum accum.Exact
	for k, r := range rows {
		if err := look(ctx, k); err != nil {
			m.prefix.Free()
			return nil, err
		}
		if p.has(int32(k)) {
			if lo, hi := exactValue(v, r); !sum.AddChecked(lo, hi) {
				m.prefix.Free()
				return nil, m.overflow()
			}
		}
		m.prefix.S[k+1] = sum
	}
	return m, nil
}

// smallPrefix returns the prefix sums of values whose sums fit in 64 bits.
func smallPrefix(ctx *op.Ctx, v *vec.Vector, p *presence, rows []int32, acct *mem.Account) (*mem.Buffer[int64], error) {
	b, err := mem.Alloc[int64](acct, len(rows)+1)
	if err != nil {
		return nil, err
	}
	sums, sum := b.S[1:], int64(0)
	for k, r := range rows {
		if err := look(ctx, k); err != nil {
			b.Free()
			return nil, err
		}
		if p.has(int32(k)) {
			sum += smallValue(v, r)
		}
		sums[k] = sum
	}
	return b, nil
}

// smallValue returns the value of a row if it fits in 64 bits.
func smallValue(v *vec.Vector, row int32) int64 {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		return v.I64[row]
	case types.KindDec:
		return int64(v.Dec[row].LowBits())
	}
	return 0
}

// exactValue returns the value of a row in 128 bits.
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

func (m *exactSums) windows(s *windowList, out *results) error {
	m.count(s, out.count)
	if m.small {
		s.sums(m.sums.S, out.small)
		return nil
	}
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

func (m *exactSums) free() {
	m.presence.free()
	m.sums.Free()
	m.prefix.Free()
}
