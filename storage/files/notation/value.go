package notation

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/cast"
	"gsql/sql/expr"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Target is a type to which texts are converted. It is immutable.
type Target struct {
	Type   types.Type
	Rounds bool     // fractions of numbers and times are rounded to the type, not rejected
	Form   DateForm // notation of dates
	Lo, Hi int64    // bounds of integers

	members *cast.Members // of ENUM and SET
}

// NewTarget returns the target for values of type t.
func NewTarget(t types.Type, rounds bool) Target {
	c := Target{Type: t, Rounds: rounds, Lo: math.MinInt64, Hi: math.MaxInt64}
	switch bits := t.Bits(); {
	case t.IsUnsigned():
		c.Lo = 0
		if bits < 64 {
			c.Hi = 1<<bits - 1
		}
	case t.IsInteger() && bits < 64:
		c.Lo, c.Hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	if t.HasMembers() {
		c.members = cast.NewMembers(t)
	}
	return c
}

// Zero stores the zero value in row i of dst.
func (c *Target) Zero(dst *vec.Vector, i int) {
	switch c.Type.Kind() {
	case types.KindI64, types.KindU64:
		dst.I64[i] = 0
	case types.KindF64:
		dst.F64[i] = 0
	}
}

// Store returns what a column of JSON, ENUM or SET stores for a text: JSON in normal form, members
// as declared.
func (c *Target) Store(s string) (stored string, ok bool) {
	if c.members != nil {
		return c.members.Store(s)
	}
	s, err := json.Normalise(s)
	return s, err == nil
}

// Fits reports whether a text is not longer than its column allows.
func (c *Target) Fits(s string) bool {
	limit := int(c.Type.Len)
	return limit == 0 || len(s) <= limit || c.Type.ID != types.Bytes && utf8.RuneCountInString(s) <= limit
}

// Parse converts a text to row i of dst. It reports whether the text is a value of the type, which is
// no text.
func (c *Target) Parse(b []byte, dst *vec.Vector, i int) (ok bool) {
	switch c.Type.Kind() {
	case types.KindF64:
		dst.F64[i], ok = ParseFloat(b)
		if c.Type.ID == types.Float32 {
			ok = ok && math.Abs(dst.F64[i]) <= math.MaxFloat32
			dst.F64[i] = float64(float32(dst.F64[i]))
		}
		return ok
	case types.KindDec:
		if dst.Dec[i], ok = ParseDecimal(b, int(c.Type.Prec), int(c.Type.Scale)); !ok && c.Rounds {
			dst.Dec[i], ok = rounded(b, int(c.Type.Scale))
			ok = ok && dst.Dec[i].FitsInPrecision(int32(c.Type.Prec))
		}
		return ok
	case types.KindNull:
		return false
	}
	if dst.I64[i], ok = c.parseI64(b); !ok && c.Rounds && c.Type.IsInteger() && c.Type.ID != types.Year {
		dst.I64[i], ok = c.wholeOf(b)
	}
	return ok
}

// wholeOf reads a number in any notation and rounds it to an integer of the type.
func (c *Target) wholeOf(b []byte) (int64, bool) {
	n, ok := rounded(b, 0)
	lo, hi := expr.IntRange(c.Type)
	ok = ok && n.Cmp(decimal128.FromI64(lo)) >= 0 && n.Cmp(decimal128.FromU64(hi)) <= 0
	return int64(n.LowBits()), ok
}

// rounded reads a number in any notation, with an exponent too, and rounds it to a scale.
func rounded(b []byte, scale int) (decimal128.Num, bool) {
	n, ok, rest := dec128.Parse(b, scale)
	return n, ok && rest == 0 && len(b) > 0
}

func (c *Target) parseI64(b []byte) (x int64, ok bool) {
	digits := 0
	switch c.Type.ID {
	case types.Bool:
		return parseBool(b)
	case types.Date:
		return c.Form.ParseDate(b)
	case types.Datetime, types.Timestamp:
		x, digits, ok = c.Form.ParseDatetime(b)
	case types.Time:
		x, digits, ok = ParseTime(b)
	case types.Year:
		x, ok = ParseInt(b)
		x, inRange := types.WholeYear(x, len(b) != len("0000"))
		return x, ok && inRange
	case types.Uint64:
		d, ok := ParseDecimal(b, 20, 0)
		return int64(d.LowBits()), ok && d.HighBits() == 0
	default:
		x, ok = ParseInt(b)
		return x, ok && x >= c.Lo && x <= c.Hi
	}
	if digits > int(c.Type.Prec) {
		rounded := types.RoundTo(c.Type)(x)
		ok = ok && (c.Rounds || rounded == x)
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

// Misfit returns the error number and the reason why a text is no value of a type.
func Misfit(t types.Type, text string) (sqlerr.Code, string) {
	var syntax *json.SyntaxError
	switch {
	case t.HasMembers():
		return sqlerr.WarnDataTruncated, "Data truncated, the column is " + t.String()
	case t.ID == types.JSON:
		_, err := json.Parse(text)
		if errors.As(err, &syntax) {
			return sqlerr.InvalidJSONText, fmt.Sprintf("Invalid JSON text, \"%s\" at position %d", syntax.Msg, syntax.Pos)
		}
		return sqlerr.From(err).Code, sqlerr.From(err).Msg
	case t.IsNumeric():
		switch code := cast.MisfitCode(text, t); code {
		case sqlerr.WarnDataOutOfRange:
			return code, "Out of range value, the column is " + t.String()
		case sqlerr.WarnDataTruncated:
			return code, "Data truncated, only the beginning is a number"
		default:
			return code, "Incorrect " + cast.NumberName(t) + " value"
		}
	}
	return sqlerr.TruncatedWrongValueForField, "Incorrect " + t.String() + " value"
}
