// Package fill makes tables of computed columns for benchmarks.
package fill

import (
	"context"
	"strconv"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
)

// step is the number of rows of a record.
const step = 1 << 20

// Column makes the values of one column for the rows from from up to end.
type Column func(from, end int64) arrow.Array

// Table creates a table and appends rows to it.
func Table(s *gsql.Session, table, columns string, rows int64, all ...Column) error {
	ctx := context.Background()
	if _, _, err := s.Exec(ctx, "CREATE TABLE "+table+" ("+columns+")"); err != nil {
		return err
	}
	a, err := s.NewAppender(ctx, table)
	if err != nil {
		return err
	}
	for from := int64(0); from < rows; from += step {
		end := min(from+step, rows)
		fields, values := columnsOf(all, from, end)
		if err := a.AppendRecord(array.NewRecord(arrow.NewSchema(fields, nil), values, end-from)); err != nil {
			return err
		}
	}
	_, err = a.Close(ctx)
	return err
}

// columnsOf makes the columns of some rows at once.
func columnsOf(all []Column, from, end int64) ([]arrow.Field, []arrow.Array) {
	fields, values := make([]arrow.Field, len(all)), make([]arrow.Array, len(all))
	var wg sync.WaitGroup
	for i, f := range all {
		wg.Go(func() {
			values[i] = f(from, end)
			fields[i] = arrow.Field{Name: strconv.Itoa(i), Type: values[i].DataType()}
		})
	}
	wg.Wait()
	return fields, values
}

// Ints makes a column of integers.
func Ints(f func(i int64) int64) Column {
	return func(from, end int64) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Reserve(int(end - from))
		for i := from; i < end; i++ {
			b.UnsafeAppend(f(i))
		}
		return b.NewArray()
	}
}

// Doubles makes a column of doubles.
func Doubles(f func(i int64) float64) Column {
	return func(from, end int64) arrow.Array {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.Reserve(int(end - from))
		for i := from; i < end; i++ {
			b.UnsafeAppend(f(i))
		}
		return b.NewArray()
	}
}

// Texts makes a column of texts.
func Texts(f func(i int64) string) Column {
	return func(from, end int64) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := from; i < end; i++ {
			b.Append(f(i))
		}
		return b.NewArray()
	}
}
