package dynamic

import (
	"context"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// freeTexts is the size up to which the texts of a batch are not charged.
const freeTexts = 2 * format.ChunkSize

// scan turns rows into batches, each of which is a chunk.
type scan struct {
	*Part
	ctx  context.Context
	req  *format.Request
	rows Rows
}

// Chunks implements format.Part.
func (p *Part) Chunks(ctx context.Context, req *format.Request) (format.Chunks, error) {
	rows, err := p.source.Rows(ctx, req.Mem, req.Columns)
	if err != nil {
		return nil, format.ReadError(p.Path, err)
	}
	return &scan{Part: p, ctx: ctx, req: req, rows: rows}, nil
}

// Close implements format.Chunks.
func (s *scan) Close() error { return s.rows.Close() }

// Next implements format.Chunks.
func (s *scan) Next() (c format.Chunk, err error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	err = format.Guard(s.Path, func() error {
		b := &chunk{path: s.Path, held: format.Hold{Account: s.req.Mem}}
		if err := s.fill(b); err != nil {
			b.End()
			return err
		}
		if b.out.N > 0 {
			c = b
		}
		return nil
	})
	if err != nil {
		return nil, format.ReadError(s.Path, err)
	}
	return c, nil
}

// fill reads the next rows.
func (s *scan) fill(c *chunk) error {
	vecs, null := make([]vec.Vector, len(s.req.Columns)), make([][]bool, len(s.req.Columns))
	for i, o := range s.req.Columns {
		vecs[i].Type = s.cols[o].Type
		vecs[i].Resize(s.req.Batch)
		null[i] = make([]bool, s.req.Batch)
		c.out.Cols = append(c.out.Cols, &vecs[i])
	}
	n := 0
	for ; n < s.req.Batch && c.bytes < freeTexts; n++ {
		ok, err := s.rows.Next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		for i, o := range s.req.Columns {
			v := s.rows.Value(o)
			if v.Kind == Null {
				null[i][n], vecs[i].Null = true, null[i]
				s.cols[o].Zero(&vecs[i], n)
				continue
			}
			c.bytes += int64(len(v.Text))
			if !s.cols[o].Put(v, &vecs[i], n) {
				return s.cols[o].Misfit(s.Path, s.rows.Where(), v)
			}
		}
		if err := c.held.Set(c.bytes - freeTexts); err != nil {
			return err
		}
	}
	for i := range vecs {
		some := vecs[i].Null != nil
		if vecs[i].Resize(n); some {
			vecs[i].Null = null[i][:n]
		}
	}
	c.out.N = n
	return nil
}

// chunk is one batch.
type chunk struct {
	path  string
	out   vec.Batch
	bytes int64
	held  format.Hold // charge for texts beyond freeTexts
	read  bool
}

// Read implements format.Chunk.
func (c *chunk) Read() (*vec.Batch, error) {
	if c.read {
		return nil, nil
	}
	c.read = true
	return &c.out, nil
}

// Path implements format.Chunk.
func (c *chunk) Path() string { return c.path }

// Size implements format.Chunk.
func (c *chunk) Size() int64 { return c.bytes }

// End implements format.Chunk.
func (c *chunk) End() { _ = c.held.Set(0) } // releasing never fails
