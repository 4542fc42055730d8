package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// leafReader reads a leaf below a nested column entry by entry: its levels and, if they indicate
// one, a value. It decodes entries ahead in blocks.
type leafReader struct {
	columnReader
	nothing bool  // set if all values are NULL
	entries int64 // entries of the chunk from the current one on
	ahead   int   // entries of the page not yet decoded
	deeper  hybrid
	reps    []int32
	defs    []int32
	at      int // the current entry
	value   int // the current value, or the next one, in out
}

// leafEntries is the number of entries decoded at once.
const leafEntries = 1 << 12

func newLeafReader(n *schemaNode) *leafReader {
	return &leafReader{columnReader: columnReader{col: n.values}}
}

// rep returns the repetition level of the current entry, or -1 at the end.
func (l *leafReader) rep() int {
	if l.at >= len(l.reps) {
		return -1
	}
	return int(l.reps[l.at])
}

// def returns the definition level of the current entry, or -1 at the end.
func (l *leafReader) def() int {
	if l.at >= len(l.defs) {
		return -1
	}
	return int(l.defs[l.at])
}

// next advances to the next entry, if there is one.
func (l *leafReader) next() error {
	if l.at >= len(l.defs) {
		return nested.ErrLevels
	}
	if l.def() == l.col.node.maxDef {
		l.value++
	}
	l.at++
	if l.entries--; l.entries > 0 {
		return l.fill()
	}
	return nil
}

// fill ensures that there is a current entry.
func (l *leafReader) fill() error {
	for l.at >= len(l.defs) {
		if l.entries <= 0 {
			return errShort
		}
		if l.ahead == 0 {
			if err := l.nextPage(l.openNested); err != nil {
				return err
			}
		}
		if err := l.decode(min(l.ahead, leafEntries)); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes the next n entries of the page.
func (l *leafReader) decode(n int) (err error) {
	l.ahead -= n
	l.at, l.value = 0, 0
	if l.reps, err = readLevels(&l.deeper, l.reps, n, l.col.node.maxRep); err != nil {
		return err
	}
	if l.defs, err = readLevels(&l.levels, l.defs, n, l.col.node.maxDef); err != nil {
		return err
	}
	values := 0
	for _, d := range l.defs {
		if int(d) == l.col.node.maxDef {
			values++
		}
	}
	v := &l.out
	v.Type, v.Form, v.Null, v.Base, v.Idx = l.col.Type, vec.Flat, nil, nil, nil
	v.Resize(values)
	if l.nothing || values == 0 {
		return nil
	}
	if !l.coded {
		return l.values.decode(l.col, v, 0, values)
	}
	l.idx = format.Sized(l.idx, values)
	if err := l.readCodes(l.idx); err != nil {
		return err
	}
	lookUp(v, l.dict, 0, l.idx)
	return nil
}

func readLevels(h *hybrid, dst []int32, n, most int) ([]int32, error) {
	dst = format.Sized(dst, n)
	if most == 0 {
		clear(dst)
		return dst, nil
	}
	greatest, err := h.read(dst)
	if err == nil && int64(greatest) > int64(most) {
		err = format.Fault("a level is out of range")
	}
	return dst, err
}

// openNested opens a page: its levels and then its values.
func (l *leafReader) openNested(h *pageHeader, body []byte) (err error) {
	node := l.col.node
	l.ahead = h.values
	if h.typ == dataPageV2 {
		reps, defs, rest := body[:h.repBytes], body[h.repBytes:h.repBytes+h.defBytes], body[h.repBytes+h.defBytes:]
		if l.deeper, err = newHybrid(reps, bits.Len(uint(node.maxRep))); err == nil {
			l.levels, err = newHybrid(defs, bits.Len(uint(node.maxDef)))
		}
		body = rest
	} else if l.deeper, body, err = levelsOfPage(body, node.maxRep, h.repLevels); err == nil {
		l.levels, body, err = levelsOfPage(body, node.maxDef, h.levels)
	}
	if err != nil || l.nothing {
		return err
	}
	return l.openValues(h, body)
}

// levelsOfPage prepares levels that are preceded by their length, as in pages of version 1, and
// returns the rest of the page.
func levelsOfPage(body []byte, most int, enc parquet.Encoding) (h hybrid, rest []byte, err error) {
	if most == 0 {
		return h, body, nil
	}
	if enc != parquet.Encodings.RLE || len(body) < 4 {
		return h, nil, format.Fault("levels are not run-length encoded")
	}
	size := int(binary.LittleEndian.Uint32(body))
	if size > len(body)-4 {
		return h, nil, errShort
	}
	h, err = newHybrid(body[4:4+size], bits.Len(uint(most)))
	return h, body[4+size:], err
}

// append appends the current value as JSON.
func (l *leafReader) append(dst []byte) ([]byte, error) {
	if l.nothing {
		return append(dst, "null"...), nil
	}
	if l.value >= l.out.N {
		return dst, nested.ErrLevels
	}
	return nested.Append(dst, &l.out, l.value), nil
}
