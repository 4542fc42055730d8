package json

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	// LongText is the least length in bytes of a text that a Decoder decodes part by part, so that
	// the statement can be cancelled in between.
	LongText = 1 << 20
	// partBytes is about the length of a part.
	partBytes = 64 << 10
)

// Decoder parses texts like Parse and Must, but stops in a long text once Stop returns an error, which
// becomes its own.
type Decoder struct {
	Stop func() error
	seen int // values since the last call of Stop
}

// Parse is the function Parse.
func (d *Decoder) Parse(text string) (Value, error) {
	v, err := d.decode(text)
	if err != nil {
		return nil, err
	}
	return d.normal(v, 1)
}

// decode decodes a text: a long one part by part. If that fails, decoding the whole text gives the
// error.
func (d *Decoder) decode(text string) (Value, error) {
	if d.Stop == nil || len(text) < LongText {
		return decode(text)
	}
	l := longDecoder{text: text, stop: d.Stop}
	l.from = json.NewDecoder(&l)
	l.from.UseNumber()
	v, err := l.value(1)
	if l.err != nil {
		return nil, l.err
	}
	if err == nil {
		err = ends(text, int(l.from.InputOffset()))
	}
	if err != nil {
		return decode(text)
	}
	return v, nil
}

// longDecoder decodes a long text.
type longDecoder struct {
	text string
	at   int // the next byte that from reads
	stop func() error
	err  error // of stop
	from *json.Decoder
}

// Read implements io.Reader for from.
func (l *longDecoder) Read(p []byte) (int, error) {
	if l.err = l.stop(); l.err != nil {
		return 0, l.err
	}
	rest := l.text[l.at:]
	n := copy(p, rest[:min(len(rest), partBytes)])
	if l.at += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

var errDeep = errors.New("too deep")

// value decodes the next value: at once if it is short, or else element by element.
func (l *longDecoder) value(depth int) (v Value, err error) {
	if depth > MaxDepth {
		return nil, errDeep
	}
	start := int(l.from.InputOffset())
	start += len(l.text[start:]) - len(strings.TrimLeft(l.text[start:], " \t\r\n,:"))
	if isShort(l.text[start:]) {
		err = l.from.Decode(&v)
		return v, err
	}
	t, err := l.from.Token()
	switch t {
	case json.Delim('['):
		list := []any{}
		for err == nil && l.from.More() {
			if v, err = l.value(depth + 1); err == nil {
				list = append(list, v)
			}
		}
		return list, l.close(err)
	case json.Delim('{'):
		members := map[string]any{}
		for err == nil && l.from.More() {
			var name json.Token
			if name, err = l.from.Token(); err != nil {
				break
			}
			if v, err = l.value(depth + 1); err == nil {
				members[name.(string)] = v
			}
		}
		return members, l.close(err)
	}
	return t, err
}

// close reads the end of an array or object, unless there was an error.
func (l *longDecoder) close(err error) error {
	if err == nil {
		_, err = l.from.Token()
	}
	return err
}

// isShort reports whether the value at the start of a text ends within a part.
func isShort(text string) bool {
	if len(text) <= partBytes {
		return true
	}
	depth, quoted := 0, false
	for i := 0; i < partBytes; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth <= 0 && !quoted {
			return true // the end, or a number or word, which are short
		}
	}
	return false
}
