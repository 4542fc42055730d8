package parquet

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/internal/mem"
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
// dictionaries, and their compressed forms.
const groupFactor = 5

// NewEncoder returns a writer of Parquet files for batches of cols.
// A row group ends early if the account refuses memory for more rows.
func NewEncoder(out io.Writer, cols []catalog.Column, account *mem.Account) (format.Encoder, error) {
	e := &encoder{Records: format.NewRecords(cols, arrow.FixedWidthTypes.Time64us), Written: format.Written{Account: account, Factor: groupFactor}}
	var err error
	e.w, err = parquetfile.NewWriter(out, e.Schema, parquetfile.Options{Codec: compress.Codecs.Zstd, GroupRows: rowGroupRows})
	return e, err
}

// Write implements format.Encoder.
func (e *encoder) Write(b *vec.Batch) error { return format.Parts(b, e.write) }

func (e *encoder) write(b *vec.Batch, size int64) error {
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

// Finish implements format.Encoder.
func (e *encoder) Finish() error { return e.w.Close() }
