package parquet

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/internal/parquetfile"
	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// rowGroupRows is the number of rows of the row groups written: small enough for several readers
// to share a medium-sized table, large enough for dictionaries to pay.
const rowGroupRows = 256 << 10

// encoder writes Parquet.
type encoder struct {
	format.Records
	format.Written
	w *parquetfile.Writer
}

// groupFactor is about the number of bytes of memory for each byte of a row group's rows: pages,
// dictionaries, and their compressed forms. Of a long text there are more copies at a time: the
// dictionary, the page and its compressed form, and the statistics of page and column, each with both
// bounds.
const (
	groupFactor = 5
	longFactor  = 12
	longRow     = 1 << 20
)

// NewEncoder returns a writer of Parquet files for batches of cols.
// A row group ends early if the account of its rows refuses memory for more of them.
func NewEncoder(out io.Writer, cols []catalog.Column, rows format.Written) (format.Encoder, error) {
	rows.Factor = groupFactor
	e := &encoder{Records: format.NewRecords(cols, arrow.FixedWidthTypes.Time64us), Written: rows}
	var err error
	e.w, err = parquetfile.NewWriter(out, e.Schema, parquetfile.Options{Codec: compress.Codecs.Zstd, GroupRows: rowGroupRows})
	return e, err
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error { return format.Parts(b, e.write) }

func (e *encoder) write(b *vec.Batch, size int64) error {
	if size >= longRow {
		size = size * longFactor / groupFactor
	}
	if err := e.Hold(size, e.w.EndGroup); err != nil {
		return err
	}
	rec, err := e.Record(b)
	if err != nil {
		return err
	}
	defer rec.Release()
	before := e.w.Rows()
	if err := e.w.Write(rec); err != nil {
		return err
	}
	if n := e.w.Rows(); n < before+int64(b.N) { // a row group has been written
		e.Free()
		return e.Hold(size*n/int64(b.N), e.w.EndGroup)
	}
	return nil
}

// Relieve writes the rows that are held.
func (e *encoder) Relieve() error {
	err := e.w.EndGroup()
	e.Free()
	return err
}

// Finish implements format.Encoder.
func (e *encoder) Finish() error { return e.w.Close() }
