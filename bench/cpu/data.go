package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is a Parquet or CSV file of the data folder and the query, in DuckDB's dialect, that
// generates it. Random values are hashes of row numbers, so that the data is the same each time.
type file struct{ name, sql string }

// provide generates the files that are missing.
func provide(o *options, files ...file) error {
	var e engine
	for _, f := range files {
		path := filepath.Join(o.data, f.name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if e == nil {
			var err error
			if e, err = openDuckDB(o.threads); err != nil {
				return err
			}
		}
		format := "PARQUET"
		if filepath.Ext(path) == ".csv" {
			format = "CSV"
		}
		part := path + ".part"
		fmt.Println("making", f.name)
		if err := e.exec(context.Background(), fmt.Sprintf("COPY (%s) TO '%s' (FORMAT %s)", f.sql, part, format)); err != nil {
			return err
		}
		if err := os.Rename(part, path); err != nil {
			return err
		}
	}
	return nil
}

// random returns an expression for an integer below n that depends on a seed and the row number i.
func random(seed int, n any) string { return fmt.Sprintf("(hash(i * 16 + %d) %% %v)", seed, n) }

// unit returns an expression for a number in [0, 1).
func unit(seed int) string { return fmt.Sprintf("(hash(i * 16 + %d) / 18446744073709551616.0)", seed) }

// rows returns a FROM clause for n rows numbered i.
func rows(n int) string { return fmt.Sprintf(" FROM range(%d) t(i)", n) }

// full returns quick for the quick size of the data and full for larger ones.
func full[T any](o *options, quick, full T) T {
	if o.size != "quick" {
		return full
	}
	return quick
}
