package jsonfile

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// walker moves through the values of a chunk.
type walker struct {
	*json.Cursor
	text  string
	path  string
	line  int64 // of the start of text
	array bool  // values are separated by commas
	bare  bool  // the next value follows no comma
	after bool  // the array has ended before the text
	last  bool  // nothing follows the text
}

func newWalker(c *chunk) (*walker, error) {
	w := &walker{text: unsafe.String(unsafe.SliceData(c.data), len(c.data)), path: c.scan.Path, line: c.line,
		array: c.scan.array, bare: c.number == 0, after: c.after, last: c.last}
	w.Cursor = json.NewCursor(w.text)
	if !utf8.Valid(c.data) {
		at := 0
		for at < len(c.data) {
			r, n := utf8.DecodeRune(c.data[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		return nil, w.wrongAt(at, format.Fault("its text is not UTF-8"))
	}
	return w, nil
}

// more moves to the next value and reports whether there is one.
func (w *walker) more() (bool, error) {
	c := w.Peek()
	switch {
	case c == 0 && w.Pos() == len(w.text):
		if w.last && w.array && !w.after {
			return false, w.wrong(format.ErrCutShort)
		}
		return false, nil
	case w.after:
		return false, w.wrong(format.Fault("something follows the array"))
	case w.array && c == ']':
		w.Accept(']')
		w.after = true
		return w.more()
	case w.array && !w.bare && !w.Accept(','):
		return false, w.wrong(format.Fault("a comma is missing"))
	}
	w.bare = false
	return true, nil
}

// value reads the value at the position, which is nested in depth others.
func (w *walker) value(depth int) (v dynamic.Value, err error) {
	ok := false
	switch c := w.Peek(); c {
	case '"':
		v.Kind = dynamic.Text
		v.Text, ok = w.String()
	case '{', '[':
		v.Kind = dynamic.Document
		v.Text, ok = w.Skip(depth)
	case 't', 'f':
		v.Kind = dynamic.Bool
		v.Text, ok = w.Skip(depth)
	case 'n':
		_, ok = w.Skip(depth)
	default:
		v.Kind = dynamic.Number
		v.Text, ok = w.Skip(depth)
	}
	if !ok {
		return v, w.syntax()
	}
	return v, nil
}

// members calls visit for each member of the object at the position, with its place in order. visit
// reads the value.
func (w *walker) members(visit func(order int, name string) error) error {
	w.Accept('{')
	if w.Accept('}') {
		return nil
	}
	for i := 0; ; i++ {
		name, ok := w.Name()
		if !ok {
			return w.syntax()
		}
		if err := visit(i, name); err != nil {
			return err
		}
		switch {
		case w.Accept(','):
		case w.Accept('}'):
			return nil
		default:
			return w.syntax()
		}
	}
}

// syntax returns the error at the position.
func (w *walker) syntax() error {
	if err := w.Err(); err != nil {
		var e *sqlerr.Error
		if errors.As(err, &e) {
			return sqlerr.New(e.Code, "file '%s', line %d: %s", w.path, w.lineAt(w.Pos()), e.Msg)
		}
		return w.wrong(format.Fault(err.Error()))
	}
	if w.Peek() == 0 && w.last {
		return w.wrong(format.ErrCutShort)
	}
	return w.wrong(format.Fault("its JSON is not valid"))
}

func (w *walker) wrong(err error) error { return w.wrongAt(w.Pos(), err) }

// wrongAt returns error 1033 with the line and the text at a position.
func (w *walker) wrongAt(at int, err error) error {
	line := w.text[at:min(len(w.text), at+30)]
	if k := bytes.IndexByte([]byte(line), '\n'); k >= 0 {
		line = line[:k]
	}
	near := ""
	if line != "" {
		near = fmt.Sprintf(", at '%s'", bytes.ToValidUTF8([]byte(line), []byte("?")))
	}
	return format.Corrupt(w.path, "line %d: %v%s", w.lineAt(at), err, near)
}

// lineAt returns the number of the line of a position.
func (w *walker) lineAt(at int) int64 {
	at = min(at, len(w.text))
	return w.line + int64(bytes.Count([]byte(w.text[:at]), []byte("\n")))
}
