// Package json implements MySQL's JSON values: their normal form as text, paths into them, and
// functions that change, merge, search and compare them. Columns and vectors of type JSON hold
// texts in normal form, which need not be checked again.
package json

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Value is a decoded JSON value: nil, a bool, a Number, a string, an []any or a
// map[string]any. Functions that change a value may do so in place.
type Value = any

// Number is a number as written, which preserves the distinction between integers and doubles and
// the scale of decimals.
type Number = json.Number

// MaxDepth is the maximum nesting depth of arrays and objects.
const MaxDepth = 100

// SyntaxError describes the position and kind of a syntax error in a JSON text.
type SyntaxError struct {
	Msg string // in MySQL's words
	Pos int    // byte offset in the text
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Msg }

// Parse parses any JSON text and converts its numbers to MySQL's form. Errors: a *SyntaxError,
// and 3157 for values nested too deeply.
func Parse(text string) (Value, error) { return (&Decoder{}).Parse(text) }

// Must parses a text in normal form. It returns error 3140 if the text is not valid JSON, which
// is possible in a JSON column of a file.
func Must(text string) (Value, error) { return (&Decoder{}).Must(text) }

// Must is the function Must.
func (d *Decoder) Must(text string) (Value, error) {
	if v, ok := scalar(text); ok {
		return v, nil
	}
	v, err := d.decode(text, false)
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return nil, sqlerr.New(sqlerr.InvalidJSONText, "Invalid JSON text: \"%s\" at position %d in value.", syntax.Msg, syntax.Pos)
	}
	return v, err
}

// scalar parses a number, a literal or a string without escapes, none of which need the decoder.
func scalar(text string) (v Value, ok bool) {
	switch {
	case text == "null":
		return nil, true
	case text == "true" || text == "false":
		return text == "true", true
	case len(text) < 2:
		return Number(text), text != "" && text[0]-'0' <= 9
	case text[0] == '"':
		inner := text[1 : len(text)-1]
		return inner, text[len(text)-1] == '"' && !strings.ContainsAny(inner, "\"\\")
	}
	first := strings.TrimPrefix(text, "-")
	return Number(text), first != "" && first[0]-'0' <= 9 && strings.Trim(text, "0123456789") == strings.TrimSuffix(text, first)
}

// Double returns f as a number that stays a double even if its value is integral.
func Double(f float64) Number {
	b := types.AppendFloat(nil, f, 64)
	for _, c := range b {
		if c == '.' || c == 'e' {
			return Number(b)
		}
	}
	return Number(append(b, ".0"...))
}

// Type returns the name that JSON_TYPE returns for v.
func Type(v Value) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case bool:
		return "BOOLEAN"
	case string:
		return "STRING"
	case []any:
		return "ARRAY"
	case map[string]any:
		return "OBJECT"
	case Number:
		if strings.ContainsAny(string(x), ".e") {
			return "DOUBLE"
		}
		if _, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return "INTEGER"
		}
		return "UNSIGNED INTEGER"
	}
	return ""
}

// Length returns the number of elements or members, 1 for a scalar.
func Length(v Value) int {
	switch x := v.(type) {
	case []any:
		return len(x)
	case map[string]any:
		return len(x)
	}
	return 1
}

// Depth returns 1 for scalars and empty values, else the depth of the deepest part plus one.
func Depth(v Value) int {
	deepest := 0
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			deepest = max(deepest, Depth(e))
		}
	case map[string]any:
		for _, e := range x {
			deepest = max(deepest, Depth(e))
		}
	}
	return deepest + 1
}
