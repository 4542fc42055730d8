package csv

import (
	"bytes"
	"math"
	"unicode/utf8"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/cast"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// column determines how the fields of a column are converted to values.
type column struct {
	typ    types.Type
	forced bool     // the type was declared: fractions are rounded to it, not rejected
	form   dateForm // notation of dates
	nulls  []string // unquoted texts that mean NULL
	lo, hi int64    // bounds of integers

	members *cast.Members // of ENUM and SET
}

func newColumn(t types.Type, forced bool, nulls []string) column {
	c := column{typ: t, forced: forced, nulls: nulls, lo: math.MinInt64, hi: math.MaxInt64}
	switch bits := t.Bits(); {
	case t.IsUnsigned():
		c.lo = 0
		if bits < 64 {
			c.hi = 1<<bits - 1
		}
	case t.IsInteger() && bits < 64:
		c.lo, c.hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	if t.HasMembers() {
		c.members = cast.NewMembers(t)
	}
	return c
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
	dst.Type = c.typ
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
	case v.typ.ID == types.JSON || v.typ.HasMembers():
		v.strings(spans)
		v.fit()
	case v.typ.Kind() == types.KindStr:
		v.strings(spans)
	case v.typ.ID == types.Float64:
		v.doubles(spans)
	case v.typ.Kind() == types.KindDec && v.typ.Scale <= 18:
		v.decimals(spans)
	case v.typ.ID == types.Date:
		v.dates(spans)
	case v.typ.ID == types.Datetime || v.typ.ID == types.Timestamp:
		v.datetimes(spans)
	case v.typ.IsInteger() && v.typ.ID != types.Bool && v.typ.ID != types.Uint64 && v.typ.ID != types.Year:
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
			if x, ok := eight(data, int(s.from), n); ok && n > 0 && int64(x) <= v.hi {
				dst[i] = int64(x)
				continue
			}
		}
		x, ok := wholeAt(data, int(s.from), n)
		if dst[i] = x; !ok || x < v.lo || x > v.hi || s.to&escapedField != 0 {
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
		x, ok := decimalAt(data, int(s.from), s.len(), int(v.typ.Prec), int(v.typ.Scale))
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
	v.zero(v.dst, i)
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

func (c *column) zero(dst *vec.Vector, i int) {
	switch c.typ.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64[i] = 0
	case types.KindF64:
		dst.F64[i] = 0
	}
}

// value parses one field, first with the spaces around it and then without.
func (c *column) value(t *tokenizer, s span, dst *vec.Vector, i int) bool {
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

func (c *column) parse(b []byte, dst *vec.Vector, i int) (ok bool) {
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

func (c *column) parseI64(b []byte) (x int64, ok bool) {
	digits := 0
	switch c.typ.ID {
	case types.Bool:
		return parseBool(b)
	case types.Date:
		return c.form.parseDate(b)
	case types.Datetime, types.Timestamp:
		x, digits, ok = c.form.parseDatetime(b)
	case types.Time:
		x, digits, ok = parseTime(b)
	case types.Year:
		x, ok = ParseInt(b)
		x, inRange := types.WholeYear(x, len(b) != len("0000"))
		return x, ok && inRange
	case types.Uint64:
		d, ok := parseDecimal(b, 20, 0)
		return int64(d.LowBits()), ok && d.HighBits() == 0
	default:
		x, ok = ParseInt(b)
		return x, ok && x >= c.lo && x <= c.hi
	}
	if digits > int(c.typ.Prec) {
		rounded := types.RoundTo(c.typ)(x)
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

// strings converts text fields. The strings share the chunk's memory unless they have escapes.
func (v *conversion) strings(spans []span) {
	longest := 0
	for _, n := range v.nulls {
		longest = max(longest, len(n))
	}
	t, limit, dst := v.t, int(v.typ.Len), v.dst.Str[:len(spans)]
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
		if limit > 0 && len(dst[i]) > limit && v.tooLong(dst[i], limit) {
			dst[i], v.null[i], v.any = "", true, true
			v.bad(i)
		}
	}
}

func (c *column) tooLong(s string, limit int) bool {
	return c.typ.ID == types.Bytes || utf8.RuneCountInString(s) > limit
}
