// Package parquetfile writes Arrow records as Parquet files.
//
// It drives arrow-go's low-level Parquet writer, which encodes, compresses and lays out pages,
// and maps flat columns of Arrow to it. arrow-go's own mapping, package pqarrow, serves nested
// columns too, and links compute kernels and gRPC for it: a third of a stripped program.
package parquetfile

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"golang.org/x/sync/errgroup"
)

// Options determine how a file is written.
type Options struct {
	Codec     compress.Compression
	GroupRows int64 // rows of a row group, at most; 0 means one row group for all rows
	Workers   int   // goroutines that encode columns; 0 means one
}

// A Writer writes records of one schema as row groups of a Parquet file. It is not safe for
// concurrent use.
type Writer struct {
	schema  *arrow.Schema
	columns []columnWriter
	file    *file.Writer
	group   file.BufferedRowGroupWriter // nil before the first row
	rows    int64                       // of group
	most    int64
	workers int
}

// NewWriter returns a Writer to out, which Close closes if it is an io.Closer. It fails for
// columns of types that it cannot write: nested ones, dictionaries, and times in units other than
// microseconds.
func NewWriter(out io.Writer, schema *arrow.Schema, o Options) (*Writer, error) {
	root, err := groupNode(schema)
	if err != nil {
		return nil, err
	}
	props := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST), parquet.WithCompression(o.Codec), parquet.WithCreatedBy("gsql"))
	w := &Writer{schema: schema, most: o.GroupRows, workers: max(o.Workers, 1), file: file.NewParquetWriter(out, root, file.WithWriterProps(props))}
	for _, f := range schema.Fields() {
		w.columns = append(w.columns, columnWriter{nullable: f.Nullable})
	}
	return w, nil
}

// Write appends the rows of a record to the current row group, and to new ones as it gets full.
// The record remains the caller's.
func (w *Writer) Write(rec arrow.Record) error {
	if !rec.Schema().Equal(w.schema) {
		return fmt.Errorf("parquetfile: a record of schema %v, not %v", rec.Schema(), w.schema)
	}
	for from := int64(0); from < rec.NumRows(); {
		if w.group != nil && w.most > 0 && w.rows == w.most {
			if err := w.EndGroup(); err != nil {
				return err
			}
		}
		if w.group == nil {
			w.group, w.rows = w.file.AppendBufferedRowGroup(), 0
		}
		n := rec.NumRows() - from
		if w.most > 0 {
			n = min(n, w.most-w.rows)
		}
		if err := w.writeRows(rec, from, n); err != nil {
			return err
		}
		w.rows, from = w.rows+n, from+n
	}
	return nil
}

func (w *Writer) writeRows(rec arrow.Record, from, n int64) error {
	part := rec.NewSlice(from, from+n)
	defer part.Release()
	var g errgroup.Group
	g.SetLimit(w.workers)
	for i, arr := range part.Columns() {
		if w.workers > 1 {
			g.Go(func() error { return guard(func() error { return w.writeColumn(i, arr) }) })
		} else if err := w.writeColumn(i, arr); err != nil {
			return err
		}
	}
	return g.Wait()
}

// guard calls f and returns a panic in it, which would end the process, as an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parquetfile: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// writeColumn may be called for several columns at once: the writers of a buffered row group share
// nothing.
func (w *Writer) writeColumn(i int, arr arrow.Array) error {
	chunk, err := w.group.Column(i)
	if err == nil {
		err = w.columns[i].write(chunk, arr)
	}
	if err != nil {
		return fmt.Errorf("parquetfile: column %s: %w", w.schema.Field(i).Name, err)
	}
	return nil
}

// Rows returns the number of rows of the current row group.
func (w *Writer) Rows() int64 {
	if w.group == nil {
		return 0
	}
	return w.rows
}

// EndGroup writes the current row group out. The next row starts a new one.
func (w *Writer) EndGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group, w.rows = nil, 0
	return err
}

// Close writes what is buffered and the footer. The file is complete only if it returns nil.
func (w *Writer) Close() error {
	if err := w.EndGroup(); err != nil {
		w.file.Close()
		return err
	}
	return w.file.Close()
}
