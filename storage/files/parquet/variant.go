package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/json"
	"gsql/sql/types"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

var errVariant = format.Fault("a variant is malformed")

// variantNames is the dictionary of member names of a variant.
type variantNames struct {
	data   string // the whole metadata
	width  int    // bytes of an offset
	count  int
	offset int // of the first offset
}

// readVariantNames reads the metadata of a variant: a byte with the version and the width of
// offsets, the number of names, their offsets, and their bytes.
func readVariantNames(data string) (n variantNames, err error) {
	const version = 1
	if len(data) < 2 || data[0]&15 != version {
		return n, errVariant
	}
	n = variantNames{data: data, width: int(data[0]>>6) + 1}
	count, ok := variantNumber(data, 1, n.width)
	n.count, n.offset = count, 1+n.width
	if !ok || count > (len(data)-n.offset)/n.width {
		return n, errVariant
	}
	return n, nil
}

// name returns the name with the given number.
func (n *variantNames) name(i int) (string, error) {
	if i >= n.count {
		return "", errVariant
	}
	from, ok := variantNumber(n.data, n.offset+i*n.width, n.width)
	to, ok2 := variantNumber(n.data, n.offset+(i+1)*n.width, n.width)
	start := n.offset + (n.count+1)*n.width
	if !ok || !ok2 || from > to || to > len(n.data)-start {
		return "", errVariant
	}
	return nested.ToText(n.data[start+from : start+to]), nil
}

// variantNumber reads a little-endian number of width bytes.
func variantNumber(data string, at, width int) (x int, ok bool) {
	if at < 0 || width > len(data) || at > len(data)-width {
		return 0, false
	}
	for i := width - 1; i >= 0; i-- {
		x = x<<8 | int(data[at+i])
	}
	return x, true
}

// variantReader writes the binary values of a variant as JSON.
type variantReader struct {
	names variantNames
	left  int // bytes of values that may still be read: no two values share any
}

// The kinds of values, in the two lowest bits of their first byte.
const (
	variantPrimitive = iota
	variantShortText
	variantObject
	variantArray
)

// append appends the value at the start of data as JSON.
func (r *variantReader) append(dst []byte, data string, depth int) ([]byte, error) {
	if len(data) == 0 || depth > json.MaxDepth {
		return dst, errVariant
	}
	if r.left--; r.left < 0 {
		return dst, errVariant
	}
	head := int(data[0] >> 2)
	switch data[0] & 3 {
	case variantShortText:
		return r.text(dst, data, 1, head)
	case variantObject:
		members, err := r.members(nil, data, depth)
		if err != nil {
			return dst, err
		}
		return json.AppendObject(dst, members), nil
	case variantArray:
		return r.array(dst, data, depth)
	}
	return r.primitive(dst, data, head)
}

// take returns n bytes of data from at.
func (r *variantReader) take(data string, at, n int) (string, error) {
	if r.left -= n; r.left < 0 || at < 0 || n < 0 || n > len(data) || at > len(data)-n {
		return "", errVariant
	}
	return data[at : at+n], nil
}

func (r *variantReader) text(dst []byte, data string, at, n int) ([]byte, error) {
	s, err := r.take(data, at, n)
	if err != nil {
		return dst, err
	}
	return json.AppendString(dst, nested.ToText(s)), nil
}

// variantList is the layout of an object or array: count numbers of names, in objects, and count
// offsets of values from start.
type variantList struct {
	data    string
	count   int
	ids     int // position of the first number
	idWidth int // bytes of a number; 0 in arrays
	offsets int // position of the first offset
	width   int // bytes of an offset
	start   int // position of the values
}

// list reads the layout of an object or array. large is set if the number of values takes four
// bytes instead of one.
func (r *variantReader) list(data string, large bool, width, idWidth int) (l variantList, err error) {
	size := 1
	if large {
		size = 4
	}
	count, ok := variantNumber(data, 1, size)
	if !ok || count > len(data)/width {
		return l, errVariant
	}
	l = variantList{data: data, count: count, ids: 1 + size, idWidth: idWidth, width: width}
	l.offsets = l.ids + count*idWidth
	l.start = l.offsets + (count+1)*width
	if r.left -= l.start - 1; r.left < 0 || l.start > len(data) {
		return l, errVariant
	}
	return l, nil
}

// value returns the data of value i and what follows it.
func (l *variantList) value(i int) (string, error) {
	at, ok := variantNumber(l.data, l.offsets+i*l.width, l.width)
	if !ok || at > len(l.data)-l.start {
		return "", errVariant
	}
	return l.data[l.start+at:], nil
}

