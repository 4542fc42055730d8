package files

import (
	"io"

	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"

	"gsql/sql/catalog"
)

// parquetPart is a Parquet file whose footer has been read.
type parquetPart struct {
	*file
	meta   *metadata.FileMetaData
	groups int // row groups
	cols   []*parquetColumn
}

func openParquet(f *file) (part, error) {
	h, size, err := f.open()
	if err != nil {
		return nil, err
	}
	defer h.Close()
	if err := checkMagic(f.path, h, size); err != nil {
		return nil, err
	}
	r, err := pqfile.NewParquetReader(h)
	if err != nil {
		return nil, corrupt(f.path, "%v", err)
	}
	p := &parquetPart{file: f, meta: r.MetaData(), groups: r.NumRowGroups()}
	p.cols = parquetColumns(p.meta.Schema)
	rows := int64(0)
	for g := range p.groups {
		n := p.meta.RowGroup(g).NumRows()
		if n < 0 {
			return nil, corrupt(f.path, "a row group has a negative number of rows")
		}
		rows += n
	}
	if rows != p.meta.NumRows {
		return nil, corrupt(f.path, "its row groups hold %d rows and its footer says %d", rows, p.meta.NumRows)
	}
	return p, nil
}

// checkMagic tells the common damages apart: no Parquet file at all, and a file
// that was cut short.
func checkMagic(path string, r io.ReaderAt, size int64) error {
	var head, tail [4]byte
	if size < 12 {
		return corrupt(path, "%d bytes are too few for a Parquet file", size)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := r.ReadAt(tail[:], size-4); err != nil {
		return err
	}
	switch {
	case string(head[:]) == "PARE":
		return corrupt(path, "it is encrypted")
	case string(head[:]) != "PAR1":
		return corrupt(path, "it does not start as a Parquet file does")
	case string(tail[:]) != "PAR1":
		return corrupt(path, "its end is missing")
	}
	return nil
}

func (p *parquetPart) columns() []catalog.Column {
	cols := make([]catalog.Column, len(p.cols))
	for i, c := range p.cols {
		cols[i] = c.Column
	}
	return cols
}

// parquetScan hands out the row groups of one file, large ones in pieces.
type parquetScan struct {
	*parquetPart
	scan  *scan
	h     randomAccess
	size  int64
	group int       // the next one
	cut   *rowGroup // the one that is handed out in pieces
	at    int64     // its rows handed out
}

func (p *parquetPart) chunks(sc *scan) (chunkSource, error) {
	h, size, err := p.open()
	if err != nil {
		return nil, readError(p.file.path, err)
	}
	return &parquetScan{parquetPart: p, scan: sc, h: h, size: size}, nil
}

// pieceRows is the size of the pieces that row groups are cut into, so that readers
// share also a file of one row group.
const pieceRows = 256 << 10

func (s *parquetScan) next() (chunk, error) {
	for s.cut == nil {
		if s.group == s.groups {
			return nil, nil
		}
		g := s.group
		s.group++
		var skip bool
		if err := guard(s.file.path, func() (err error) {
			skip, err = s.prunes(g, s.scan.spec.Prune)
			return err
		}); err != nil {
			return nil, readError(s.file.path, err)
		}
		if !skip {
			s.cut, s.at = newRowGroup(s, g), 0
		}
	}
	p := &piece{group: s.cut, from: s.at, to: s.cut.rows}
	if s.cut.rows-s.at >= 2*pieceRows {
		p.to = s.at + pieceRows
	} else {
		s.cut = nil
	}
	s.at, p.rows = p.to, p.to-p.from
	return p, nil
}

func (s *parquetScan) close() error { return s.h.Close() }
