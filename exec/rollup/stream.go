package rollup

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// reader reads the pieces of a level.
type reader struct {
	level *level
	disk  *spill.Reader
}

// read returns a piece, valid until the next call.
func (r *reader) read(ctx *op.Ctx, i int) (*vec.Batch, error) {
	p := &r.level.pieces[i]
	if p.rows != nil {
		return p.rows, nil
	}
	if r.disk == nil {
		r.disk = r.level.file.NewReader(ctx.Mem)
	}
	return r.disk.Read(p.block)
}

// scan returns the rows of a level to the aggregation of the next one.
type scan struct {
	level  *level
	ctx    *op.Ctx
	cursor atomic.Int64
}

// Open implements op.Operator.
func (s *scan) Open(ctx *op.Ctx) error {
	s.ctx = ctx
	return nil
}

// Ordered implements op.Operator.
func (s *scan) Ordered() bool { return false }

// Stream implements op.Operator.
func (s *scan) Stream() (op.Stream, error) {
	return &scanStream{s: s, from: reader{level: s.level}}, nil
}

// Close implements op.Operator.
func (s *scan) Close() error { return nil }

type scanStream struct {
	s    *scan
	from reader
}

// Next implements op.Stream.
func (t *scanStream) Next() (*vec.Batch, error) {
	if err := t.s.ctx.Err(); err != nil {
		return nil, err
	}
	i := int(t.s.cursor.Add(1)) - 1
	if i >= len(t.s.level.pieces) {
		return nil, nil
	}
	return t.from.read(t.s.ctx, i)
}

// Close implements op.Stream.
func (t *scanStream) Close() error {
	t.from.disk.Free()
	return nil
}

// Stream implements op.Operator.
func (o *Operator) Stream() (op.Stream, error) {
	return &stream{o: o}, nil
}

// stream returns the rows of all levels, the finest first.
type stream struct {
	o      *Operator
	from   reader
	before int // pieces of the levels before that of from
	at     int // the level of from
	batch  vec.Batch
}

// Next implements op.Stream.
func (s *stream) Next() (*vec.Batch, error) {
	if err := s.o.ctx.Err(); err != nil {
		return nil, err
	}
	i := int(s.o.cursor.Add(1)) - 1
	for s.at < len(s.o.levels) && i-s.before >= len(s.o.levels[s.at].pieces) {
		s.before += len(s.o.levels[s.at].pieces)
		s.at++
		s.from.disk.Free()
		s.from = reader{}
	}
	if s.at == len(s.o.levels) {
		return nil, nil
	}
	l := s.o.levels[s.at]
	s.from.level = l
	b, err := s.from.read(s.o.ctx, i-s.before)
	if err != nil {
		return nil, err
	}
	return s.widen(l, b, int64(i)), nil
}

// widen returns the rows of a level with all keys, and their level.
func (s *stream) widen(l *level, b *vec.Batch, morsel int64) *vec.Batch {
	out := &s.batch
	out.N, out.Morsel, out.Cols = b.N, morsel, out.Cols[:0]
	for i, at := range s.o.keyAt {
		if i < l.depth {
			out.Cols = append(out.Cols, b.Cols[at])
		} else {
			out.Cols = append(out.Cols, vec.NewNull(s.o.cols[at].T, b.N))
		}
	}
	depth := &vec.Vector{Type: types.T(types.Int64), Form: vec.Const, N: b.N, I64: []int64{int64(l.depth)}}
	out.Cols = append(out.Cols, depth)
	out.Cols = append(out.Cols, b.Cols[l.keys:]...)
	return out
}

// Close implements op.Stream.
func (s *stream) Close() error {
	s.from.disk.Free()
	return nil
}
