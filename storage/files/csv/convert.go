package csv

import (
	"bytes"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// column determines how the fields of a column are converted to values.
type column struct {
	notation.Target
	nulls []string // unquoted texts that mean NULL
}

func newColumn(t types.Type, forced bool, nulls []string) column {
	return column{notation.NewTarget(t, forced), nulls}
}

func (c *column) isNull(text []byte) bool {
	for _, n := range c.nulls {
		if string(text) == n {
			return true
		}
	}
	return false
}

// conversion converts the spans of a column to a vector.
type conversion struct {
	*column
	t    *tokenizer
	dst  *vec.Vector
	null []bool
	any  bool // set if a row is NULL
	bad  func(row int)
}

// convert converts the first n spans to dst. Rows that do not fit are reported to bad and become
// NULL. It returns null extended to n rows, reusing its memory.
func (c *column) convert(t *tokenizer, spans []span, n int, dst *vec.Vector, null []bool, bad func(row int)) []bool {
	dst.Type = c.Type
	dst.Resize(n)
	null = format.Sized(null, n)
	clear(null)
	v := conversion{column: c, t: t, dst: dst, null: null, bad: bad}
	v.all(spans[:n])
	if v.any {
		dst.Null = null
	}
	return null
}

func (v *conversion) all(spans []span) {
	switch {
	case v.Type.ID == types.JSON || v.Type.HasMembers():
		v.strings(spans)
		v.fit()
	case v.Type.Kind() == types.KindStr:
		v.strings(spans)
	case v.Type.ID == types.Float64:
		v.doubles(spans)
	case v.Type.Kind() == types.KindDec && v.Type.Scale <= 18:
		v.decimals(spans)
	case v.Type.ID == types.Date:
		v.dates(spans)
	case v.Type.ID == types.Datetime || v.Type.ID == types.Timestamp:
		v.datetimes(spans)
	case v.Type.IsInteger() && v.Type.ID != types.Bool && v.Type.ID != types.Uint64 && v.Type.ID != types.Year:
		v.integers(spans)
	default:
		for i, s := range spans {
			v.one(i, s)
		}
	}
}

func (v *conversion) integers(spans []span) {
	data, dst := v.t.data, v.dst.I64[:len(spans)]
	for i, s := range spans {
		n := s.len()
		if n <= 8 && s.to&escapedField == 0 {
			if x, ok := eight(data, int(s.from), n); ok && n > 0 && int64(x) <= v.Hi {
				dst[i] = int64(x)
				continue
			}
		}
		x, ok := wholeAt(data, int(s.from), n)
		if dst[i] = x; !ok || x < v.Lo || x > v.Hi || s.to&escapedField != 0 {
			v.one(i, s)
		}
	}
}

func (v *conversion) doubles(spans []span) {
	data, dst := v.t.data, v.dst.F64[:len(spans)]
	for i, s := range spans {
		x, ok := doubleAt(data, int(s.from), s.len())
		if dst[i] = x; !ok || s.to&escapedField != 0 {
			v.one(i, s)
		}
	}
}

func (v *conversion) decimals(spans []span) {
	data, dst := v.t.data, v.dst.Dec[:len(spans)]
	for i, s := range spans {
		x, ok := decimalAt(data, int(s.from), s.len(), int(v.Type.Prec), int(v.Type.Scale))
		if dst[i] = decimal128.FromI64(x); !ok || s.to&escapedField != 0 {
			v.one(i, s)
		}
	}
}

func (v *conversion) dates(spans []span) {
	data, dst := v.t.data, v.dst.I64[:len(spans)]
	for i, s := range spans {
		x, ok := dateAt(data, int(s.from))
		if dst[i] = x; !ok || s.len() != len("YYYY-MM-DD") || s.to&escapedField != 0 {
			v.one(i, s)
		}
	}
}

func (v *conversion) datetimes(spans []span) {
	data, dst := v.t.data, v.dst.I64[:len(spans)]
	for i, s := range spans {
		x, ok := datetimeAt(data, int(s.from))
		if dst[i] = x; !ok || s.len() != len("YYYY-MM-DD HH:MM:SS") || s.to&escapedField != 0 {
			v.one(i, s)
		}
	}
}

// one converts a field of any notation.
func (v *conversion) one(i int, s span) {
	if s.to != s.from && v.value(v.t, s, v.dst, i) {
		return
	}
	v.any, v.null[i] = true, true
	v.Zero(v.dst, i)
	if !v.nullOrEmpty(v.t, s) {
		v.bad(i)
	}
}

// nullOrEmpty reports whether a field without a value means NULL. Outside text columns a quoted
// empty field does, too.
func (c *column) nullOrEmpty(t *tokenizer, s span) bool {
	text := bytes.TrimSpace(t.raw(s))
	if s.to&quotedField != 0 {
		return len(text) == 0
	}
	return c.isNull(text)
}

// value parses one field, first with the spaces around it and then without.
func (c *column) value(t *tokenizer, s span, dst *vec.Vector, i int) bool {
	b := t.raw(s)
	if s.to&escapedField != 0 {
		b = t.d.unescape(b, s.to&quotedField != 0)
	}
	if c.Parse(b, dst, i) {
		return true
	}
	trimmed := bytes.TrimSpace(b)
	return len(trimmed) != len(b) && c.Parse(trimmed, dst, i)
}

// strings converts text fields. The strings share the chunk's memory unless they have escapes.
func (v *conversion) strings(spans []span) {
	longest := 0
	for _, n := range v.nulls {
		longest = max(longest, len(n))
	}
	t, limit, dst := v.t, int(v.Type.Len), v.dst.Str[:len(spans)]
	for i, s := range spans {
		if s.len() <= longest && s.to&quotedField == 0 && v.isNull(t.raw(s)) {
			dst[i], v.null[i], v.any = "", true, true
			continue
		}
		if s.to&escapedField == 0 {
			raw := t.raw(s)
			dst[i] = unsafe.String(unsafe.SliceData(raw), len(raw))
		} else {
			dst[i] = t.text(s)
		}
		if limit > 0 && len(dst[i]) > limit && !v.Fits(dst[i]) {
			dst[i], v.null[i], v.any = "", true, true
			v.bad(i)
		}
	}
}
