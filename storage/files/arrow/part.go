package arrow

import (
	"context"
	"io"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/storage/files/format"
)

// part is an Arrow IPC file, in the file or the stream format.
type part struct {
	*format.File
	schema   *arrow.Schema
	cols     []catalog.Column
	isStream bool
	packed   *packedFile     // set if the file is in the file format and compressed as a whole
	shown    *format.Preview // set by the first call of Preview
	wanted   int             // number of its rows
}

// packedFile describes a compressed file, so that it need not be unpacked for that.
type packedFile struct {
	footer *footer
	size   int64 // bytes when unpacked
	rows   int64
	exact  bool // rows is not an estimate
}

// magic starts files in the file format; streams have no magic.
const magic = "ARROW1"

// Open opens an Arrow IPC file by reading its schema. Columns whose type gsql does not support
// get type NULL, with the reason in the comment. Errors: 1033 for a damaged file, 1024 for a
// pipe.
func Open(ctx context.Context, f *format.File) (format.Part, error) {
	p := &part{File: f}
	s, err := f.Stream(ctx)
	if err != nil {
		return nil, err
	}
	head := make([]byte, len(magic))
	_, err = io.ReadFull(s, head)
	s.Close()
	if err != nil {
		return nil, format.Corrupt(f.Path, "it is too short for an Arrow file")
	}
	p.isStream = string(head) != magic
	src, err := p.openSource(ctx, f.Account, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	p.schema = src.schemaOf()
	if src.random != nil && f.Compression != format.Plain {
		p.packed = &packedFile{footer: src.footer, size: src.size}
		if p.packed.rows, p.packed.exact, err = src.rows(); err != nil {
			return nil, err
		}
	}
	for _, field := range p.schema.Fields() {
		c := catalog.Column{Name: field.Name, NotNull: !field.Nullable}
		var ok bool
		switch c.Type, ok = types.FromArrow(field.Type); {
		case ok:
		case isNested(field.Type):
			c.Type = types.T(types.JSON)
			if _, ok := field.Type.(arrow.UnionType); ok { // the values of its members may be NULL
				c.NotNull = false
			}
		case isInterval(field.Type):
			c.Type = types.T(types.String)
		default:
			c.Type, c.Comment = types.T(types.Null), field.Type.String()
		}
		p.cols = append(p.cols, c)
	}
	format.UniqueNames(len(p.cols), func(i int) *string { return &p.cols[i].Name })
	return p, nil
}

// Columns implements format.Part.
func (p *part) Columns() []catalog.Column { return append([]catalog.Column(nil), p.cols...) }

// Stats implements format.Part. The format has no statistics except the number of record batches.
func (p *part) Stats(ctx context.Context) *catalog.Stats {
	s := &catalog.Stats{Bytes: p.Size}
	if p.isStream {
		s.Rows = p.streamRows(ctx)
		return s
	}
	if p.packed != nil {
		s.Rows, s.Exact = p.packed.rows, p.packed.exact
		return s
	}
	_ = format.Guard(p.Path, func() error { // a damaged file is reported when it is read
		src, err := p.openSource(ctx, nil, nil)
		if err != nil {
			return err
		}
		defer src.Close()
		s.Rows, s.Exact, err = src.rows()
		return err
	})
	return s
}

// Held implements format.Part.
func (p *part) Held() int64 {
	n := int64(len(p.cols))*int64(unsafe.Sizeof(catalog.Column{})) + p.shown.Held()
	if p.packed != nil {
		n += int64(len(p.packed.footer.dicts)+len(p.packed.footer.batches)) * int64(unsafe.Sizeof(block{}))
	}
	return n
}

// Chunks implements format.Part.
func (p *part) Chunks(ctx context.Context, req *format.Request) (format.Chunks, error) {
	var src *source
	err := format.Guard(p.Path, func() (err error) {
		src, err = p.openSource(ctx, req.Mem, req)
		return err
	})
	if err != nil {
		return nil, format.ReadError(p.Path, err)
	}
	return src, nil
}
