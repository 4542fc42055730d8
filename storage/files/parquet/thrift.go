package parquet

import "gsql/storage/files/format"

var errThrift = format.Fault("a page header is malformed")

// thriftReader reads the parts of Thrift's compact protocol used by the footers and page headers
// of Parquet.
type thriftReader struct {
	data []byte
	pos  int
	bad  bool
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.data) {
		r.bad = true
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	r.bad = true
	return 0
}

func (r *thriftReader) int() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Compact type codes.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// fields calls f for each field of a structure. f must read the value or call skip.
func (r *thriftReader) fields(f func(id int, typ byte)) {
	id := 0
	for !r.bad {
		b := r.byte()
		if b == 0 {
			return
		}
		if delta := int(b >> 4); delta != 0 {
			id += delta
		} else {
			id = int(r.int())
		}
		f(id, b&15)
	}
}

// number reads an integer of any size.
func (r *thriftReader) number(typ byte) int64 {
	switch {
	case typ == thriftByte:
		return int64(int8(r.byte()))
	case typ >= thriftI16 && typ <= thriftI64:
		return r.int()
	}
	r.bad = true
	return 0
}

// text reads bytes. They share the reader's memory and are not nil.
func (r *thriftReader) text(typ byte) []byte {
	if typ != thriftBinary {
		r.bad = true
		return nil
	}
	n := r.uvarint()
	from := r.pos
	if r.advance(n); r.bad {
		return nil
	}
	return r.data[from:r.pos:r.pos]
}

// structure reads a structure's fields like fields.
func (r *thriftReader) structure(typ byte, f func(id int, typ byte)) {
	if typ != thriftStruct {
		r.bad = true
		return
	}
	r.fields(f)
}

// list calls f for each element of a list. f must read the element.
func (r *thriftReader) list(typ byte, f func(typ byte)) {
	if typ != thriftList {
		r.bad = true
		return
	}
	head := r.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = r.uvarint()
	}
	for ; n > 0 && !r.bad; n-- {
		f(head & 15)
	}
}

func (r *thriftReader) skip(typ byte, depth int) {
	if depth > 16 {
		r.bad = true
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.byte()
	case thriftDouble:
		r.advance(8)
	case thriftBinary:
		r.advance(r.uvarint())
	case thriftList, thriftSet:
		head := r.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = r.uvarint()
		}
		for ; n > 0 && !r.bad; n-- {
			r.element(head&15, depth)
		}
	case thriftMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		for types := r.byte(); n > 0 && !r.bad; n-- {
			r.element(types>>4, depth)
			r.element(types&15, depth)
		}
	case thriftStruct:
		r.fields(func(_ int, t byte) { r.skip(t, depth+1) })
	default:
		r.int()
	}
}

// element skips an element of a collection. Unlike in fields, a boolean takes a byte there.
func (r *thriftReader) element(typ byte, depth int) {
	if typ == thriftTrue || typ == thriftFalse {
		typ = thriftByte
	}
	r.skip(typ, depth+1)
}

func (r *thriftReader) advance(n uint64) {
	if n > uint64(len(r.data)-r.pos) {
		r.bad = true
		return
	}
	r.pos += int(n)
}
