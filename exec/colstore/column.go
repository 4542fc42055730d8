package colstore

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// column is a growing flat column. The buffer of its kind is set once it has rows; null is set
// once there is a NULL.
type column struct {
	t    types.Type
	kind types.Kind
	i64  *mem.Buffer[int64]
	f64  *mem.Buffer[float64]
	dec  *mem.Buffer[decimal128.Num]
	str  []string
	null *mem.Buffer[bool]
	own  bool // some texts are not shared: see vec.Vector.SharesTexts
	// flags is memory reserved for null, with arbitrary contents.
	flags *mem.Buffer[bool]
}

// reserve makes the column large enough for n rows.
func (c *column) reserve(a *mem.Account, n int) error {
	switch c.kind {
	case types.KindI64, types.KindU64:
		return mem.ScratchRoom(a, &c.i64, n)
	case types.KindF64:
		return mem.ScratchRoom(a, &c.f64, n)
	case types.KindDec:
		return mem.ScratchRoom(a, &c.dec, n)
	case types.KindStr:
		return c.growStrings(a, n)
	}
	return nil
}

// scratch allocates an empty column for n rows and as many flags, without clearing the memory.
func (c *column) scratch(a *mem.Account, n int) (err error) {
	switch c.kind {
	case types.KindI64, types.KindU64:
		c.i64, err = mem.Scratch[int64](a, n)
	case types.KindF64:
		c.f64, err = mem.Scratch[float64](a, n)
	case types.KindDec:
		c.dec, err = mem.Scratch[decimal128.Num](a, n)
	case types.KindStr:
		err = c.growStrings(a, n)
	}
	if err == nil && c.kind != types.KindNull {
		c.flags, err = mem.Scratch[bool](a, max(n, c.capacity()))
	}
	return err
}

// append copies the rows of v to the slots from rows on.
func (c *column) append(a *mem.Account, rows int, v *vec.Vector) error {
	if err := c.reserve(a, rows+v.N); err != nil {
		return err
	}
	if c.kind != types.KindNull && (c.null != nil || v.MayHaveNulls()) {
		if c.null == nil {
			if c.null, c.flags = c.flags, nil; c.null != nil {
				clear(c.null.S[:rows])
			}
		}
		// The flags of earlier rows are zero in a new buffer: those rows are not NULL.
		if err := mem.Room(a, &c.null, max(rows+v.N, c.capacity())); err != nil {
			return err
		}
	}
	c.put(rows, v)
	c.own = c.own || v.Type.ID != types.Null && !v.SharesTexts()
	return nil
}

// capacity returns the number of rows that fit without growing.
func (c *column) capacity() int {
	switch {
	case c.i64 != nil:
		return len(c.i64.S)
	case c.f64 != nil:
		return len(c.f64.S)
	case c.dec != nil:
		return len(c.dec.S)
	}
	return len(c.str)
}

// put writes the rows of v to the slots from at on, which must be reserved.
func (c *column) put(at int, v *vec.Vector) {
	switch c.kind {
	case types.KindI64, types.KindU64:
		copyRows(c.i64.S[at:at+v.N], v, payloadI64)
	case types.KindF64:
		copyRows(c.f64.S[at:at+v.N], v, payloadF64)
	case types.KindDec:
		copyRows(c.dec.S[at:at+v.N], v, payloadDec)
	case types.KindStr:
		copyRows(c.str[at:at+v.N], v, payloadStr)
	}
	if c.null != nil {
		copyNulls(c.null.S[at:at+v.N], v)
	}
}

func payloadI64(v *vec.Vector) []int64          { return v.I64 }
func payloadF64(v *vec.Vector) []float64        { return v.F64 }
func payloadDec(v *vec.Vector) []decimal128.Num { return v.Dec }
func payloadStr(v *vec.Vector) []string         { return v.Str }

// copyRows writes the values of v to dst, which has v.N slots. For the negative indexes by which
// a view marks NULLs, it writes zeros. A vector of type NULL has no payload.
func copyRows[T any](dst []T, v *vec.Vector, payload func(*vec.Vector) []T) {
	var zero T
	switch {
	case v.Type.ID == types.Null:
		for i := range dst {
			dst[i] = zero
		}
	case v.Form == vec.Const:
		x := payload(v)[0]
		for i := range dst {
			dst[i] = x
		}
	case v.Form == vec.View:
		src := payload(v.Base)
		for i, x := range v.Idx[:len(dst)] {
			if uint32(x) < uint32(len(src)) {
				dst[i] = src[x]
			} else {
				dst[i] = zero
			}
		}
	default:
		copy(dst, payload(v))
	}
}

func copyNulls(dst []bool, v *vec.Vector) {
	switch {
	case v.Type.ID == types.Null:
		fill(dst, true)
	case v.Form == vec.View:
		null := v.Base.Null
		for i, x := range v.Idx[:len(dst)] {
			dst[i] = x < 0 || null != nil && null[x]
		}
	case v.Null == nil:
		fill(dst, false)
	case v.Form == vec.Const:
		fill(dst, v.Null[0])
	default:
		copy(dst, v.Null)
	}
}

func fill(dst []bool, x bool) {
	for i := range dst {
		dst[i] = x
	}
}

// vector returns the first rows rows as a vector.
func (c *column) vector(rows int) *vec.Vector {
	v := &vec.Vector{Type: c.t, N: rows, Stored: !c.own}
	if rows == 0 {
		return v
	}
	switch c.kind {
	case types.KindI64, types.KindU64:
		v.I64 = c.i64.S[:rows]
	case types.KindF64:
		v.F64 = c.f64.S[:rows]
	case types.KindDec:
		v.Dec = c.dec.S[:rows]
	case types.KindStr:
		v.Str = c.str[:rows]
	}
	if c.null != nil {
		v.Null = c.null.S[:rows]
	}
	return v
}

func (c *column) free(a *mem.Account) {
	c.i64.Free()
	c.f64.Free()
	c.dec.Free()
	c.null.Free()
	c.flags.Free()
	c.freeStrings(a)
	c.i64, c.f64, c.dec, c.null, c.flags = nil, nil, nil, nil, nil
}

// bytesFor returns the bytes that reserve takes for n rows of an empty column.
func (c *column) bytesFor(n int) int64 {
	switch c.kind {
	case types.KindI64, types.KindU64, types.KindF64:
		return 8 * int64(n)
	case types.KindDec:
		return 16 * int64(n)
	case types.KindStr:
		return headerBytes * int64(stringRoom(n))
	}
	return 0
}

func (c *column) bytes() int64 {
	n := int64(cap(c.str)) * headerBytes
	if c.null != nil {
		n += int64(len(c.null.S))
	}
	if c.flags != nil {
		n += int64(len(c.flags.S))
	}
	switch {
	case c.i64 != nil:
		n += 8 * int64(len(c.i64.S))
	case c.f64 != nil:
		n += 8 * int64(len(c.f64.S))
	case c.dec != nil:
		n += 16 * int64(len(c.dec.S))
	}
	return n
}
