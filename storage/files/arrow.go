package files

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// arrowPart is an Arrow IPC file, in the file or the stream format.
type arrowPart struct {
	*file
	schema   *arrow.Schema
	cols     []catalog.Column
	isStream bool
}

// arrowMagic starts the file format; streams have no magic.
const arrowMagic = "ARROW1"

func openArrow(f *file) (part, error) {
	p := &arrowPart{file: f}
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	head := make([]byte, len(arrowMagic))
	_, err = io.ReadFull(s, head)
	s.Close()
	if err != nil {
		return nil, corrupt(f.path, "it is too short for an Arrow file")
	}
	p.isStream = string(head) != arrowMagic
	src, err := p.openSource(nil)
	if err != nil {
		return nil, err
	}
	defer src.close()
	p.schema = src.schemaOf()
	for _, field := range p.schema.Fields() {
		c := catalog.Column{Name: field.Name, NotNull: !field.Nullable}
		var ok bool
		if c.Type, ok = types.FromArrow(field.Type); !ok {
			c.Type, c.Comment = types.T(types.Null), field.Type.String()
		}
		p.cols = append(p.cols, c)
	}
	return p, nil
}

func (p *arrowPart) columns() []catalog.Column { return append([]catalog.Column(nil), p.cols...) }

// stats implements part. The format keeps none but the number of record batches.
func (p *arrowPart) stats() *catalog.Stats {
	s := &catalog.Stats{Bytes: p.size}
	_ = guard(p.file.path, func() error { // a damaged file is reported when it is read
		src, err := p.openSource(nil)
		if err != nil {
			return err
		}
		defer src.close()
		s.Rows, s.Exact, err = src.rows()
		return err
	})
	return s
}

func (p *arrowPart) chunks(sc *scan) (chunkSource, error) {
	var src *arrowSource
	err := guard(p.file.path, func() (err error) {
		src, err = p.openSource(sc)
		return err
	})
	if err != nil {
		return nil, readError(p.file.path, err)
	}
	return src, nil
}

// arrowSource hands out the record batches of one file.
type arrowSource struct {
	*arrowPart
	scan   *scan
	closer io.Closer
	random *ipc.FileReader // the file format
	index  int             // of its next record batch
	stream *ipc.Reader     // the stream format
	dicts  []arrowvec.DictCache
}

func (p *arrowPart) openSource(sc *scan) (*arrowSource, error) {
	s := &arrowSource{arrowPart: p, scan: sc, dicts: make([]arrowvec.DictCache, len(p.cols))}
	if p.isStream {
		in, err := p.file.stream()
		if err != nil {
			return nil, err
		}
		s.closer = in
		bounded := boundedBy(p.size)
		if s.stream, err = ipc.NewReader(&verifiedStream{in: in, most: bounded.limit}, ipc.WithAllocator(bounded)); err != nil {
			in.Close()
			return nil, err
		}
		return s, nil
	}
	h, size, err := p.file.open()
	if err != nil {
		return nil, err
	}
	s.closer = h
	if err := checkFooter(h, size); err != nil {
		h.Close()
		return nil, err
	}
	if s.random, err = ipc.NewFileReader(h, ipc.WithAllocator(boundedBy(p.size))); err != nil {
		h.Close()
		return nil, err
	}
	return s, nil
}

// checkFooter verifies the footer of a file, whose length stands before the magic at the end.
func checkFooter(h io.ReaderAt, size int64) error {
	const tail = 4 + int64(len(arrowMagic))
	var end [tail]byte
	if size < 2*tail {
		return errCutShort
	}
	if _, err := h.ReadAt(end[:], size-tail); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != arrowMagic {
		return errors.New("its end is missing")
	}
	if length > size-2*tail {
		return errArrowMetadata
	}
	footer := make([]byte, length)
	if _, err := h.ReadAt(footer, size-tail-length); err != nil {
		return err
	}
	return verifyFooter(footer)
}

func (s *arrowSource) schemaOf() *arrow.Schema {
	if s.stream != nil {
		return s.stream.Schema()
	}
	return s.random.Schema()
}

