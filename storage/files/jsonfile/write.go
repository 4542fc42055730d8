package jsonfile

import (
	"io"

	"gsql/sql/catalog"
	"gsql/sql/json"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// encoder writes rows as objects.
type encoder struct {
	out   io.Writer
	names []string // with quotes and colon
	array bool
	rows  int64
	buf   []byte
	flat  []vec.Vector
}

// NewEncoder returns a writer of batches of cols: of one object on each line, or of an array of objects
// if array is set.
func NewEncoder(out io.Writer, array bool, cols []catalog.Column) format.Encoder {
	e := &encoder{out: out, array: array, flat: make([]vec.Vector, len(cols))}
	for _, c := range cols {
		e.names = append(e.names, string(append(json.AppendString(nil, c.Name), ':')))
	}
	return e
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error {
	cols := make([]*vec.Vector, len(b.Cols))
	for i, c := range b.Cols {
		cols[i] = c.Flatten(&e.flat[i])
	}
	e.buf = e.buf[:0]
	for row := range b.N {
		e.begin()
		for i, c := range cols {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			e.buf = append(e.buf, e.names[i]...)
			if c.IsNull(row) {
				e.buf = append(e.buf, "null"...)
			} else {
				e.buf = nested.Append(e.buf, c, row)
			}
		}
		e.buf = append(e.buf, '}')
		if e.rows++; !e.array {
			e.buf = append(e.buf, '\n')
		}
		if len(e.buf) >= longRows {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return e.flush()
}

// longRows is the number of bytes of rows from which on they are written before their batch ends.
const longRows = 64 << 10

// flush writes what has been made of the rows. It keeps the buffer unless that is large.
func (e *encoder) flush() error {
	_, err := e.out.Write(e.buf)
	if e.buf = e.buf[:0]; cap(e.buf) > 16*longRows {
		e.buf = nil
	}
	return err
}

// begin begins an object.
func (e *encoder) begin() {
	switch {
	case e.array && e.rows == 0:
		e.buf = append(e.buf, "[\n"...)
	case e.array:
		e.buf = append(e.buf, ",\n"...)
	}
	e.buf = append(e.buf, '{')
}

// Finish implements format.Encoder.
func (e *encoder) Finish() error {
	end := ""
	switch {
	case e.array && e.rows == 0:
		end = "[]\n"
	case e.array:
		end = "\n]\n"
	}
	_, err := io.WriteString(e.out, end)
	return err
}
