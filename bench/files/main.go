// Command files reads the same CSV and Parquet files with gsql's decoders and with arrow-go's readers,
// over column types, encodings and compressions.
//
//	gsql     storage/files: one reader, batches of vectors
//	arrays   arrow-go: records of its Parquet (pqarrow) or CSV reader, one goroutine
//	vectors  the same records turned into vectors, with texts verified, as gsql would have to
//
// Each way reads all rows. gsql opens a file once and keeps it open; the time to open is measured
// separately, because gsql sniffs CSV files whereas arrow-go is given their schema. arrow-go's time
// includes reading the footer. The ways take turns; a way's time is the least processor time of its
// turns, garbage collection included. Before timing, the values of both readers are compared.
// The program writes files.json and files.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"gsql/internal/cputime"
	"gsql/storage/files"
)

// options holds the values of the flags.
type options struct {
	rows  int
	turns int
	only  string
	out   string
}

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 1_000_000, "rows of each file")
	flag.IntVar(&o.turns, "turns", 5, "turns of each way")
	flag.StringVar(&o.only, "only", "", "run only the cases whose name contains this")
	flag.StringVar(&o.out, "out", "bench/results/files", "directory of the report")
	flag.Parse()
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o *options) error {
	dir, err := os.MkdirTemp("", "gsql-bench-files")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := newReport(o)
	for _, c := range append(parquetCases(), csvCases()...) {
		if !c.matches(o.only) {
			continue
		}
		if err := c.write(filepath.Join(dir, c.file()), o.rows); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if err := c.measure(filepath.Join(dir, c.file()), o); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		fmt.Printf("%-8s %-40s gsql %7.2f  arrays %7.2f  vectors %7.2f  %5.2f\n", c.Format, c.Name, c.Gsql, c.Arrays, c.Vectors, c.Arrays/c.Gsql)
		r.Cases = append(r.Cases, c)
		if err := os.Remove(filepath.Join(dir, c.file())); err != nil {
			return err
		}
	}
	return r.write(o.out)
}

// measure compares the ways' values and times them.
func (c *benchCase) measure(path string, o *options) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	c.Rows, c.Bytes = o.rows, info.Size()
	ctx := context.Background()
	var ours, theirs digest
	t, err := files.Open(ctx, path, files.Options{})
	if err != nil {
		return err
	}
	if err := readGsql(ctx, t, ours.add); err != nil {
		return err
	}
	if err := c.readArrow(ctx, path, theirs.add); err != nil {
		return err
	}
	if ours != theirs || ours.rows != o.rows {
		return fmt.Errorf("values differ: %+v and %+v", ours, theirs)
	}
	ways := []struct {
		ms   *float64
		read func() error
	}{
		{&c.Open, func() error { _, err := files.Open(ctx, path, files.Options{}); return err }},
		{&c.Gsql, func() error { return readGsql(ctx, t, nil) }},
		{&c.Arrays, func() error { return c.readArrow(ctx, path, nil) }},
		{&c.Vectors, func() error { return c.readArrow(ctx, path, ignore) }},
	}
	for turn := range o.turns {
		for _, w := range ways {
			runtime.GC()
			before := cputime.Used()
			if err := w.read(); err != nil {
				return err
			}
			if ms := float64((cputime.Used() - before).Microseconds()) / 1000; turn == 0 || ms < *w.ms {
				*w.ms = ms
			}
		}
	}
	return nil
}
