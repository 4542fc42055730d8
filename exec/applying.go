package exec

import (
	"encoding/binary"
	"math"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// applying is a stream of an apply. For each outer batch it collects the inner rows of all
// bindings, pairs outer with inner rows, checks On and makes output batches of the pairs.
type applying struct {
	op.Stream
	a     *apply
	bind  []*eval.Evaluator
	on    []*eval.Evaluator
	inner *colstore.Store // inner rows of the outer batch's bindings
	queue []*vec.Batch
}

func newApplying(a *apply, s op.Stream) *applying {
	return &applying{Stream: s, a: a, bind: newEvaluators(a.bind, a.ctx.Eval), on: newEvaluators(a.on, a.ctx.Eval)}
}

func newEvaluators(ps []*eval.Program, ctx kernel.Ctx) []*eval.Evaluator {
	out := make([]*eval.Evaluator, len(ps))
	for i, p := range ps {
		out[i] = p.NewEvaluator(ctx)
	}
	return out
}

// Close implements op.Stream.
func (s *applying) Close() error {
	s.inner.Free()
	s.inner = nil
	return s.Stream.Close()
}

// Next implements op.Stream.
func (s *applying) Next() (*vec.Batch, error) {
	for {
		if len(s.queue) > 0 {
			b := s.queue[0]
			s.queue = s.queue[1:]
			return b, nil
		}
		if err := s.a.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := s.Stream.Next()
		if b == nil || err != nil {
			return nil, err
		}
		if err := s.join(b); err != nil {
			return nil, err
		}
	}
}

// span is the range of rows of s.inner that belong to a binding.
type span struct{ from, to int }

// join queues the output of one outer batch.
func (s *applying) join(b *vec.Batch) error {
	spans, err := s.bindings(b)
	if err != nil {
		return err
	}
	m := newMatches(b.N)
	p := pairs{}
	for row, sp := range spans {
		for r := sp.from; r < sp.to; r++ {
			p.outer, p.inner = append(p.outer, int32(row)), append(p.inner, int32(r))
			if len(p.outer) == s.a.ctx.Rows() {
				if err := s.check(b, &p, m); err != nil {
					return err
				}
			}
		}
	}
	if err := s.check(b, &p, m); err != nil {
		return err
	}
	return s.emit(b, m)
}

// bindings collects the inner rows for each row of b.
func (s *applying) bindings(b *vec.Batch) ([]span, error) {
	values := make([]*vec.Vector, len(s.bind))
	for i, e := range s.bind {
		v, err := e.Eval(b)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	s.inner.Free()
	s.inner = colstore.New(columnTypes(s.a.node.In[1]), s.a.account)
	known := map[string]span{}
	spans := make([]span, b.N)
	var key []byte
	for row := range spans {
		params := make([]catalog.Datum, len(values))
		key = key[:0]
		for i, v := range values {
			params[i] = catalog.DatumAt(v, row)
			key = appendKey(key, params[i])
		}
		sp, ok := known[string(key)]
		if !ok {
			rows, err := s.a.lookup(key, params)
			if err != nil {
				return nil, err
			}
			sp = span{s.inner.Rows(), s.inner.Rows() + rows.Rows()}
			if rows.Rows() > 0 {
				if err := s.inner.Append(&vec.Batch{Cols: rows.Columns(), N: rows.Rows()}); err != nil {
					return nil, err
				}
			}
			known[string(key)] = sp
		}
		spans[row] = sp
	}
	return spans, nil
}

// appendKey appends an encoding of d that is different for different values.
func appendKey(dst []byte, d catalog.Datum) []byte {
	if d.Null || d.Type.ID == types.Null {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch d.Type.Kind() {
	case types.KindF64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(d.F64))
	case types.KindDec:
		dst = binary.LittleEndian.AppendUint64(dst, d.Dec.LowBits())
		return binary.LittleEndian.AppendUint64(dst, uint64(d.Dec.HighBits()))
	case types.KindStr:
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(d.Str)))
		return append(dst, d.Str...)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(d.I64))
}

// pairs are candidates: row outer[i] of the batch is paired with row inner[i] of s.inner.
type pairs struct{ outer, inner []int32 }

// matches holds the result for the rows of a batch: the pairs for which On is true and, for each
// row, their number and whether On was NULL for a candidate.
type matches struct {
	pairs
	count []int32
	null  []bool
}

func newMatches(n int) *matches {
	return &matches{count: make([]int32, n), null: make([]bool, n)}
}

// check evaluates On for the candidates, moves those for which it is true to m and empties p.
func (s *applying) check(b *vec.Batch, p *pairs, m *matches) error {
	if len(p.outer) == 0 {
		return nil
	}
	if err := s.a.ctx.Err(); err != nil {
		return err
	}
	verdict := make([]int8, len(p.outer)) // 0 true, 1 NULL, 2 false
	if len(s.on) > 0 {
		both := vec.Select(b, p.outer)
		right := &vec.Batch{Cols: s.inner.Columns(), N: s.inner.Rows()}
		both.Cols = append(both.Cols, vec.Select(right, p.inner).Cols...)
		for _, e := range s.on {
			v, err := e.Eval(both)
			if err != nil {
				return err
			}
			judge(v, verdict)
		}
	}
	for i, x := range verdict {
		row := p.outer[i]
		switch x {
		case 0:
			m.outer, m.inner = append(m.outer, row), append(m.inner, p.inner[i])
			m.count[row]++
		case 1:
			m.null[row] = true
		}
	}
	*p = pairs{}
	if s.a.plan.Type == logical.Single {
		for _, n := range m.count {
			if n > 1 {
				return sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
			}
		}
	}
	return nil
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

// emit queues the output of an outer batch for the kind of join.
func (s *applying) emit(b *vec.Batch, m *matches) error {
	switch s.a.plan.Type {
	case logical.Semi, logical.Anti:
		idx := make([]int32, 0, b.N)
		for row, n := range m.count {
			if (n > 0) == (s.a.plan.Type == logical.Semi) {
				idx = append(idx, int32(row))
			}
		}
		s.push(vec.Select(b, idx), nil, nil)
	case logical.Mark:
		s.push(b, nil, m.marks(s.a.node.Cols, s.a.plan.MarkID))
	default:
		if s.a.padded() {
			m.pad()
		}
		size := s.a.ctx.Rows()
		right := &vec.Batch{Cols: s.inner.Columns(), N: s.inner.Rows()}
		for lo := 0; lo < len(m.outer); lo += size {
			hi := min(lo+size, len(m.outer))
			s.push(vec.Select(b, m.outer[lo:hi]), vec.Select(right, m.inner[lo:hi]), nil)
		}
	}
	return nil
}

// push queues the output columns of some rows.
func (s *applying) push(outer, inner *vec.Batch, mark *vec.Vector) {
	if outer.N == 0 {
		return
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
	s.queue = append(s.queue, out)
}

// pad inserts the rows without a partner, keeping the order of outer rows.
func (m *matches) pad() {
	var out pairs
	i := 0
	for row, n := range m.count {
		if n == 0 {
			out.outer, out.inner = append(out.outer, int32(row)), append(out.inner, -1)
		}
		for ; n > 0; n-- {
			out.outer, out.inner = append(out.outer, int32(row)), append(out.inner, m.inner[i])
			i++
		}
	}
	m.pairs = out
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
