package files

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/parquet/compress"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
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

// parquetScan hands out the row groups of one file.
type parquetScan struct {
	*parquetPart
	scan  *scan
	h     randomAccess
	size  int64
	group int
}

func (p *parquetPart) chunks(sc *scan) (chunkSource, error) {
	h, size, err := p.open()
	if err != nil {
		return nil, readError(p.file.path, err)
	}
	return &parquetScan{parquetPart: p, scan: sc, h: h, size: size}, nil
}

func (s *parquetScan) next() (c chunk, err error) {
	for s.group < s.groups {
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
			return &rowGroup{scan: s, group: g, left: s.meta.RowGroup(g).NumRows()}, nil
		}
	}
	return nil, nil
}

func (s *parquetScan) close() error { return s.h.Close() }

// rowGroup is the chunk of a Parquet scan.
type rowGroup struct {
	scan  *parquetScan
	group int
	left  int64
	cols  []*columnReader
	out   vec.Batch
}

func (g *rowGroup) path() string { return g.scan.file.path }

// read implements chunk.
func (g *rowGroup) read() (*vec.Batch, error) {
	if g.left == 0 {
		return nil, nil
	}
	sc := g.scan.scan
	if g.cols == nil {
		for _, c := range sc.cols {
			r, err := g.scan.openColumn(g.group, g.scan.cols[c])
			if err != nil {
				return nil, err
			}
			g.cols = append(g.cols, r)
		}
		g.out.Cols = make([]*vec.Vector, len(g.cols))
	}
	n := int(min(int64(sc.batch), g.left))
	for i, r := range g.cols {
		v, err := r.read(n)
		if err != nil {
			return nil, corrupt(g.path(), "column '%s', row group %d: %v", r.col.Name, g.group+1, err)
		}
		g.out.Cols[i] = v
	}
	g.left -= int64(n)
	g.out.N = n
	return &g.out, nil
}

// openColumn reads a column chunk's bytes.
func (s *parquetScan) openColumn(group int, c *parquetColumn) (*columnReader, error) {
	chunk, err := s.meta.RowGroup(group).ColumnChunk(c.leaf)
	if err != nil {
		return nil, err
	}
	from, size := chunk.DataPageOffset(), chunk.TotalCompressedSize()
	if d := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && d > 0 && d < from {
		from = d
	}
	if from < 0 || size < 0 || from > s.size || size > s.size-from {
		return nil, corrupt(s.file.path, "column '%s' of row group %d lies outside the file", c.Name, group+1)
	}
	if chunk.NumValues() != s.meta.RowGroup(group).NumRows() {
		return nil, corrupt(s.file.path, "column '%s' of row group %d has a wrong number of values", c.Name, group+1)
	}
	r := &columnReader{col: c}
	r.pages.keep = c.Type.Kind() == types.KindStr
	if codec := chunk.Compression(); codec != compress.Codecs.Uncompressed {
		if r.pages.codec, err = compress.GetCodec(codec); err != nil {
			return nil, err
		}
	}
	data := make([]byte, size+padding)
	if n, err := s.h.ReadAt(data[:size], from); err != nil && !(errors.Is(err, io.EOF) && int64(n) == size) {
		return nil, err
	}
	r.pages.data = data[:size]
	return r, nil
}
