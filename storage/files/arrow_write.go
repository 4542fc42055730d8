package files

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// rowGroupRows is the size of the row groups written: small enough that a few
// readers share even a middling table, large enough for dictionaries to pay.
const rowGroupRows = 256 << 10

// recordRows is the size of the record batches written.
const recordRows = 64 << 10

func arrowSchema(cols []catalog.Column, timeType arrow.DataType) *arrow.Schema {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: c.Name, Type: writable(c.Type).Arrow(), Nullable: !c.NotNull}
		if c.Type.ID == types.Time {
			fields[i].Type = timeType
		}
	}
	return arrow.NewSchema(fields, nil)
}

// records makes records of batches.
type records struct {
	schema *arrow.Schema
	types  []types.Type
}

func newRecords(cols []catalog.Column, timeType arrow.DataType) records {
	r := records{schema: arrowSchema(cols, timeType)}
	for _, c := range cols {
		r.types = append(r.types, writable(c.Type))
	}
	return r
}

func (r *records) record(b *vec.Batch) (arrow.Record, error) {
	cols := make([]arrow.Array, len(b.Cols))
	for i, v := range b.Cols {
		if v.Type.Kind() == types.KindNull {
			v = vec.NewNull(r.types[i], b.N)
		}
		arr, err := arrowvec.ToArray(v, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		if f := r.schema.Field(i); arr.NullN() > 0 && !f.Nullable {
			return nil, sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", f.Name)
		}
		cols[i] = relabel(arr, r.schema.Field(i).Type)
	}
	return array.NewRecord(r.schema, cols, int64(b.N)), nil
}

// relabel gives the array of a TIME column, whose values are microseconds in every
// format, the format's own type.
func relabel(arr arrow.Array, dt arrow.DataType) arrow.Array {
	if arrow.TypeEqual(arr.DataType(), dt) {
		return arr
	}
	d := arr.Data()
	return array.MakeFromData(array.NewData(dt, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()))
}

// parquetEncoder writes Parquet.
type parquetEncoder struct {
	records
	w *pqarrow.FileWriter
}

func newParquetEncoder(out io.Writer, cols []catalog.Column) (encoder, error) {
	e := &parquetEncoder{records: newRecords(cols, arrow.FixedWidthTypes.Time64us)}
	props := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST), parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithMaxRowGroupLength(rowGroupRows), parquet.WithCreatedBy("gsql"))
	var err error
	e.w, err = pqarrow.NewFileWriter(e.schema, out, props, pqarrow.DefaultWriterProps())
	return e, err
}

func (e *parquetEncoder) write(b *vec.Batch) error {
	rec, err := e.record(b)
	if err != nil {
		return err
	}
	defer rec.Release()
	return e.w.WriteBuffered(rec)
}

func (e *parquetEncoder) finish() error { return e.w.Close() }

// arrowEncoder writes the Arrow IPC file format.
type arrowEncoder struct {
	records
	w    *ipc.FileWriter
	held []arrow.Record
	rows int64
}

func newArrowEncoder(out io.Writer, cols []catalog.Column) (encoder, error) {
	e := &arrowEncoder{records: newRecords(cols, arrow.FixedWidthTypes.Duration_us)}
	var err error
	e.w, err = ipc.NewFileWriter(&positioned{w: out}, ipc.WithSchema(e.schema))
	return e, err
}

func (e *arrowEncoder) write(b *vec.Batch) error {
	rec, err := e.record(b)
	if err != nil {
		return err
	}
	e.held = append(e.held, rec)
	if e.rows += int64(b.N); e.rows >= recordRows {
		return e.flush()
	}
	return nil
}

// flush writes the batches held back as one record batch.
func (e *arrowEncoder) flush() error {
	if e.rows == 0 {
		return nil
	}
	cols := make([]arrow.Array, e.schema.NumFields())
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
	rec := array.NewRecord(e.schema, cols, e.rows)
	e.held, e.rows = e.held[:0], 0
	return e.w.Write(rec)
}

func (e *arrowEncoder) finish() error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.w.Close()
}

// positioned is a writer that knows how far it is, as the Arrow format's footer
// needs; it cannot really seek.
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

// Seek implements io.Seeker for asking the position only.
func (p *positioned) Seek(offset int64, whence int) (int64, error) {
	if offset == 0 && whence == io.SeekCurrent {
		return p.at, nil
	}
	return 0, io.ErrUnexpectedEOF
}
