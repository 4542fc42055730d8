// Package nested writes values of lists, maps and structures in Parquet and Arrow files, and those of
// JSON files, as JSON texts.
package nested

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gsql/sql/json"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// MaxBytes bounds the JSON text of a list or map.
const MaxBytes = 1 << 28

// The defects of nested values.
var (
	ErrLevels = format.Fault("the levels of its nested values do not agree")
	ErrLong   = format.Fault("a list or map takes more than 256 MB as JSON")
)

// Append appends value i of a flat vector, which must not be NULL, as JSON: dates and times as
// MySQL shows them in JSON, bytes in base64, and doubles without a JSON representation as null.
func Append(dst []byte, v *vec.Vector, i int) []byte {
	switch t := v.Type; t.Kind() {
	case types.KindF64:
		if f := v.F64[i]; math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		if t.ID == types.Float32 {
			return types.AppendFloat(dst, v.F64[i], 32)
		}
		return append(dst, json.Double(v.F64[i])...)
	case types.KindDec:
		return types.AppendDecimal(dst, v.Dec[i], int(t.Scale))
	case types.KindStr:
		return appendText(dst, t, v.Str[i])
	case types.KindU64:
		return strconv.AppendUint(dst, uint64(v.I64[i]), 10)
	case types.KindI64:
		switch {
		case t.ID == types.Bool:
			return json.Append(dst, v.I64[i] != 0)
		case t.IsTemporal():
			return append(types.AppendI64(append(dst, '"'), t, v.I64[i]), '"')
		}
		return types.AppendI64(dst, t, v.I64[i])
	}
	return append(dst, "null"...)
}

func appendText(dst []byte, t types.Type, s string) []byte {
	switch t.ID {
	case types.Bytes:
		return json.AppendString(dst, base64.StdEncoding.EncodeToString([]byte(s)))
	case types.JSON:
		if v, err := json.Parse(s); err == nil {
			return json.Append(dst, v)
		}
	}
	return json.AppendString(dst, ToText(s))
}

// Interval returns a duration of ISO 8601 such as P1M2DT3.5S.
func Interval(months, days, nanos int64) string {
	sign, size := "", uint64(nanos)
	if nanos < 0 {
		sign, size = "-", -size
	}
	seconds := fmt.Sprintf("%s%d.%09d", sign, size/1e9, size%1e9)
	return fmt.Sprintf("P%dM%dDT%sS", months, days, strings.TrimSuffix(strings.TrimRight(seconds, "0"), "."))
}

// Name returns the member name for the JSON text of a map's key.
func Name(key []byte) string {
	if v, err := json.Must(string(key)); err == nil {
		if text, ok := v.(string); ok {
			return text
		}
	}
	return string(key)
}

// ToText replaces invalid UTF-8 in s.
func ToText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
