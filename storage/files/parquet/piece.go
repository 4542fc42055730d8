package parquet

import (
	"gsql/sql/vec"
)

// piece is a chunk of a Parquet scan: a range of rows of a row group.
type piece struct {
	group    *rowGroup
	from, to int64 // remaining rows of the group
	rows     int64 // rows of the whole piece
	size     int64
	cols     []lateColumn
	batch    int // rows of the current batch, which ends at from
	out      vec.Batch
}

// lateColumn is a column that is read when a batch needs it: a column that filters never ask for is
// not even unpacked.
type lateColumn struct {
	vectorReader       // nil until the first batch that needs it
	at           int64 // the row of the group at which the reader stands
}

// Size implements format.Chunk.
func (p *piece) Size() int64 { return p.size }

// Path implements format.Chunk.
func (p *piece) Path() string { return p.group.scan.Path }

// End implements format.Chunk.
func (p *piece) End() { p.group.end(p.rows) }

// Read implements format.Chunk.
func (p *piece) Read() (*vec.Batch, error) {
	n, err := p.Advance()
	if n == 0 || err != nil {
		return nil, err
	}
	if p.out.Cols == nil {
		p.out.Cols = make([]*vec.Vector, len(p.cols))
	}
	for i := range p.cols {
		if p.out.Cols[i], err = p.Column(i); err != nil {
			return nil, err
		}
	}
	p.out.N = n
	return &p.out, nil
}

// Advance implements format.LateChunk.
func (p *piece) Advance() (n int, err error) {
	if p.from == p.to {
		if p.to < p.group.rows && p.cols != nil {
			p.group.park(p.to, p.cols)
		}
		return 0, nil
	}
	if p.cols == nil {
		p.cols = p.group.open(p.from)
	}
	p.batch = int(min(int64(p.group.req.Batch), p.to-p.from))
	p.from += int64(p.batch)
	return p.batch, nil
}

// Column implements format.LateChunk.
func (p *piece) Column(i int) (v *vec.Vector, err error) {
	c := &p.cols[i]
	if c.vectorReader == nil {
		if c.vectorReader, err = p.group.reader(p.group.column(i), &p.group.cols[i]); err != nil {
			return nil, err
		}
	}
	start := p.from - int64(p.batch)
	if start > c.at {
		err = c.skip(start - c.at)
	}
	if err == nil {
		v, err = c.read(p.batch)
	}
	if err != nil {
		return nil, p.group.damaged(p.group.column(i), err)
	}
	c.at = p.from
	return v, nil
}
