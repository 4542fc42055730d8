package parquet

import (
	"math"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/internal/mem"
	"gsql/storage/files/format"
)

// Page types of Parquet.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// maxPage is the largest size of a page, which headers state in 32 bits. What the footer says of a
// column's size bounds damaged headers, and the statement's memory bounds others.
const maxPage = math.MaxInt32

// padding is the number of readable bytes after a page, so that decoders may load whole words.
const padding = 32

// pageHeader holds the fields of a page header that are needed for decoding.
type pageHeader struct {
	typ                      int
	uncompressed, compressed int
	values                   int
	encoding                 parquet.Encoding
	levels, repLevels        parquet.Encoding // of definition and repetition levels, V1
	defBytes, repBytes       int              // V2
	packed                   bool             // V2: values are compressed
}

// pages iterates over the pages of a column chunk in memory.
type pages struct {
	data  []byte // the rest of the chunk, padded beyond its end
	codec codec  // nil if pages are not compressed
	most  int    // largest size of an unpacked page; 0 means maxPage
	keep  bool   // pages must not share memory because strings point into them
	brief bool   // strings outside of dictionaries need not outlive the row group
	lent  *format.Buffers
	buf   []byte

	all  []byte // the chunk
	sole bool   // no other reader needs all: it is returned to lent once its last page is unpacked

	passing int64 // bytes charged for the current batch only
	current int64 // the part charged for the current page
}

// charge charges n bytes that are about to be unpacked for a page. If passing is set, they are
// charged for the current batch only: an operator that keeps the page's texts longer charges them
// itself.
func (p *pages) charge(n int64, passing bool) error {
	err := p.lent.Unpack(n)
	if err == nil && passing {
		p.passing, p.current = p.passing+n, n
	}
	return err
}

// pass releases the passing charges for pages before the current one.
func (p *pages) pass() error {
	gone := p.passing - p.current
	p.passing = p.current
	if gone == 0 {
		return nil
	}
	return p.lent.Unpack(-gone)
}

// memory returns n bytes. They are valid until the row group has been read or, if last is set, as
// long as strings point into them.
func (p *pages) memory(n int, last bool) []byte {
	if p.keep && last || p.lent == nil {
		return mem.Heap(n)
	}
	return p.lent.Take(n)
}

// next returns the next page's header and unpacked bytes. The bytes are valid until the next call
// unless keep is set. ok is false at the end.
func (p *pages) next() (h pageHeader, body []byte, ok bool, err error) {
	if len(p.data) == 0 {
		return h, nil, false, nil
	}
	n, err := h.read(p.data)
	if err != nil {
		return h, nil, false, err
	}
	if p.most > 0 && h.uncompressed > p.most {
		return h, nil, false, errPageSize
	}
	if h.compressed > len(p.data)-n {
		return h, nil, false, format.Faultf("a page of %d bytes passes the end of its column", h.compressed)
	}
	raw := p.data[n : n+h.compressed]
	p.data = p.data[n+h.compressed:]
	body, err = p.unpack(&h, raw)
	return h, body, err == nil, err
}

// skip skips a page and returns its header, or nil at the end.
func (p *pages) skip() (*pageHeader, error) {
	if len(p.data) == 0 {
		return nil, nil
	}
	var h pageHeader
	n, err := h.read(p.data)
	if err == nil && h.compressed > len(p.data)-n {
		err = errThrift
	}
	if err != nil {
		return nil, err
	}
	p.data = p.data[n+h.compressed:]
	return &h, nil
}

func (p *pages) unpack(h *pageHeader, raw []byte) ([]byte, error) {
	levels := 0
	if h.typ == dataPageV2 {
		levels = h.defBytes + h.repBytes
		if levels > len(raw) || levels > h.uncompressed {
			return nil, format.Fault("the levels of a page are longer than the page")
		}
	}
	if p.codec == nil || h.typ == dataPageV2 && !h.packed {
		if h.uncompressed != len(raw) {
			return nil, errPageSize
		}
		if p.codec != nil && p.keep {
			raw = append(make([]byte, 0, len(raw)+padding), raw...)
		}
		return raw, nil
	}
	buf := p.buf
	if p.keep || cap(buf) < h.uncompressed+padding {
		n, last := h.uncompressed+padding, !p.brief || h.typ == dictionaryPage
		if err := p.charge(int64(n), p.keep && last && h.typ != dictionaryPage); err != nil {
			return nil, err
		}
		buf = p.memory(n, last)
		p.buf = buf
	}
	buf = buf[:h.uncompressed]
	copy(buf, raw[:levels])
	if h.uncompressed > levels {
		if err := p.codec(buf[levels:], raw[levels:]); err != nil {
			return nil, err
		}
	}
	if p.sole && len(p.data) == 0 {
		p.lent.Return(p.all)
	}
	return buf, nil
}

// read parses a header and returns its length.
func (h *pageHeader) read(data []byte) (int, error) {
	r := thriftReader{data: data}
	*h = pageHeader{typ: -1, packed: true}
	r.fields(func(id int, typ byte) {
		switch {
		case id == 1 && typ != thriftStruct:
			h.typ = int(r.int())
		case id == 2:
			h.uncompressed = int(r.int())
		case id == 3:
			h.compressed = int(r.int())
		case (id == 5 || id == 7 || id == 8) && typ == thriftStruct:
			h.readKind(&r, id)
		default:
			r.skip(typ, 0)
		}
	})
	negative := h.uncompressed < 0 || h.compressed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0
	if r.bad || negative || h.uncompressed > maxPage || h.defBytes > maxPage || h.repBytes > maxPage || h.values > math.MaxInt32 {
		return 0, errThrift
	}
	return r.pos, nil
}

// readKind parses the part of a header for V1 pages (field 5), dictionaries (7) or V2 pages (8).
func (h *pageHeader) readKind(r *thriftReader, kind int) {
	r.fields(func(id int, typ byte) {
		switch {
		case id == 1:
			h.values = int(r.int())
		case id == 2 && kind != 8, id == 4 && kind == 8:
			h.encoding = parquet.Encoding(r.int())
		case id == 3 && kind == 5:
			h.levels = parquet.Encoding(r.int())
		case id == 4 && kind == 5:
			h.repLevels = parquet.Encoding(r.int())
		case id == 5 && kind == 8:
			h.defBytes = int(r.int())
		case id == 6 && kind == 8:
			h.repBytes = int(r.int())
		case id == 7 && kind == 8:
			h.packed = typ == thriftTrue
		default:
			r.skip(typ, 0)
		}
	})
}
