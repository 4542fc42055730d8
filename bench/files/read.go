package main

import (
	"context"
	"hash/maphash"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/csv"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// recordRows is the number of rows in a record of arrow-go's readers.
const recordRows = 64 << 10

// consumer receives the vector of a column for each batch.
type consumer func(column int, v *vec.Vector)

// ignore is the consumer used for timing.
func ignore(int, *vec.Vector) {}

// digest is a checksum of rows, regardless of how they are batched.
type digest struct {
	rows int
	sum  uint64
}

var seed = maphash.MakeSeed()

// add implements consumer.
func (d *digest) add(column int, v *vec.Vector) {
	if column == 0 {
		d.rows += v.N
	}
	for i := range v.N {
		x := catalog.DatumAt(v, i)
		x.Type = types.Type{}
		d.sum += maphash.Comparable(seed, x) * uint64(2*column+1)
	}
}

// readGsql reads an open file with one reader. A nil f drops the batches.
func readGsql(ctx context.Context, t catalog.Table, f consumer) error {
	spec := catalog.ScanSpec{}
	for i := range t.Schema().Columns {
		spec.Columns = append(spec.Columns, i)
	}
	src, err := t.Scan(ctx, spec)
	if err != nil {
		return err
	}
	defer src.Close()
	r, err := src.NewReader()
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if b == nil || err != nil {
			return err
		}
		for i := range b.Cols {
			if f != nil {
				f(i, b.Cols[i])
			}
		}
	}
}

// readArrow reads a file with arrow-go. A nil f drops the records; otherwise they are converted to
// vectors.
func (c *benchCase) readArrow(ctx context.Context, path string, f consumer) error {
	h, err := os.Open(path)
	if err != nil {
		return err
	}
	defer h.Close()
	var records array.RecordReader
	if c.Format == "csv" {
		records = csv.NewReader(h, c.schema, csv.WithHeader(true), csv.WithChunk(recordRows))
	} else if records, err = c.parquetRecords(ctx, h); err != nil {
		return err
	}
	defer records.Release()
	var dicts arrowvec.DictCache
	for records.Next() {
		if f == nil {
			continue
		}
		rec := records.Record()
		for i, col := range rec.Columns() {
			if err := vectors(&dicts, i, col, f); err != nil {
				return err
			}
		}
	}
	if err := records.Err(); err != io.EOF {
		return err
	}
	return nil
}

func (c *benchCase) parquetRecords(ctx context.Context, h *os.File) (pqarrow.RecordReader, error) {
	r, err := file.NewParquetReader(h)
	if err != nil {
		return nil, err
	}
	props := pqarrow.ArrowReadProperties{BatchSize: recordRows}
	for i, f := range c.schema.Fields() {
		if c.dictionary && arrow.IsBaseBinary(f.Type.ID()) { // arrow-go's counterpart of views
			props.SetReadDict(i, true)
		}
	}
	fr, err := pqarrow.NewFileReader(r, props, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	return fr.GetRecordReader(ctx, nil, nil)
}

// vectors converts an array into vectors with as many rows as gsql's batches have.
func vectors(dicts *arrowvec.DictCache, column int, col arrow.Array, f consumer) error {
	t, ok := types.FromArrow(col.DataType())
	if !ok {
		return sqlerr.Unsupported(-1, "%s", col.DataType())
	}
	if row, value := arrowvec.CheckText(col); row >= 0 {
		return types.NotText(value, "", int64(row))
	}
	var v vec.Vector
	for at := 0; at < col.Len(); at += vec.BatchSize {
		if err := dicts.FromArray(col, t, at, min(at+vec.BatchSize, col.Len()), &v); err != nil {
			return err
		}
		f(column, &v)
	}
	return nil
}
