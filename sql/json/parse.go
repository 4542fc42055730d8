package json

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"gsql/sql/sqlerr"
)

// Decoder parses texts like Parse and Must, but stops in a long text once Stop returns an error, which
// becomes its own.
type Decoder struct {
	Stop func() error // nil never stops
}

// Parse is the function Parse.
func (d *Decoder) Parse(text string) (Value, error) { return d.decode(text, true) }

// checkEvery is the number of values that are read between calls of Decoder.Stop.
const checkEvery = 1 << 12

// stopper calls a function now and then.
type stopper struct {
	stop func() error // or nil
	seen int          // values
	err  error        // of stop
}

// stopped reports whether reading ends before the next value.
func (s *stopper) stopped() bool {
	if s.seen++; s.stop == nil || s.seen%checkEvery != 0 {
		return false
	}
	s.err = s.stop()
	return s.err != nil
}

// parser decodes a text.
type parser struct {
	lexer
	stopper
	normal bool  // numbers take MySQL's form, and the depth is limited
	late   error // the first error of a text whose syntax is right
}

// decode parses a text. With normal set, it converts the numbers to MySQL's form.
func (d *Decoder) decode(text string, normal bool) (Value, error) {
	p := parser{lexer: lexer{text: text}, stopper: stopper{stop: d.Stop}, normal: normal}
	v, ok := p.value(1)
	if p.err != nil {
		return nil, p.err
	}
	if err := p.failure(ok); err != nil {
		return nil, err
	}
	return v, p.late
}

// failure returns the syntax error of the text, which was read to its end if ok is set, or nil.
func (l *lexer) failure(ok bool) error {
	switch {
	case !ok || !l.ended():
		return syntaxError(l.text)
	case l.wide && !utf8.ValidString(l.text):
		return &SyntaxError{"Invalid encoding in string.", 0}
	}
	return nil
}

func (p *parser) value(depth int) (v Value, ok bool) {
	if p.stopped() {
		return nil, false
	}
	if p.normal && depth > MaxDepth && p.late == nil {
		p.late = errTooDeep()
	}
	switch c := p.next(); {
	case c == '{' && depth <= maxNesting:
		return p.object(depth)
	case c == '[' && depth <= maxNesting:
		return p.array(depth)
	case c == '"':
		return p.str()
	case c == '-' || c-'0' <= 9:
		return p.numeral()
	case c == 'n':
		return nil, p.word("null")
	case c == 't':
		return true, p.word("true")
	case c == 'f':
		return false, p.word("false")
	}
	return nil, false
}

func (p *parser) numeral() (v Value, ok bool) {
	s, ok := p.number()
	if !ok || !p.normal {
		return Number(s), ok
	}
	n, err := normalNumber(s)
	if err != nil && p.late == nil {
		p.late = err
	}
	return n, true
}

func (p *parser) array(depth int) (v Value, ok bool) {
	p.pos++
	if p.next() == ']' {
		p.pos++
		return []any{}, true
	}
	a := make([]any, 0, 4)
	for {
		e, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		a = append(a, e)
		switch c := p.next(); c {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return a, true
		default:
			return nil, false
		}
	}
}

func (p *parser) object(depth int) (v Value, ok bool) {
	m := map[string]any{}
	p.pos++
	if p.next() == '}' {
		p.pos++
		return m, true
	}
	for {
		name, ok := p.name()
		if !ok {
			return nil, false
		}
		e, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		m[name] = e
		switch c := p.next(); c {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return m, true
		default:
			return nil, false
		}
	}
}

// name reads the name of a member and the colon.
func (l *lexer) name() (s string, ok bool) {
	if l.next() != '"' {
		return "", false
	}
	if s, ok = l.str(); !ok || l.next() != ':' {
		return "", false
	}
	l.pos++
	return s, true
}

func errTooDeep() error {
	return sqlerr.New(sqlerr.JSONTooDeep, "The JSON document exceeds the maximum depth.")
}

// normalNumber preserves integers of up to 64 bits; all other numbers become doubles.
func normalNumber(s string) (Number, error) {
	if len(s) <= 18 && s[0] != '-' && !strings.ContainsAny(s, ".eE") {
		return Number(s), nil
	}
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
		return "", &SyntaxError{"Number too big to be stored in double.", 0}
	}
	return Double(f), nil
}

// messages maps error messages of encoding/json to MySQL's.
var messages = []struct{ ours, mysql string }{
	{"after top-level value", "The document root must not be followed by other values."},
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

// syntaxError returns the error of a text that is not valid. The scanner of encoding/json, which
// allocates nothing, finds the place.
func syntaxError(text string) error {
	if strings.Trim(text, " \t\r\n") == "" {
		return &SyntaxError{"The document is empty.", 0}
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(bytesOf(text), new(json.RawMessage)); !errors.As(err, &syntax) || syntax.Error() == "unexpected end of JSON input" {
		return &SyntaxError{"Invalid value.", len(text)}
	}
	pos := max(int(syntax.Offset)-1, 0)
	if strings.Contains(syntax.Error(), "character ' '") && text[pos] != ' ' { // what follows the end, as it were
		pos = len(text)
	}
	for _, m := range messages {
		if strings.Contains(syntax.Error(), m.ours) {
			return &SyntaxError{m.mysql, pos}
		}
	}
	return &SyntaxError{"Invalid value.", pos}
}
