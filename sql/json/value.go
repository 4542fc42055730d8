// Package json implements MySQL's JSON values: their normal form as text, paths into them, and
// functions that change, merge, search and compare them. Columns and vectors of type JSON hold
// texts in normal form, which need not be checked again.
package json

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

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
	v, err := d.decode(text)
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

func decode(text string) (Value, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, syntaxError(text, err)
	}
	if err := ends(text, int(d.InputOffset())); err != nil {
		return nil, err
	}
	return v, nil
}

// ends returns an error if something follows the value that ends at byte end, or the text is not
// UTF-8.
func ends(text string, end int) error {
	if rest := strings.TrimLeft(text[end:], " \t\r\n"); rest != "" {
		return &SyntaxError{"The document root must not be followed by other values.", len(text) - len(rest)}
	}
	if !utf8.ValidString(text) {
		return &SyntaxError{"Invalid encoding in string.", 0}
	}
	return nil
}

// messages maps error messages of encoding/json to MySQL's.
var messages = []struct{ ours, mysql string }{
	{"beginning of value", "Invalid value."},
	{"after object key:value pair", "Missing a comma or } after an object member."},
	{"after array element", "Missing a comma or ] after an array element."},
	{"after object key", "Missing a colon after a name of object member."},
	{"beginning of object key string", "Missing a name for object member."},
	{"in string escape code", "Invalid escape character in string."},
	{"hexadecimal character escape", "Incorrect hex digit after \\u escape in string."},
	{"in string literal", "Invalid encoding in string."},
	{"exponent of numeric literal", "Missing exponent in number."},
	{"decimal point in numeric literal", "Missing fraction part in number."},
}

func syntaxError(text string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && strings.TrimSpace(text) == "":
		return &SyntaxError{"The document is empty.", 0}
	case !errors.As(err, &syntax):
		return &SyntaxError{"Invalid value.", len(text)}
	}
	pos := max(int(syntax.Offset)-1, 0)
	for _, m := range messages {
		if strings.Contains(syntax.Error(), m.ours) {
			return &SyntaxError{m.mysql, pos}
		}
	}
	return &SyntaxError{"Invalid value.", pos}
}

// checkEvery is the number of values that are converted between calls of Decoder.Stop.
const checkEvery = 1 << 12

// normal converts the numbers within v to MySQL's form.
func (d *Decoder) normal(v Value, depth int) (Value, error) {
	if depth > MaxDepth {
		return nil, sqlerr.New(sqlerr.JSONTooDeep, "The JSON document exceeds the maximum depth.")
	}
	if d.seen++; d.seen%checkEvery == 0 && d.Stop != nil {
		if err := d.Stop(); err != nil {
			return nil, err
		}
	}
	var err error
	switch x := v.(type) {
	case Number:
		return normalNumber(string(x))
	case []any:
		for i, e := range x {
			if x[i], err = d.normal(e, depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k, e := range x {
			if x[k], err = d.normal(e, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// normalNumber preserves integers of up to 64 bits; all other numbers become doubles.
func normalNumber(s string) (Value, error) {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return Number(strconv.FormatInt(n, 10)), nil
		}
		if _, err := strconv.ParseUint(s, 10, 64); err == nil {
			return Number(s), nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, &SyntaxError{"Number too big to be stored in double.", 0}
	}
	return Double(f), nil
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
