package files

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/types"
	"gsql/sql/vec"
)

var errCode = errors.New("a dictionary code is out of range")

// columnReader decodes one column chunk from its start. Its vectors are valid until
// the next read, but strings and dictionaries stay.
type columnReader struct {
	col    *parquetColumn
	pages  pages
	shared *sharedColumn
	dict   *vec.Vector // the chunk's dictionary, or nil

	left   int // rows left in the current page
	levels hybrid
	coded  bool // the page holds dictionary codes
	codes  hybrid
	values valueDecoder

	out  vec.Vector
	lent vec.Vector // over values as they lie in a page
	null []bool
	idx  []int32
}

// read gives the next n rows. Strings of dictionary pages come as a view over the
// dictionary, all else flat.
func (r *columnReader) read(n int) (*vec.Vector, error) {
	if r.left == 0 {
		if err := r.nextPage(); err != nil {
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
			if err := r.nextPage(); err != nil {
				return nil, err
			}
			continue
		}
		asView := r.coded && v.Type.Kind() == types.KindStr
		switch {
		case at == 0 && asView:
			view = true
			r.idx = sized(r.idx, n)
		case at == 0:
			v.Resize(n)
		case view && !asView: // the writer gave up its dictionary within this batch
			r.spell(v, n, at)
			view = false
		}
		m := min(n-at, r.left)
		if err := r.fill(v, at, m, view); err != nil {
			return nil, err
		}
		r.left -= m
		at += m
	}
	if view {
		v.Form, v.N, v.Base, v.Idx, v.Null = vec.View, n, r.dict, r.idx[:n], nil
	}
	return v, nil
}

// inPlace gives the next n rows as they lie in the page, or nil where they need decoding.
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

// verbatim tells whether plain pages have the column's values as vectors do.
func (c *parquetColumn) verbatim() bool {
	return c.physical == parquet.Types.Double || c.physical == parquet.Types.Int64 && c.Type.Kind() != types.KindDec && c.mul == 0 && c.div == 0
}

// spell turns the first at codes into the strings they stand for.
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

// fill decodes m rows of the current page to rows [at, at+m).
func (r *columnReader) fill(v *vec.Vector, at, m int, view bool) error {
	valid, err := r.readLevels(v, at, m)
	if err != nil {
		return err
	}
	switch {
	case view:
		err = r.readCodes(r.idx[at : at+valid])
	case r.coded:
		r.idx = sized(r.idx, max(v.N, m))
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

// readLevels reads which of the next m rows are NULL and gives how many are not.
func (r *columnReader) readLevels(v *vec.Vector, at, m int) (int, error) {
	if !r.col.optional || r.levels.constant(m, 1) {
		if v.Null != nil {
			clear(v.Null[at : at+m])
		}
		return m, nil
	}
	if v.Null == nil {
		r.null = sized(r.null, v.N)
		v.Null = r.null
		clear(v.Null[:at])
	}
	return r.levels.zeros(v.Null[at : at+m])
}

func (r *columnReader) readCodes(dst []int32) error {
	most, err := r.codes.read(dst)
	if err == nil && len(dst) > 0 && int(most) >= r.dict.N {
		err = errCode
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

// spread moves the first valid values of s apart to the rows that are not NULL, from
// behind, and puts fill into the others.
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

// nextPage goes to the next data page, taking up the dictionary on the way.
func (r *columnReader) nextPage() error {
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
				return r.openPage(&h, body)
			}
		}
	}
}

// readDictionary takes up the chunk's dictionary, which all its readers share.
func (r *columnReader) readDictionary(h *pageHeader, body []byte) error {
	if r.dict != nil {
		return errors.New("a column has two dictionaries")
	}
	r.shared.dictOnce.Do(func() { r.shared.dict, r.shared.dictErr = r.col.dictionary(h, body) })
	r.dict = r.shared.dict
	return r.shared.dictErr
}

// dictionary decodes a dictionary page.
func (c *parquetColumn) dictionary(h *pageHeader, body []byte) (*vec.Vector, error) {
	if h.values > 8*len(body) {
		return nil, errShort
	}
	dict := vec.NewFlat(c.Type, h.values)
	dict.Dict = true
	return dict, (&plainDecoder{data: body}).decode(c, dict, 0, h.values)
}

// seek passes over rows at the start of the chunk: whole pages by their headers, the
// rest of the way by decoding.
func (r *columnReader) seek(rows int64) error {
	for rows > 0 {
		rest := r.pages
		h, err := rest.skip()
		if err != nil {
			return err
		}
		if h == nil {
			return errShort
		}
		if data := h.typ == dataPage || h.typ == dataPageV2; data && rows < int64(h.values) {
			break
		} else if data {
			rows -= int64(h.values)
			r.pages = rest
			continue
		}
		head, body, _, err := r.pages.next()
		if err != nil {
			return err
		}
		if head.typ == dictionaryPage {
			if err := r.readDictionary(&head, body); err != nil {
				return err
			}
		}
	}
	for rows > 0 {
		n := min(rows, vec.BatchSize)
		if _, err := r.read(int(n)); err != nil {
			return err
		}
		rows -= n
	}
	return nil
}

func (r *columnReader) openPage(h *pageHeader, body []byte) error {
	body, err := r.openLevels(h, body)
	if err != nil {
		return err
	}
	r.left = h.values
	r.coded = h.encoding == parquet.Encodings.RLEDict || h.encoding == parquet.Encodings.PlainDict
	if !r.coded {
		r.values, err = newDecoder(r.col, h.encoding, body)
		return err
	}
	if r.dict == nil {
		return errors.New("a page of dictionary codes comes before its dictionary")
	}
	if len(body) == 0 { // all rows are NULL
		r.codes, err = newHybrid(nil, 0)
		return err
	}
	r.codes, err = newHybrid(body[1:], int(body[0]))
	return err
}

// openLevels prepares the definition levels and gives the values behind them.
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
		return nil, errors.New("definition levels are not run-length encoded")
	}
	size := int(binary.LittleEndian.Uint32(body))
	if size > len(body)-4 {
		return nil, errShort
	}
	r.levels, err = newHybrid(body[4:4+size], 1)
	return body[4+size:], err
}
