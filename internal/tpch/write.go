package tpch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"golang.org/x/sync/errgroup"

	"gsql/internal/parquetfile"
)

// unitsPerGroup is the number of rows (for lineitem, of orders) in a row group.
const unitsPerGroup = 50_000

// Generate writes the eight tables at the scale factor to files NAME.parquet in dir, which it
// creates if necessary. progress, unless nil, is called with each table's name and number of rows
// when the table is complete.
func Generate(ctx context.Context, dir string, sf float64, progress func(table string, rows int64)) error {
	all, err := Tables(sf)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range all {
		rows, err := t.write(ctx, filepath.Join(dir, t.Name()+".parquet"))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name(), err)
		}
		if progress != nil {
			progress(t.Name(), rows)
		}
	}
	return nil
}

// write makes the row groups on all cores and writes them in order. The file gets its name once it
// is complete. If it cannot be written, for example on a full disk, nothing remains.
func (t Table) write(ctx context.Context, path string) (rows int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	w, err := parquetfile.NewWriter(file, t.Schema(), parquetfile.Options{Codec: compress.Codecs.Snappy, Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return 0, err
	}
	rows, err = t.writeGroups(ctx, w)
	if err = errors.Join(err, w.Close()); err != nil { // closes the file too
		return 0, err
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil {
		return 0, err
	}
	return rows, os.Rename(file.Name(), path)
}

func (t Table) writeGroups(ctx context.Context, w *parquetfile.Writer) (rows int64, err error) {
	g, ctx := errgroup.WithContext(ctx)
	turns := make(chan chan arrow.Record, runtime.GOMAXPROCS(0)) // one a group, in order
	g.Go(func() error {
		defer close(turns)
		for from := int64(0); from < t.Units(); from += unitsPerGroup {
			if err := ctx.Err(); err != nil { // select takes either way where both are open
				return err
			}
			made := make(chan arrow.Record, 1)
			select {
			case turns <- made:
			case <-ctx.Done():
				return ctx.Err()
			}
			g.Go(func() error {
				made <- t.Rows(from, from+unitsPerGroup)
				return nil
			})
		}
		return nil
	})
	g.Go(func() error {
		for made := range turns {
			rec := <-made
			rows += rec.NumRows()
			err := errors.Join(w.Write(rec), w.EndGroup())
			rec.Release()
			if err != nil {
				return err
			}
		}
		return nil
	})
	return rows, g.Wait()
}
