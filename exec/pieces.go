package exec

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/sql/vec"
)

// pieces are rows of which the first are on disk and the others in memory.
type pieces struct {
	file   *spill.File
	blocks []spill.Block
	ends   []int // row number at which each block ends
	rows   vec.Batch
	lo, hi int // the requested range of rows
}

// reset makes p all rows of the blocks followed by rows.
func (p *pieces) reset(file *spill.File, blocks []spill.Block, rows *vec.Batch) {
	p.file, p.blocks, p.ends, p.rows = file, blocks, p.ends[:0], *rows
	n := 0
	for _, b := range blocks {
		n += b.Rows
		p.ends = append(p.ends, n)
	}
	p.lo, p.hi = 0, n+rows.N
}

// stream returns a stream of p. All streams with the same cursor share the rows.
func (p *pieces) stream(ctx *op.Ctx, cursor *atomic.Int64) op.Stream {
	return &pieceStream{p: p, ctx: ctx, cursor: cursor}
}

// pieceStream returns rows that no other stream with its cursor has taken.
type pieceStream struct {
	p      *pieces
	ctx    *op.Ctx
	cursor *atomic.Int64
	from   *spill.Reader
}

// Next implements op.Stream.
func (s *pieceStream) Next() (*vec.Batch, error) {
	p := s.p
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		i := s.cursor.Add(1) - 1
		if i < int64(len(p.blocks)) {
			b, err := s.block(int(i))
			if b != nil || err != nil {
				return b, err
			}
			continue
		}
		s.from.Free()
		return s.inMemory(i), nil
	}
}

// block returns the requested rows of a block, or nil if it has none.
func (s *pieceStream) block(i int) (*vec.Batch, error) {
	p := s.p
	end := p.ends[i]
	start := end - p.blocks[i].Rows
	lo, hi := max(p.lo, start), min(p.hi, end)
	if lo >= hi {
		return nil, nil
	}
	if s.from == nil {
		s.from = p.file.NewReader(s.ctx.Mem)
	}
	b, err := s.from.Read(p.blocks[i])
	if err != nil {
		return nil, err
	}
	b = b.Slice(lo-start, hi-start)
	b.Morsel = int64(i)
	return b, nil
}

// inMemory returns the batch of rows in memory that has number i, counted from the first block,
// or nil at the end.
func (s *pieceStream) inMemory(i int64) *vec.Batch {
	p := s.p
	before := 0
	if n := len(p.ends); n > 0 {
		before = p.ends[n-1]
	}
	lo, hi := max(p.lo-before, 0), p.hi-before
	from := int64(lo) + (i-int64(len(p.blocks)))*int64(s.ctx.Rows())
	if from >= int64(hi) {
		return nil
	}
	b := p.rows.Slice(int(from), min(int(from)+s.ctx.Rows(), hi))
	b.Morsel = i
	return b
}

// Close implements op.Stream.
func (s *pieceStream) Close() error {
	s.from.Free()
	return nil
}

// piecesOf is pieces as an operator.
type piecesOf struct {
	pieces
	ctx    *op.Ctx
	cursor atomic.Int64
}

// Open implements op.Operator.
func (p *piecesOf) Open(ctx *op.Ctx) error {
	p.ctx = ctx
	return nil
}

// Ordered implements op.Operator.
func (p *piecesOf) Ordered() bool { return false }

// Stream implements op.Operator.
func (p *piecesOf) Stream() (op.Stream, error) { return p.stream(p.ctx, &p.cursor), nil }

// Close implements op.Operator.
func (p *piecesOf) Close() error { return nil }

// onDisk returns blocks as an operator.
func onDisk(file *spill.File, blocks []spill.Block) *piecesOf {
	p := &piecesOf{}
	p.reset(file, blocks, &vec.Batch{})
	return p
}
