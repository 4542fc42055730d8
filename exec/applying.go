package exec

import (
	"encoding/binary"
	"errors"
	"math"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// applying is a stream of an apply. It pairs the rows of an outer batch with the inner rows of
// their bindings, about a batch of pairs at a time. If a binding has few inner rows, they are
// copied next to those of other bindings, so that On is evaluated for many pairs at once. Many
// inner rows are paired in place, part by part.
type applying struct {
	op.Stream
	a       *apply
	bind    []*eval.Evaluator
	on      []*eval.Evaluator
	outer   *vec.Batch    // nil before the first one and after each
	values  []*vec.Vector // of bind
	row     int           // of outer, the next one
	matches matches       // of outer
	pairs   pairs         // candidates
	params  []catalog.Datum
	key     []byte          // of row
	held    *result         // of an earlier row, or of row
	cols    []*vec.Vector   // of held if it is in memory: cached results would keep many of them
	reader  *spill.Reader   // of held otherwise
	part    int             // of held, the next one for row
	near    *colstore.Store // copied inner rows
	spans   map[string]span // their places, by keys
}

// span is the range of copied rows that belong to a binding.
type span struct{ from, to int }

func newApplying(a *apply, s op.Stream) *applying {
	return &applying{Stream: s, a: a, bind: newEvaluators(a.bind, a.ctx.Eval), on: newEvaluators(a.on, a.ctx.Eval),
		params: make([]catalog.Datum, len(a.bind)), values: make([]*vec.Vector, len(a.bind)), near: colstore.New(a.types, a.account), spans: map[string]span{}}
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
	s.near.Free()
	return errors.Join(s.drop(), s.Stream.Close())
}

// drop releases the result that is held.
func (s *applying) drop() error {
	r := s.held
	s.reader.Free()
	s.held, s.cols, s.reader = nil, nil, nil
	if r == nil {
		return nil
	}
	return s.a.release(r)
}

// Next implements op.Stream.
func (s *applying) Next() (b *vec.Batch, err error) {
	for b == nil && err == nil {
		if err := s.a.ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case s.outer == nil:
			if ok, err := s.begin(); !ok || err != nil {
				return nil, err
			}
		case s.row == s.outer.N:
			b = s.end()
		default:
			b, err = s.step()
		}
	}
	return b, err
}

// begin reads the next outer batch; ok is false at the end.
func (s *applying) begin() (ok bool, err error) {
	b, err := s.Stream.Next()
	if b == nil || err != nil {
		return false, err
	}
	for i, e := range s.bind {
		if s.values[i], err = e.Eval(b); err != nil {
			return false, err
		}
	}
	s.outer, s.row = b, 0
	s.matches.reset(b.N)
	return true, nil
}

// end returns the rows of the outer batch that its pairs have decided, if pairs are not returned.
func (s *applying) end() *vec.Batch {
	b := s.outer
	s.outer = nil
	switch s.a.plan.Type {
	case logical.Semi, logical.Anti:
		idx := make([]int32, 0, b.N)
		for row, n := range s.matches.count {
			if (n > 0) == (s.a.plan.Type == logical.Semi) {
				idx = append(idx, int32(row))
			}
		}
		return s.output(vec.Select(b, idx), nil, nil)
	case logical.Mark:
		return s.output(b, nil, s.matches.marks(s.a.node.Cols, s.a.plan.MarkID))
	}
	return nil
}

// step pairs some outer rows with few inner rows each, or one outer row with a part of its many
// inner rows. It returns the output of these pairs, or nil if there is none.
func (s *applying) step() (*vec.Batch, error) {
	s.near.Truncate(0)
	clear(s.spans)
	from, most := s.row, s.a.ctx.Rows()
	for s.row < s.outer.N {
		known, ok := s.spans[string(s.bindings())]
		if !ok {
			if err := s.hold(); err != nil {
				return nil, err
			}
		}
		if !ok && s.isFar() {
			break
		}
		if !ok {
			known = span{s.near.Rows(), s.near.Rows() + s.held.rows}
		}
		if s.row > from && len(s.pairs.outer)+known.to-known.from+s.row-from >= most {
			break
		}
		if !ok && !s.copied() {
			break
		}
		for i := known.from; i < known.to; i++ {
			s.pairs.outer, s.pairs.inner = append(s.pairs.outer, int32(s.row)), append(s.pairs.inner, int32(i))
		}
		s.row++
	}
	if s.row == from {
		return s.stepFar()
	}
	return s.match(&vec.Batch{Cols: s.near.Columns(), N: s.near.Rows()}, from, s.row)
}

// stepFar pairs one outer row with the next part of its inner rows.
func (s *applying) stepFar() (*vec.Batch, error) {
	from, most := s.row, s.a.ctx.Rows()
	part, err := s.piece(s.part, most)
	if err != nil {
		return nil, err
	}
	for i := range part.N {
		s.pairs.outer, s.pairs.inner = append(s.pairs.outer, int32(from)), append(s.pairs.inner, int32(i))
	}
	if s.part++; s.part == s.held.pieces(most) {
		s.row, s.part = s.row+1, 0
	}
	b, err := s.match(part, from, s.row)
	if s.row == from && !s.a.returnsPairs() && s.matches.count[from] > 0 {
		s.row, s.part = s.row+1, 0
	}
	return b, err
}

// piece returns part number i of the held inner rows, of at most most rows if they are in memory. It
// is valid until the next call.
func (s *applying) piece(i, most int) (*vec.Batch, error) {
	if s.held.file != nil {
		return s.reader.Read(s.held.blocks[i])
	}
	all := vec.Batch{Cols: s.cols, N: s.held.rows}
	return all.Slice(i*most, min((i+1)*most, s.held.rows)), nil
}

// isFar reports whether the held inner rows are paired in place.
func (s *applying) isFar() bool {
	return s.held.file != nil || s.held.rows > s.a.ctx.Rows()/4
}

// copied copies the held inner rows. It reports whether memory sufficed.
func (s *applying) copied() bool {
	r := s.held
	if r.rows > 0 && s.near.Append(&vec.Batch{Cols: s.cols, N: r.rows}) != nil {
		if s.near.Rows() == 0 {
			s.near.Free()
		}
		return false
	}
	s.spans[r.key] = span{s.near.Rows() - r.rows, s.near.Rows()}
	return true
}

// hold holds the inner rows of the current row.
func (s *applying) hold() (err error) {
	if s.held != nil && s.held.key == string(s.key) {
		return nil
	}
	if err := s.drop(); err != nil {
		return err
	}
	if s.held, err = s.a.result(s.key, s.params); err != nil {
		return err
	}
	if s.held.file != nil {
		s.reader = s.held.file.NewReader(s.a.account)
	} else {
		s.cols = s.held.store.Columns()
	}
	return nil
}

// bindings sets the parameters of the current row, and sets and returns its key.
func (s *applying) bindings() []byte {
	s.key = s.key[:0]
	for i, v := range s.values {
		s.params[i] = catalog.DatumAt(v, s.row)
		s.key = appendKey(s.key, s.params[i])
	}
	return s.key
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