// members appends the members of an object.
func (r *variantReader) members(members []json.Member, data string, depth int) ([]json.Member, error) {
	if len(data) == 0 || data[0]&3 != variantObject {
		return nil, errVariant
	}
	head := int(data[0] >> 2)
	l, err := r.list(data, head>>4&1 != 0, head&3+1, head>>2&3+1)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range l.count {
		id, _ := variantNumber(data, l.ids+i*l.idWidth, l.idWidth)
		name, err := r.names.name(id)
		if err != nil {
			return nil, err
		}
		value, err := l.value(i)
		if err != nil {
			return nil, err
		}
		text, err := r.append(nil, value, depth+1)
		if err != nil {
			return nil, err
		}
		if size += len(name) + len(text); size > nested.MaxBytes {
			return nil, nested.ErrLong
		}
		members = append(members, json.Member{Name: name, Value: string(text)})
	}
	return members, nil
}

func (r *variantReader) array(dst []byte, data string, depth int) ([]byte, error) {
	head := int(data[0] >> 2)
	l, err := r.list(data, head>>2&1 != 0, head&3+1, 0)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	for i := range l.count {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		value, err := l.value(i)
		if err != nil {
			return dst, err
		}
		if dst, err = r.append(dst, value, depth+1); err != nil {
			return dst, err
		}
		if len(dst) > nested.MaxBytes {
			return dst, nested.ErrLong
		}
	}
	return append(dst, ']'), nil
}

// variantSizes are the sizes of primitive values of fixed size, by their type.
var variantSizes = map[int]int{0: 0, 1: 0, 2: 0, 3: 1, 4: 2, 5: 4, 6: 8, 7: 8, 8: 5, 9: 9, 10: 17, 11: 4, 12: 8, 13: 8, 14: 4, 17: 8, 18: 8, 19: 8, 20: 16}

// primitive appends a value of the given primitive type. Times are written as those of other
// columns, with microseconds.
func (r *variantReader) primitive(dst []byte, data string, typ int) ([]byte, error) {
	const bytesType, textType = 15, 16
	if typ == bytesType || typ == textType {
		n, ok := variantNumber(data, 1, 4)
		if !ok {
			return dst, errVariant
		}
		if typ == textType {
			return r.text(dst, data, 5, n)
		}
		s, err := r.take(data, 5, n)
		if err != nil {
			return dst, err
		}
		return json.AppendString(dst, base64.StdEncoding.EncodeToString([]byte(s))), nil
	}
	size, known := variantSizes[typ]
	if !known {
		return dst, format.Faultf("a variant has a value of the unknown type %d", typ)
	}
	s, err := r.take(data, 1, size)
	if isDecimal := typ >= 8 && typ <= 10; err == nil && isDecimal && s[0] > types.MaxPrecision {
		err = errVariant
	}
	if err != nil {
		return dst, err
	}
	return appendPrimitive(dst, []byte(s), typ), nil
}

// appendPrimitive appends the value of fixed size in b.
func appendPrimitive(dst, b []byte, typ int) []byte {
	switch typ {
	case 0:
		return append(dst, "null"...)
	case 1, 2:
		return json.Append(dst, typ == 1)
	case 7:
		return appendDouble(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
	case 14:
		return appendDouble(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	case 8, 9, 10:
		return types.AppendDecimal(dst, littleEndian(b[1:]), int(b[0]))
	case 20:
		return fmt.Appendf(dst, `"%x-%x-%x-%x-%x"`, b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	x := int64(littleEndian(b).LowBits())
	switch typ {
	case 11:
		return quoted(dst, types.T(types.Date), x)
	case 12, 13:
		return quoted(dst, types.Type{ID: types.Datetime, Prec: 6}, x)
	case 18, 19:
		return quoted(dst, types.Type{ID: types.Datetime, Prec: 6}, (x-((x%1000)+1000)%1000)/1000)
	case 17:
		return quoted(dst, types.Type{ID: types.Time, Prec: 6}, x)
	}
	return types.AppendI64(dst, types.T(types.Int64), x)
}

func quoted(dst []byte, t types.Type, x int64) []byte {
	return append(types.AppendI64(append(dst, '"'), t, x), '"')
}

func appendDouble(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case bits == 32:
		return types.AppendFloat(dst, f, bits)
	}
	return append(dst, json.Double(f)...)
}

// littleEndian reads a two's complement number of at most 16 bytes.
func littleEndian(b []byte) decimal128.Num {
	var x [16]byte
	copy(x[:], b)
	if len(b) > 0 && b[len(b)-1] >= 0x80 {
		for i := len(b); i < len(x); i++ {
			x[i] = 0xff
		}
	}
	return decimal128.New(int64(binary.LittleEndian.Uint64(x[8:])), binary.LittleEndian.Uint64(x[:8]))
}
