package files

import (
	"bytes"
	"math"
	"unicode/utf8"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// csvColumn says how a column's fields become values.
type csvColumn struct {
	typ    types.Type
	forced bool     // the type was given: fractions are rounded to it, not refused
	nulls  []string // unquoted texts that mean NULL
	lo, hi int64    // of integers
}

func newCSVColumn(t types.Type, forced bool, nulls []string) csvColumn {
	c := csvColumn{typ: t, forced: forced, nulls: nulls, lo: math.MinInt64, hi: math.MaxInt64}
	switch bits := t.Bits(); {
	case t.ID == types.Year:
		c.lo, c.hi = 0, 2155
	case t.IsUnsigned():
		c.lo = 0
		if bits < 64 {
			c.hi = 1<<bits - 1
		}
	case t.IsInteger() && bits < 64:
		c.lo, c.hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	return c
}

func (c *csvColumn) isNull(text []byte) bool {
	for _, n := range c.nulls {
		if string(text) == n {
			return true
		}
	}
	return false
}

// convert turns the first n spans into a vector. Rows that do not fit are reported to
// bad and left NULL.
func (c *csvColumn) convert(t *tokenizer, spans []span, n int, dst *vec.Vector, null []bool, bad func(row int)) []bool {
	dst.Type = c.typ
	dst.Resize(n)
	null = sized(null, n)
	clear(null)
	any := false
	if c.typ.Kind() == types.KindStr {
		any = c.strings(t, spans[:n], dst.Str, null, bad)
	} else {
		for i, s := range spans[:n] {
			if s.to == s.from || !c.value(t, s, dst, i) {
				any, null[i] = true, true
				c.zero(dst, i)
				if !c.nullOrEmpty(t, s) {
					bad(i)
				}
			}
		}
	}
	if any {
		dst.Null = null
	}
	return null
}

// nullOrEmpty tells whether a field that is no value stands for NULL. In columns other
// than text a quoted empty field does, too.
func (c *csvColumn) nullOrEmpty(t *tokenizer, s span) bool {
	text := bytes.TrimSpace(t.raw(s))
	if s.to&quotedField != 0 {
		return len(text) == 0
	}
	return c.isNull(text)
}

func (c *csvColumn) zero(dst *vec.Vector, i int) {
	switch c.typ.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64[i] = 0
	case types.KindF64:
		dst.F64[i] = 0
	}
}

// value parses one field, without and then with the spaces around it removed.
func (c *csvColumn) value(t *tokenizer, s span, dst *vec.Vector, i int) bool {
	b := t.raw(s)
	if s.to&escapedField != 0 {
		b = t.d.unescape(b, s.to&quotedField != 0)
	}
	if c.parse(b, dst, i) {
		return true
	}
	trimmed := bytes.TrimSpace(b)
	return len(trimmed) != len(b) && c.parse(trimmed, dst, i)
}

func (c *csvColumn) parse(b []byte, dst *vec.Vector, i int) (ok bool) {
	switch c.typ.Kind() {
	case types.KindF64:
		dst.F64[i], ok = parseFloat(b)
		if c.typ.ID == types.Float32 {
			ok = ok && math.Abs(dst.F64[i]) <= math.MaxFloat32
			dst.F64[i] = float64(float32(dst.F64[i]))
		}
		return ok
	case types.KindDec:
		dst.Dec[i], ok = parseDecimal(b, int(c.typ.Prec), int(c.typ.Scale))
		return ok
	case types.KindNull:
		return false
	}
	dst.I64[i], ok = c.parseI64(b)
	return ok
}

func (c *csvColumn) parseI64(b []byte) (x int64, ok bool) {
	digits := 0
	switch c.typ.ID {
	case types.Bool:
		return parseBool(b)
	case types.Date:
		return parseDate(b)
	case types.Datetime, types.Timestamp:
		x, digits, ok = parseDatetime(b)
	case types.Time:
		x, digits, ok = parseTime(b)
	case types.Uint64:
		d, ok := parseDecimal(b, 20, 0)
		return int64(d.LowBits()), ok && d.HighBits() == 0
	default:
		x, ok = parseInt(b)
		return x, ok && x >= c.lo && x <= c.hi
	}
	if digits > int(c.typ.Prec) {
		rounded := roundTo(x, int(c.typ.Prec))
		ok = ok && (c.forced || rounded == x)
		x = rounded
	}
	return x, ok
}

var boolWords = map[string]int64{"true": 1, "false": 0, "TRUE": 1, "FALSE": 0, "True": 1, "False": 0,
	"t": 1, "f": 0, "T": 1, "F": 0, "1": 1, "0": 0}

func parseBool(b []byte) (int64, bool) {
	x, ok := boolWords[string(b)]
	return x, ok
}

// strings takes text as it stands; it tells whether a row is NULL.
func (c *csvColumn) strings(t *tokenizer, spans []span, dst []string, null []bool, bad func(row int)) bool {
	longest, any := 0, false
	for _, n := range c.nulls {
		longest = max(longest, len(n))
	}
	for i, s := range spans {
		if s.len() <= longest && s.to&quotedField == 0 && c.isNull(t.raw(s)) {
			dst[i], null[i], any = "", true, true
			continue
		}
		dst[i] = t.text(s)
		if limit := int(c.typ.Len); limit > 0 && len(dst[i]) > limit && c.tooLong(dst[i], limit) {
			dst[i], null[i], any = "", true, true
			bad(i)
		}
	}
	return any
}

func (c *csvColumn) tooLong(s string, limit int) bool {
	return c.typ.ID == types.Bytes || utf8.RuneCountInString(s) > limit
}
