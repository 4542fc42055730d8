package parquet

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// columnReader decodes one column chunk from its start. Its vectors are valid until the next
// read; strings and dictionaries stay valid.
type columnReader struct {
	col    *column
	pages  pages
	shared *sharedColumn
	text   bool        // values must be UTF-8
	dict   *vec.Vector // the chunk's dictionary, or nil

	left   int // rows remaining in the current page
	levels hybrid
	row    int64    // row of the row group at which the next read begins
	coded  bool     // the page holds dictionary codes
	page   pageText // class of the text in a text page without codes
	codes  hybrid
	values valueDecoder

	out  vec.Vector
	lent vec.Vector // vector in the page's memory
	null []bool
	idx  []int32
}

// read returns the next n rows. Strings of dictionary pages are returned as a view of the
// dictionary, all other values as a flat vector.
func (r *columnReader) read(n int) (*vec.Vector, error) {
	if err := r.pages.pass(); err != nil {
		return nil, err
	}
	if r.left == 0 {
		if err := r.nextPage(r.openPage); err != nil {
			return nil, err
		}
	}
	if v := r.inPlace(n); v != nil {
		return v, nil
	}
	v := &r.out
	v.Type, v.Form, v.N, v.Null, v.Base, v.Idx = r.col.Type, vec.Flat, n, nil, nil, nil
	view := false
	for at := 0; at < n; {
		if r.left == 0 {
			if err := r.nextPage(r.openPage); err != nil {
				return nil, err
			}
			continue
		}
		asView := r.coded && v.Type.Kind() == types.KindStr
		switch {
		case at == 0 && asView:
			view = true
			r.idx = format.Sized(r.idx, n)
		case at == 0:
			v.Resize(n)
		case view && !asView: // the writer abandoned its dictionary within this batch
			r.spell(v, n, at)
			view = false
		}
		m := min(n-at, r.left)
		err := r.fill(v, at, m, view)
		if err == nil && r.text {
			err = r.checkText(v, at, m, view)
		}
		if err != nil {
			return nil, err
		}
		r.left -= m
		at += m
	}
	r.row += int64(n)
	if view {
		v.Form, v.N, v.Base, v.Idx, v.Null = vec.View, n, r.dict, r.idx[:n], nil
	}
	return v, nil
}

// inPlace returns the next n rows in the page's memory, or nil if they must be decoded.
func (r *columnReader) inPlace(n int) *vec.Vector {
	plain, ok := r.values.(*plainDecoder)
	if !ok || r.coded || n > r.left || n > len(plain.data)/8 || !r.col.verbatim() || r.col.optional && !r.levels.constant(n, 1) {
		return nil
	}
	data := plain.data[:8*n]
	plain.data = plain.data[8*n:]
	r.left -= n
	v := &r.lent
	v.Type, v.N = r.col.Type, n
	if v.Type.Kind() == types.KindF64 {
		v.F64 = unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(data))), n)
	} else {
		v.I64 = unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(data))), n)
	}
	return v
}

// verbatim reports whether plain pages store the column's values in the layout of vectors.
func (c *column) verbatim() bool {
	return c.physical == parquet.Types.Double || c.physical == parquet.Types.Int64 && c.Type.Kind() != types.KindDec && c.mul == 0 && c.div == 0
}

// spell replaces the first at codes by their strings.
func (r *columnReader) spell(v *vec.Vector, n, at int) {
	null := v.Null
	v.Resize(n)
	v.Null = null
	for i, x := range r.idx[:at] {
		if x >= 0 {
			v.Str[i] = r.dict.Str[x]
		}
	}
}

// fill decodes the next m rows of the current page into rows [at, at+m) of v.
func (r *columnReader) fill(v *vec.Vector, at, m int, view bool) error {
	valid, err := r.readLevels(v, at, m)
	if err != nil {
		return err
	}
	switch {
	case view:
		err = r.readCodes(r.idx[at : at+valid])
	case r.coded:
		r.idx = format.Sized(r.idx, max(v.N, m))
		if err = r.readCodes(r.idx[:valid]); err == nil {
			lookUp(v, r.dict, at, r.idx[:valid])
		}
	default:
		err = r.values.decode(r.col, v, at, valid)
	}
	if err != nil || valid == m {
		return err
	}
	if view {
		spread(r.idx[at:at+m], v.Null[at:at+m], valid, -1)
		return nil
	}
	spreadPayload(v, at, m, valid)
	return nil
}

// readLevels determines which of the next m rows are NULL and returns the number of those that
// are not.
func (r *columnReader) readLevels(v *vec.Vector, at, m int) (int, error) {
	if !r.col.optional || r.levels.constant(m, 1) {
		if v.Null != nil {
			clear(v.Null[at : at+m])
		}
		return m, nil
	}
	if v.Null == nil {
		r.null = format.Sized(r.null, v.N)
		v.Null = r.null
		clear(v.Null[:at])
	}
	return r.levels.zeros(v.Null[at : at+m])
}

