package arrow

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

const (
	// recordRows is the number of rows of the record batches written.
	recordRows = 64 << 10
	// heldFactor is the number of bytes of memory for each byte of the rows held: they are copied once
	// more to make one record of them.
	heldFactor = 2
)

// encoder writes the Arrow IPC file format.
type encoder struct {
	format.Records
	format.Written
	w    *ipc.FileWriter
	held []arrow.Record // not yet written
	rows int64          // number of rows in held
}

// NewEncoder returns a writer of the Arrow IPC file format for batches of cols.
// A record batch ends early if the account of its rows refuses memory for more of them.
func NewEncoder(out io.Writer, cols []catalog.Column, rows format.Written) (format.Encoder, error) {
	rows.Factor = heldFactor
	e := &encoder{Records: format.NewRecords(cols, arrow.FixedWidthTypes.Duration_us), Written: rows}
	var err error
	e.w, err = ipc.NewFileWriter(&positioned{w: out}, ipc.WithSchema(e.Schema))
	return e, err
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error { return format.Parts(b, e.write) }

func (e *encoder) write(b *vec.Batch, size int64) error {
	if err := e.Hold(size, e.flush); err != nil {
		return err
	}
	rec, err := e.Record(b)
	if err != nil {
		return err
	}
	e.held = append(e.held, rec)
	if e.rows += int64(b.N); e.rows >= recordRows {
		return e.flush()
	}
	return nil
}

// Relieve writes the rows that are held.
func (e *encoder) Relieve() error { return e.flush() }

// flush writes the held batches as one record batch.
func (e *encoder) flush() error {
	if e.rows == 0 {
		return nil
	}
	if len(e.held) == 1 {
		return e.writeRecord(e.held[0])
	}
	cols := make([]arrow.Array, e.Schema.NumFields())
	for i := range cols {
		parts := make([]arrow.Array, len(e.held))
		for j, rec := range e.held {
			parts[j] = rec.Column(i)
		}
		var err error
		if cols[i], err = array.Concatenate(parts, memory.DefaultAllocator); err != nil {
			return err
		}
	}
	return e.writeRecord(array.NewRecord(e.Schema, cols, e.rows))
}

// writeRecord writes the held rows, which are in one record.
func (e *encoder) writeRecord(rec arrow.Record) error {
	clear(e.held)
	e.held, e.rows = e.held[:0], 0
	err := e.w.Write(rec)
	e.Free()
	return err
}

// Finish implements format.Encoder.
func (e *encoder) Finish() error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.w.Close()
}

// positioned is a writer that tracks its position, which the footer of the Arrow format requires.
// It cannot seek.
type positioned struct {
	w  io.Writer
	at int64
}

// Write implements io.Writer.
func (p *positioned) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.at += int64(n)
	return n, err
}

// Seek implements io.Seeker, but only to report the position.
func (p *positioned) Seek(offset int64, whence int) (int64, error) {
	if offset == 0 && whence == io.SeekCurrent {
		return p.at, nil
	}
	return 0, io.ErrUnexpectedEOF
}
