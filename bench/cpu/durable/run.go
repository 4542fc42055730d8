package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Options configure Run.
type Options struct {
	Child   string         // argument with which this program calls Serve
	Data    string         // folder for databases, Parquet files and CPU profiles of replays
	Out     string         // folder for durable.json and durable.md
	Queries string         // folder with TPC-H's queries, q01.sql to q22.sql
	Only    *regexp.Regexp // names of parts to run
	Full    bool           // larger logs
	Threads int
	Runs    int     // repetitions; medians are reported
	Scale   float64 // of TPC-H
	TableMB int     // size of the table that is larger than memory
	LimitMB int     // memory limit for it
}

// parts are the parts of the suite, in the order in which they run: later ones use the databases
// that load makes.
var parts = []struct {
	name string
	run  func(*Options, *Report) error
}{
	{"load", load}, {"queries", queries}, {"open", opening}, {"replay", replay}, {"commits", commits}, {"memory", memory},
}

// Run measures and writes the report, after each figure. Parts can be run one by one.
func Run(o *Options) error {
	for _, dir := range []*string{&o.Data, &o.Out, &o.Queries} {
		var err error
		if *dir, err = filepath.Abs(*dir); err != nil {
			return err
		}
	}
	o.Data = filepath.Join(o.Data, "durable")
	if err := errors.Join(os.MkdirAll(o.Data, 0o755), os.MkdirAll(o.Out, 0o755)); err != nil {
		return err
	}
	r, err := newReport(o)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if !o.Only.MatchString(p.name) {
			continue
		}
		r.begin(p.name)
		if err := p.run(o, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := errors.Join(r.err, r.write()); err != nil {
			return err
		}
	}
	return nil
}

// database returns the path of a database that an engine keeps.
func (o *Options) database(name, engine string) string {
	return filepath.Join(o.Data, name+"."+engine)
}

// remove removes a database.
func remove(path string) error {
	beside, err := filepath.Glob(path + "*")
	if err != nil {
		return err
	}
	for _, name := range beside {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return err
}

// sizeMB returns the size of a database's files in millions of bytes.
func sizeMB(path string) (float64, error) {
	total := int64(0)
	beside, err := filepath.Glob(path + "*")
	if err != nil {
		return 0, err
	}
	for _, name := range beside {
		err := filepath.Walk(name, func(_ string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				total += info.Size()
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return float64(total) / 1e6, nil
}

// median returns the median; for an even count, the mean of the two in the middle.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	xs = slices.Sorted(slices.Values(xs))
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