func (r *columnReader) readCodes(dst []int32) error {
	most, err := r.codes.read(dst)
	if err == nil && len(dst) > 0 && int(most) >= r.dict.N {
		err = format.ErrCode
	}
	return err
}

func lookUp(v, dict *vec.Vector, at int, codes []int32) {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		pick(v.I64[at:], dict.I64, codes)
	case types.KindF64:
		pick(v.F64[at:], dict.F64, codes)
	case types.KindDec:
		pick(v.Dec[at:], dict.Dec, codes)
	case types.KindStr:
		pick(v.Str[at:], dict.Str, codes)
	}
}

func pick[T any](dst, dict []T, codes []int32) {
	dst = dst[:len(codes)]
	for i, x := range codes {
		dst[i] = dict[x]
	}
}

func spreadPayload(v *vec.Vector, at, m, valid int) {
	null := v.Null[at : at+m]
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		spread(v.I64[at:at+m], null, valid, 0)
	case types.KindF64:
		spread(v.F64[at:at+m], null, valid, 0)
	case types.KindDec:
		spread(v.Dec[at:at+m], null, valid, decimal128.Num{})
	case types.KindStr:
		spread(v.Str[at:at+m], null, valid, "")
	}
}

// spread moves the first valid values of s to the rows that are not NULL, starting with the last
// one, and sets the other rows to fill.
func spread[T any](s []T, null []bool, valid int, fill T) {
	for i := len(s) - 1; i >= 0; i-- {
		if null[i] {
			s[i] = fill
			continue
		}
		valid--
		s[i] = s[valid]
	}
}

// nextPage opens the next data page. It decodes the dictionary if it comes across it.
func (r *columnReader) nextPage(open func(h *pageHeader, body []byte) error) error {
	for {
		h, body, ok, err := r.pages.next()
		if err != nil {
			return err
		}
		if !ok {
			return errShort
		}
		switch h.typ {
		case dictionaryPage:
			if err := r.readDictionary(&h, body); err != nil {
				return err
			}
		case dataPage, dataPageV2:
			if h.values > 0 {
				return open(&h, body)
			}
		}
	}
}

// readDictionary decodes the chunk's dictionary once for all its readers.
func (r *columnReader) readDictionary(h *pageHeader, body []byte) error {
	if r.dict != nil {
		return format.Fault("a column has two dictionaries")
	}
	r.shared.dictOnce.Do(func() {
		if r.shared.dictErr = r.pages.lent.Unpack(bytesPerEntry * int64(h.values)); r.shared.dictErr != nil {
			return
		}
		r.shared.dict, r.shared.dictErr = r.col.dictionary(h, body)
		if r.shared.dictErr == nil && r.text {
			r.shared.findBadCodes(body)
		}
	})
	r.dict = r.shared.dict
	return r.shared.dictErr
}

// bytesPerEntry is the largest size of a dictionary entry in memory, in bytes, without its text.
const bytesPerEntry = 16

// dictionary decodes a dictionary page.
func (c *column) dictionary(h *pageHeader, body []byte) (*vec.Vector, error) {
	if h.values > 8*len(body) {
		return nil, errShort
	}
	dict := vec.NewFlat(c.Type, h.values)
	dict.Dict = true
	return dict, (&plainDecoder{data: body}).decode(c, dict, 0, h.values)
}

func (r *columnReader) openPage(h *pageHeader, body []byte) error {
	body, err := r.openLevels(h, body)
	if err != nil {
		return err
	}
	r.left = h.values
	return r.openValues(h, body)
}

// openValues prepares the values of a page.
func (r *columnReader) openValues(h *pageHeader, body []byte) (err error) {
	r.coded = h.encoding == parquet.Encodings.RLEDict || h.encoding == parquet.Encodings.PlainDict
	if !r.coded {
		r.values, err = newDecoder(r.col, h.encoding, body, r.pages.lent.Unpack)
		if err == nil && r.text {
			r.page = r.textOf(body)
		}
		return err
	}
	if r.dict == nil {
		return format.Fault("a page of dictionary codes comes before its dictionary")
	}
	if len(body) == 0 { // all rows are NULL
		r.codes, err = newHybrid(nil, 0)
		return err
	}
	r.codes, err = newHybrid(body[1:], int(body[0]))
	return err
}

// openLevels prepares the definition levels and returns the values after them.
func (r *columnReader) openLevels(h *pageHeader, body []byte) ([]byte, error) {
	var err error
	if h.typ == dataPageV2 {
		if r.col.optional {
			r.levels, err = newHybrid(body[h.repBytes:h.repBytes+h.defBytes], 1)
		}
		return body[h.repBytes+h.defBytes:], err
	}
	if !r.col.optional {
		return body, nil
	}
	if h.levels != parquet.Encodings.RLE || len(body) < 4 {
		return nil, format.Fault("definition levels are not run-length encoded")
	}
	size := int(binary.LittleEndian.Uint32(body))
	if size > len(body)-4 {
		return nil, errShort
	}
	r.levels, err = newHybrid(body[4:4+size], 1)
	return body[4+size:], err
}
