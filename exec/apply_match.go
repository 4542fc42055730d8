package exec

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// pairs are candidates: row outer[i] of the outer batch is paired with row inner[i] of some inner
// rows.
type pairs struct{ outer, inner []int32 }

// matches holds the result for the rows of an outer batch: the pairs at hand for which On is true
// and, for each row, the number of such pairs so far and whether On was NULL for a candidate.
type matches struct {
	pairs
	count []int32
	null  []bool
}

// reset makes m the matches of n rows, none of which has a partner yet.
func (m *matches) reset(n int) {
	if cap(m.count) < n {
		m.count, m.null = make([]int32, n), make([]bool, n)
	}
	m.count, m.null = m.count[:n], m.null[:n]
	clear(m.count)
	clear(m.null)
}

// match evaluates On for the candidates, which have inner rows of right, and returns the output of
// those for which it is true. The outer rows from..to-1 have had all their candidates, and all
// candidates are of these rows or of row to.
func (s *applying) match(right *vec.Batch, from, to int) (*vec.Batch, error) {
	p, m := &s.pairs, &s.matches
	verdict, err := s.verdicts(right)
	if err != nil {
		return nil, err
	}
	m.outer, m.inner = m.outer[:0], m.inner[:0]
	for i, x := range verdict {
		row := p.outer[i]
		switch x {
		case 0:
			m.outer, m.inner = append(m.outer, row), append(m.inner, p.inner[i])
			if m.count[row]++; m.count[row] > 1 && s.a.plan.Type == logical.Single {
				return nil, sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
			}
		case 1:
			m.null[row] = true
		}
	}
	p.outer, p.inner = p.outer[:0], p.inner[:0]
	if !s.a.returnsPairs() {
		return nil, nil
	}
	if s.a.padded() {
		m.pad(from, to)
	}
	return s.output(vec.Select(s.outer, m.outer), vec.Select(right, m.inner), nil), nil
}

// verdicts returns 0, 1 or 2 for each candidate: On is true, NULL or false.
func (s *applying) verdicts(right *vec.Batch) ([]int8, error) {
	verdict := make([]int8, len(s.pairs.outer))
	if len(s.on) == 0 || len(verdict) == 0 {
		return verdict, nil
	}
	both := vec.Select(s.outer, s.pairs.outer)
	both.Cols = append(both.Cols, vec.Select(right, s.pairs.inner).Cols...)
	for _, e := range s.on {
		v, err := e.Eval(both)
		if err != nil {
			return nil, err
		}
		judge(v, verdict)
	}
	return verdict, nil
}

// judge merges the values of one conjunct of On into the verdicts.
func judge(v *vec.Vector, verdict []int8) {
	v = v.Flatten(nil)
	for i := range verdict {
		switch {
		case v.Type.ID == types.Null || v.Null != nil && v.Null[i]:
			verdict[i] = max(verdict[i], 1)
		case v.I64[i] == 0:
			verdict[i] = 2
		}
	}
}

// output returns the output columns of some rows, or nil if there are none.
func (s *applying) output(outer, inner *vec.Batch, mark *vec.Vector) *vec.Batch {
	if outer.N == 0 {
		return nil
	}
	out := &vec.Batch{N: outer.N, Morsel: outer.Morsel, Cols: make([]*vec.Vector, len(s.a.out))}
	for i, src := range s.a.out {
		switch src.side {
		case 0:
			out.Cols[i] = outer.Cols[src.col]
		case 1:
			out.Cols[i] = inner.Cols[src.col]
		case 2:
			out.Cols[i] = mark
		}
	}
	return out
}

// pad inserts those of the rows from..to-1 that have no partner, keeping the order of outer rows.
func (m *matches) pad(from, to int) {
	var out pairs
	i := 0
	for row := from; row < to; row++ {
		if m.count[row] == 0 {
			out.outer, out.inner = append(out.outer, int32(row)), append(out.inner, -1)
		}
		for ; i < len(m.outer) && m.outer[i] == int32(row); i++ {
			out.outer, out.inner = append(out.outer, m.outer[i]), append(out.inner, m.inner[i])
		}
	}
	if i > 0 || len(out.outer) > 0 {
		m.outer, m.inner = append(out.outer, m.outer[i:]...), append(out.inner, m.inner[i:]...)
	}
}

// marks returns TRUE for rows with a partner, NULL for other rows with a candidate for which On
// was NULL, and FALSE for the rest.
func (m *matches) marks(cols []logical.Column, id expr.ColID) *vec.Vector {
	t := types.T(types.Int64)
	for _, c := range cols {
		if c.ID == id {
			t = c.T
		}
	}
	v := vec.NewFlat(t, len(m.count))
	for row, n := range m.count {
		switch {
		case n > 0:
			v.I64[row] = 1
		case m.null[row]:
			v.SetNull(row)
		}
	}
	return v
}
