package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/internal/mem"
	"gsql/storage/files/format"
)

// footer is the metadata at the end of a Parquet file. Fields added by later versions of the
// format are skipped.
type footer struct {
	rows    int64
	schema  []schemaElement
	groups  []footerGroup
	ordered []bool // by leaf: whether bounds follow the type's order
	creator string

	held    int64       // bytes of memory that the footer takes
	charge  format.Hold // for held, while the footer is read
	refused error       // set if the account refused the charge
}

// footerGroup is a row group.
type footerGroup struct {
	rows   int64
	chunks []footerChunk // by leaf
}

// footerChunk is a column chunk.
type footerChunk struct {
	elsewhere bool // the chunk is in another file
	encrypted bool
	physical  parquet.Type
	codec     compress.Compression
	values    int64 // including NULLs
	size      int64 // bytes in the file
	unpacked  int64 // bytes of all pages, unpacked
	dataPage  int64
	dictPage  int64 // 0 if there is none
	stats     footerStats
}

// footerStats holds the statistics of a column chunk; unknown bounds are nil.
type footerStats struct {
	nulls          int64 // negative if unknown
	min, max       []byte
	oldMin, oldMax []byte // from writers that compared signed numbers whatever the type
}

// footerTail is the size of the end of a file: the footer's length and the magic.
const footerTail = 8

// readFooter reads the footer of a file whose magic has been checked. A damaged footer can take 200
// times its size in the file, so the account is charged while it is read.
func readFooter(path string, r io.ReaderAt, size int64, account *mem.Account) (*footer, error) {
	var tail [footerTail]byte
	if _, err := r.ReadAt(tail[:], size-footerTail); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-footerTail-4 {
		return nil, format.Corrupt(path, "its footer of %d bytes is longer than the file", length)
	}
	f := &footer{charge: format.Hold{Account: account}}
	defer func() { _ = f.charge.Set(0) }()
	if err := f.grow(length); err != nil {
		return nil, err
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, size-footerTail-length); err != nil {
		return nil, err
	}
	t := &thriftReader{data: data}
	f.read(t)
	if f.refused != nil {
		return nil, f.refused
	}
	if t.bad {
		return nil, format.Corrupt(path, "its footer is malformed")
	}
	return f, nil
}

// grow charges for n more bytes of the footer.
func (f *footer) grow(n int64) error {
	f.held += n
	f.refused = f.charge.Set(f.held)
	return f.refused
}

// dictionaryHead bounds the header of a dictionary page, in bytes.
const dictionaryHead = 100

// short reports whether the writer is parquet-mr before version 1.2.9, which omitted the header of the
// dictionary page from a chunk's size.
func (f *footer) short() bool {
	rest, ok := strings.CutPrefix(f.creator, "parquet-mr")
	if !ok {
		return false
	}
	major, minor, patch := 0, 0, 0
	n, _ := fmt.Sscanf(rest, " version %d.%d.%d", &major, &minor, &patch)
	return n < 3 || major == 1 && (minor < 2 || minor == 2 && patch < 9)
}

func (f *footer) read(r *thriftReader) {
	r.fields(func(id int, typ byte) {
		switch id {
		case 2:
			r.list(typ, func(typ byte) {
				e := schemaElement{physical: -1}
				r.structure(typ, func(id int, typ byte) { e.read(r, id, typ) })
				f.schema = append(f.schema, e)
				r.bad = r.bad || f.grow(int64(unsafe.Sizeof(e))) != nil
			})
		case 3:
			f.rows = r.number(typ)
		case 4:
			r.list(typ, func(typ byte) {
				var g footerGroup
				r.structure(typ, func(id int, typ byte) { g.read(r, id, typ, len(f.schema)) })
				f.groups = append(f.groups, g)
				r.bad = r.bad || f.grow(int64(unsafe.Sizeof(g))+int64(cap(g.chunks))*int64(unsafe.Sizeof(footerChunk{}))) != nil
			})
		case 6:
			f.creator = string(r.text(typ))
		case 7:
			r.list(typ, func(typ byte) {
				ordered := false
				r.structure(typ, func(id int, typ byte) {
					ordered = id == 1
					r.skip(typ, 0)
				})
				f.ordered = append(f.ordered, ordered)
			})
		default:
			r.skip(typ, 0)
		}
	})
}

// read reads a field of a row group, which has at most as many chunks as the schema has elements.
func (g *footerGroup) read(r *thriftReader, id int, typ byte, most int) {
	switch id {
	case 1:
		r.list(typ, func(typ byte) {
			c := footerChunk{stats: footerStats{nulls: -1}}
			r.structure(typ, func(id int, typ byte) { c.read(r, id, typ) })
			if g.chunks = append(g.chunks, c); len(g.chunks) > most {
				r.bad = true
			}
		})
	case 3:
		g.rows = r.number(typ)
	default:
		r.skip(typ, 0)
	}
}

func (c *footerChunk) read(r *thriftReader, id int, typ byte) {
	switch id {
	case 1:
		c.elsewhere = len(r.text(typ)) > 0
	case 3:
		r.structure(typ, func(id int, typ byte) { c.readMeta(r, id, typ) })
	case 8:
		c.encrypted = true
		r.skip(typ, 0)
	default:
		r.skip(typ, 0)
	}
}

func (c *footerChunk) readMeta(r *thriftReader, id int, typ byte) {
	switch id {
	case 1:
		c.physical = parquet.Type(r.number(typ))
	case 4:
		c.codec = compress.Compression(r.number(typ))
	case 5:
		c.values = r.number(typ)
	case 6:
		c.unpacked = r.number(typ)
	case 7:
		c.size = r.number(typ)
	case 9:
		c.dataPage = r.number(typ)
	case 11:
		c.dictPage = r.number(typ)
	case 12:
		r.structure(typ, func(id int, typ byte) { c.stats.read(r, id, typ) })
	default:
		r.skip(typ, 0)
	}
}

func (s *footerStats) read(r *thriftReader, id int, typ byte) {
	switch id {
	case 1:
		s.oldMax = r.text(typ)
	case 2:
		s.oldMin = r.text(typ)
	case 3:
		s.nulls = r.number(typ)
	case 5:
		s.max = r.text(typ)
	case 6:
		s.min = r.text(typ)
	default:
		r.skip(typ, 0)
	}
}
