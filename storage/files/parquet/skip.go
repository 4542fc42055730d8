package parquet

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// skip implements vectorReader. It passes over whole pages by their headers.
func (r *columnReader) skip(rows int64) error {
	for rows > 0 {
		if r.left == 0 {
			skipped, err := r.skipPages(rows)
			if err != nil {
				return err
			}
			if rows -= skipped; rows == 0 {
				return nil
			}
			if err := r.pages.pass(); err != nil {
				return err
			}
			if err := r.nextPage(r.openPage); err != nil {
				return err
			}
		}
		n := int(min(rows, int64(r.left)))
		if n < r.left {
			if err := r.discard(n); err != nil {
				return err
			}
		}
		r.left -= n
		r.row += int64(n)
		rows -= int64(n)
	}
	return nil
}

// skipPages passes over the next pages as long as they have at most the given number of rows
// together, and returns their number of rows. It decodes the dictionary if it comes across it.
func (r *columnReader) skipPages(rows int64) (skipped int64, err error) {
	for {
		rest := r.pages
		h, err := rest.skip()
		switch {
		case err != nil:
			return skipped, err
		case h == nil && skipped < rows:
			return skipped, errShort
		case h == nil:
			return skipped, nil
		case h.typ == dataPage || h.typ == dataPageV2:
			if int64(h.values) > rows-skipped {
				return skipped, nil
			}
			skipped += int64(h.values)
			r.row += int64(h.values)
			r.pages = rest
			continue
		}
		head, body, _, err := r.pages.next()
		if err == nil && head.typ == dictionaryPage {
			err = r.readDictionary(&head, body)
		}
		if err != nil {
			return skipped, err
		}
	}
}

// discard passes over n rows of the current page.
func (r *columnReader) discard(n int) error {
	valid := n
	if r.col.optional && !r.levels.constant(n, 1) {
		r.null = format.Sized(r.null, n)
		var err error
		if valid, err = r.levels.zeros(r.null); err != nil {
			return err
		}
	}
	if r.coded {
		return r.codes.skip(valid)
	}
	if plain, ok := r.values.(*plainDecoder); ok {
		return plain.skip(r.col, valid)
	}
	for valid > 0 { // later values depend on earlier ones
		m := min(valid, vec.BatchSize)
		v := &r.out
		v.Type, v.Form, v.Null, v.Base, v.Idx = r.col.Type, vec.Flat, nil, nil, nil
		v.Resize(m)
		if err := r.values.decode(r.col, v, 0, m); err != nil {
			return err
		}
		valid -= m
	}
	return nil
}

// skip passes over n values.
func (p *plainDecoder) skip(c *column, n int) (err error) {
	switch c.physical {
	case parquet.Types.Boolean:
		if p.bit+n > len(p.data)*8 {
			return errShort
		}
		p.bit += n
	case parquet.Types.ByteArray:
		data := p.data
		for range n {
			if len(data) < 4 {
				return errShort
			}
			size := int(binary.LittleEndian.Uint32(data))
			if size > len(data)-4 {
				return errShort
			}
			data = data[4+size:]
		}
		p.data = data
	default:
		_, err = p.take(n, c.bytesPerValue())
	}
	return err
}

// skip passes over n values.
func (h *hybrid) skip(n int) error {
	for n > 0 {
		if h.left == 0 {
			if err := h.run(); err != nil {
				return err
			}
		}
		m := min(h.left, n)
		if h.packed {
			h.bit += m * int(h.width)
		}
		h.left -= m
		n -= m
	}
	return nil
}