// rows estimates the rows: record batches but for the last mostly have one size.
func (s *arrowSource) rows() (rows int64, exact bool, err error) {
	if s.random == nil {
		return s.size / 32, false, nil // a guess at the size of a row
	}
	n := s.random.NumRecords()
	for i := 0; i < n; i += max(1, n-1) {
		rec, err := s.random.RecordAt(i)
		if err != nil {
			return 0, false, err
		}
		if rows += rec.NumRows(); i == 0 {
			rows += rec.NumRows() * int64(max(0, n-2))
		}
		rec.Release()
	}
	return rows, n <= 2, nil
}

func (s *arrowSource) close() error { return s.closer.Close() }

// next implements chunkSource.
func (s *arrowSource) next() (c chunk, err error) {
	err = guard(s.file.path, func() error {
		rec, err := s.record()
		if rec != nil {
			c = &arrowChunk{source: s, rec: rec}
		}
		return err
	})
	if err != nil {
		return nil, readError(s.file.path, err)
	}
	return c, nil
}

func (s *arrowSource) record() (arrow.Record, error) {
	if s.random != nil {
		if s.index == s.random.NumRecords() {
			return nil, nil
		}
		s.index++
		return s.random.RecordAt(s.index - 1)
	}
	if !s.stream.Next() {
		if err := s.stream.Err(); err != nil && err != io.EOF {
			return nil, err
		}
		return nil, nil
	}
	rec := s.stream.Record()
	rec.Retain()
	return rec, nil
}

// arrowChunk is a record batch.
type arrowChunk struct {
	source  *arrowSource
	rec     arrow.Record
	at      int
	checked bool
	vecs    []vec.Vector
	out     vec.Batch
}

func (c *arrowChunk) path() string { return c.source.file.path }

// read implements chunk.
func (c *arrowChunk) read() (*vec.Batch, error) {
	sc := c.source.scan
	if !c.checked {
		for _, col := range sc.cols {
			if err := checkArray(c.rec.Column(col)); err != nil {
				return nil, corrupt(c.path(), "column '%s': %v", c.source.cols[col].Name, err)
			}
		}
		if c.rec.NumRows() > max(math.MaxInt32, 8*mostUnpacked*c.source.size) { // a bit a row, and none where all are NULL
			return nil, corrupt(c.path(), "a batch has %d rows", c.rec.NumRows())
		}
		c.checked = true
		c.vecs, c.out.Cols = make([]vec.Vector, len(sc.cols)), make([]*vec.Vector, len(sc.cols))
	}
	n := min(sc.batch, int(c.rec.NumRows())-c.at)
	if n <= 0 {
		return nil, nil
	}
	for i, col := range sc.cols {
		v := &c.vecs[i]
		if err := c.source.dicts[col].FromArray(c.rec.Column(col), c.source.cols[col].Type, c.at, c.at+n, v); err != nil {
			return nil, err
		}
		c.out.Cols[i] = v
	}
	c.at += n
	c.out.N = n
	return &c.out, nil
}

var errOffsets = errors.New("the offsets of its strings are out of order")

// checkArray checks what vectors rely on: dictionary codes and string offsets of a
// damaged file must not lead outside the buffers.
func checkArray(arr arrow.Array) error {
	switch a := arr.(type) {
	case *array.Dictionary:
		n := a.Dictionary().Len()
		for i := range a.Len() {
			if !a.IsNull(i) && (a.GetValueIndex(i) < 0 || a.GetValueIndex(i) >= n) {
				return errCode
			}
		}
		return checkArray(a.Dictionary())
	case *array.String:
		return checkOffsets(a.Data(), arrow.Int32Traits.CastFromBytes)
	case *array.Binary:
		return checkOffsets(a.Data(), arrow.Int32Traits.CastFromBytes)
	case *array.LargeString:
		return checkOffsets(a.Data(), arrow.Int64Traits.CastFromBytes)
	case *array.LargeBinary:
		return checkOffsets(a.Data(), arrow.Int64Traits.CastFromBytes)
	}
	return nil
}

func checkOffsets[O int32 | int64](data arrow.ArrayData, cast func([]byte) []O) error {
	if data.Len() == 0 {
		return nil
	}
	size := 0
	if b := data.Buffers()[2]; b != nil {
		size = b.Len()
	}
	offsets := cast(data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
	for i, o := range offsets[1:] {
		if o < offsets[i] {
			return errOffsets
		}
	}
	if offsets[0] < 0 || int(offsets[len(offsets)-1]) > size {
		return errOffsets
	}
	return nil
}
