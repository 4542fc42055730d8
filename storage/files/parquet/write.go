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
	w *parquetfile.Writer
}

// NewEncoder returns a writer of Parquet files for batches of cols.
func NewEncoder(out io.Writer, cols []catalog.Column) (format.Encoder, error) {
	e := &encoder{Records: format.NewRecords(cols, arrow.FixedWidthTypes.Time64us)}
	var err error
	e.w, err = parquetfile.NewWriter(out, e.Schema, parquetfile.Options{Codec: compress.Codecs.Zstd, GroupRows: rowGroupRows})
	return e, err
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error {
	rec, err := e.Record(b)
	if err != nil {
		return err
	}
	defer rec.Release()
	return e.w.Write(rec)
}

// Finish implements format.Encoder.
func (e *encoder) Finish() error { return e.w.Close() }
