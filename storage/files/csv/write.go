package csv

import (
	"bytes"
	"io"
	"strings"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// encoder writes CSV and TSV.
type encoder struct {
	out     io.Writer
	delim   string
	lines   string
	prefix  string
	null    string
	quote   byte
	escape  byte
	enclose Enclose
	special [256]bool // bytes that a field may not contain without quotes or escapes
	text    []bool    // by column: quoted under EncloseText
	buf     []byte
	field   []byte
	flat    []vec.Vector
}

// NewEncoder returns a writer of CSV, or of TSV if tabs is set, for batches of cols.
func NewEncoder(out io.Writer, tabs bool, cols []catalog.Column, opt WriteOptions) (format.Encoder, error) {
	e := &encoder{out: out, delim: opt.Delimiter, lines: opt.Lines, prefix: opt.LinePrefix, quote: '"', enclose: opt.Enclose,
		flat: make([]vec.Vector, len(cols)), text: make([]bool, len(cols))}
	if e.delim == "" {
		e.delim = ","
		if tabs {
			e.delim = "\t"
		}
	}
	if e.lines == "" {
		e.lines = "\n"
	}
	if opt.Quote != nil {
		e.quote = *opt.Quote
	}
	if opt.Escape != nil && *opt.Escape != e.quote {
		e.escape = *opt.Escape
		if e.escape != 0 {
			e.null = string(e.escape) + "N"
		}
	}
	if opt.NullText != nil {
		e.null = *opt.NullText
	}
	for _, c := range []byte(e.delim[:1] + e.lines[:1] + "\n\r") {
		e.special[c] = true
	}
	e.special[e.quote] = e.quote != 0
	if e.escape != 0 {
		e.special[e.escape], e.special[0] = true, true
	}
	for i, c := range cols {
		e.text[i] = c.Type.IsString() || c.Type.IsTemporal()
	}
	if opt.Header == nil || *opt.Header {
		return e, e.header(cols)
	}
	return e, nil
}

func (e *encoder) header(cols []catalog.Column) error {
	e.buf = append(e.buf[:0], e.prefix...)
	for i, c := range cols {
		if i > 0 {
			e.buf = append(e.buf, e.delim...)
		}
		if err := e.append(e.enclose != EncloseNeeded, []byte(c.Name)); err != nil {
			return err
		}
	}
	e.buf = append(e.buf, e.lines...)
	return e.flush()
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error {
	cols := make([]*vec.Vector, len(b.Cols))
	for i, c := range b.Cols {
		cols[i] = c.Simplify(&e.flat[i])
	}
	e.buf = e.buf[:0]
	for row := range b.N {
		e.buf = append(e.buf, e.prefix...)
		for i, c := range cols {
			if i > 0 {
				e.buf = append(e.buf, e.delim...)
			}
			d := catalog.DatumAt(c, row)
			if d.Null {
				e.buf = append(e.buf, e.null...)
				continue
			}
			field := unsafe.Slice(unsafe.StringData(d.Str), len(d.Str)) // a long text is not copied
			if len(field) < longField || d.Type.Kind() != types.KindStr {
				e.field = d.AppendText(e.field[:0])
				field = e.field
			}
			if err := e.append(e.enclose == EncloseAll || e.enclose == EncloseText && e.text[i], field); err != nil {
				return err
			}
		}
		e.buf = append(e.buf, e.lines...)
		if len(e.buf) >= longField {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return e.flush()
}

// longField is the number of bytes of a text from which on it is written without copies.
const longField = 64 << 10

// flush writes what has been made of the rows.
func (e *encoder) flush() error {
	_, err := e.out.Write(e.buf)
	e.buf = e.buf[:0]
	return err
}

// raw writes a text as it is.
func (e *encoder) raw(text []byte) error {
	if len(text) < longField {
		e.buf = append(e.buf, text...)
		return nil
	}
	if err := e.flush(); err != nil {
		return err
	}
	_, err := e.out.Write(text)
	return err
}

// append writes a field that is not NULL.
func (e *encoder) append(always bool, field []byte) error {
	special := false
	for _, c := range field {
		special = special || e.special[c]
	}
	quoted := e.quote != 0 && (always || e.escape == 0 && special || e.escape == 0 && e.looksNull(field))
	if quoted {
		e.buf = append(e.buf, e.quote)
	}
	var err error
	switch {
	case !special:
		err = e.raw(field)
	case e.escape != 0:
		err = e.escaped(field)
	case !quoted:
		return sqlerr.New(sqlerr.ErrorOnWrite, "'%s' holds a separator, and fields are neither enclosed nor escaped", clip(field)).
			WithHint("Add ENCLOSED BY or ESCAPED BY.")
	default:
		err = e.doubled(field)
	}
	if quoted {
		e.buf = append(e.buf, e.quote)
	}
	return err
}

// doubled writes a field whose quotes are doubled.
func (e *encoder) doubled(field []byte) error {
	for {
		i := bytes.IndexByte(field, e.quote)
		if i < 0 {
			return e.raw(field)
		}
		if err := e.raw(field[:i]); err != nil {
			return err
		}
		e.buf = append(e.buf, e.quote, e.quote)
		if field = field[i+1:]; len(e.buf) > longField {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
}

// looksNull reports whether an unquoted field would be read as NULL.
func (e *encoder) looksNull(field []byte) bool {
	if string(field) == e.null {
		return true
	}
	for _, n := range nullTexts {
		if string(field) == n {
			return true
		}
	}
	return false
}

// escaped writes a field with escapes.
func (e *encoder) escaped(field []byte) error {
	for _, c := range field {
		if len(e.buf) > longField && len(field) >= longField {
			if err := e.flush(); err != nil {
				return err
			}
		}
		switch {
		case c == 0:
			e.buf = append(e.buf, e.escape, '0')
			continue
		case c == '\n':
			e.buf = append(e.buf, e.escape, 'n')
			continue
		case c == '\r':
			e.buf = append(e.buf, e.escape, 'r')
			continue
		case e.special[c]:
			e.buf = append(e.buf, e.escape)
		}
		e.buf = append(e.buf, c)
	}
	return nil
}

// Finish implements format.Encoder.
func (e *encoder) Finish() error { return nil }

// clip shortens a text for a message.
func clip(b []byte) string {
	if len(b) > maxText {
		return strings.ToValidUTF8(string(b[:maxText]), "?") + "..."
	}
	return strings.ToValidUTF8(string(b), "?")
}
