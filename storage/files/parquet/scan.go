package parquet

import (
	"context"
	"slices"

	"gsql/sql/catalog"
	"gsql/storage/files/format"
)

// scan hands out the row groups of one file, cutting large ones into pieces.
type scan struct {
	*part
	req   *format.Request
	h     format.RandomAccess
	size  int64
	whole bool      // row groups are not cut because readers of nested columns can only start at the beginning
	group int       // number of the next row group
	cut   *rowGroup // row group being handed out in pieces, or nil
	at    int64     // number of its rows handed out so far
}

// Chunks implements format.Part.
func (p *part) Chunks(ctx context.Context, req *format.Request) (format.Chunks, error) {
	h, size, err := p.Open(ctx, req.Mem)
	if err != nil {
		return nil, format.ReadError(p.Path, err)
	}
	s := &scan{part: p, req: req, h: h, size: size}
	s.whole = slices.ContainsFunc(req.Columns, func(c int) bool { return p.cols[c].nested })
	return s, nil
}

// pieceRows is the size of the pieces into which row groups are cut, so that several readers can
// share a file with one row group.
const pieceRows = 256 << 10

// Next implements format.Chunks.
func (s *scan) Next() (format.Chunk, error) {
	for s.cut == nil {
		if s.group == len(s.meta.groups) {
			return nil, nil
		}
		g := s.group
		s.group++
		if !s.prunes(g, s.req.Prune) && !s.behind(g) {
			s.cut, s.at = newRowGroup(s, g), 0
		}
	}
	p := &piece{group: s.cut, from: s.at, to: s.cut.rows}
	if s.cut.rows-s.at >= 2*pieceRows && !s.whole {
		p.to = s.at + pieceRows
	} else {
		if s.at == 0 {
			s.cut.sole = true
		}
		s.cut = nil
	}
	s.at, p.rows = p.to, p.to-p.from
	if p.group.rows > 0 {
		p.size = int64(float64(p.group.bytes()) * float64(p.rows) / float64(p.group.rows))
	}
	return p, nil
}

// behind reports whether the scan's bound excludes all rows of a row group.
func (s *scan) behind(group int) bool {
	if s.req.Bound == nil {
		return false
	}
	r, nulls, ok := s.req.Bound()
	if !ok || r.Column < 0 || r.Column >= len(s.cols) {
		return false
	}
	if nulls {
		if _, _, n := s.bounds(group, s.cols[r.Column]); n != 0 {
			return false
		}
	}
	return s.prunes(group, []catalog.Range{r})
}

// Close implements format.Chunks.
func (s *scan) Close() error { return s.h.Close() }
