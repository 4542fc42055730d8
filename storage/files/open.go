package files

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// format is a kind of file.
type format uint8

const (
	csvFormat format = iota
	tsvFormat
	parquetFormat
	arrowFormat
)

// compression is what is wrapped around a file.
type compression uint8

const (
	plain compression = iota
	gzipped
	zstandard
)

var extensions = map[string]format{
	".csv": csvFormat, ".tsv": tsvFormat, ".parquet": parquetFormat,
	".arrow": arrowFormat, ".ipc": arrowFormat, ".feather": arrowFormat,
}

// formatOf tells a path's format and compression from its name.
func formatOf(path string) (f format, c compression, ok bool) {
	lower := strings.ToLower(path)
	switch ext := filepath.Ext(lower); ext {
	case ".gz":
		c, lower = gzipped, strings.TrimSuffix(lower, ext)
	case ".zst":
		c, lower = zstandard, strings.TrimSuffix(lower, ext)
	}
	f, ok = extensions[filepath.Ext(lower)]
	return f, c, ok
}

// IsPath tells whether name ends as the files do that Open reads.
func IsPath(name string) bool {
	_, _, ok := formatOf(name)
	return ok
}

// KeepsZones tells whether the format of a file called name says of times which zone they
// are in.
func KeepsZones(name string) bool {
	f, _, ok := formatOf(name)
	return ok && f != csvFormat && f != tsvFormat
}

// part is one file of a table.
type part interface {
	columns() []catalog.Column
	stats() *catalog.Stats
	// chunks starts a scan of the file.
	chunks(sc *scan) (chunkSource, error)
}

// table is one or several files read as one table.
type table struct {
	name    string
	schema  *catalog.Schema
	own     int // columns of the files; behind them are those of their directories' names
	dirs    *partitions
	parts   []part
	version uint64
	once    sync.Once
	stats   *catalog.Stats
}

// Open reads the schema of a file, or of all files that match a pattern such as
// data/*.parquet and have the same columns. The format is told by the name's ending:
// .csv, .tsv, .parquet, .arrow, .ipc or .feather, each also with .gz or .zst behind;
// with a delimiter in opt any other file is read as CSV. ** in a pattern stands for any number of
// directories; what directories named key=value say are columns, too.
// Errors: 1017 when there is no such file, 1033 when it is damaged, 1235 for another
// ending.
func Open(ctx context.Context, path string, opt Options) (catalog.Table, error) {
	paths, err := expand(path, opt.Dir)
	if err != nil {
		return nil, err
	}
	t := &table{name: path}
	hash := fnv.New64a()
	var csvs []*csvPart
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, readError(p, err)
		}
		hash.Write([]byte(p + "\x00" + strconv.FormatInt(info.Size(), 10) + "\x00" + strconv.FormatInt(info.ModTime().UnixNano(), 10)))
		part, err := openPart(p, info.Size(), opt)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part)
		if c, ok := part.(*csvPart); ok {
			csvs = append(csvs, c)
		}
	}
	unifyTypes(csvs)
	if err := agree(paths, t.parts); err != nil {
		return nil, err
	}
	cols := t.parts[0].columns()
	t.own, t.dirs = len(cols), &partitions{}
	if !opt.OwnColumns {
		t.dirs = partitionsOf(paths, cols)
	}
	t.schema, t.version = &catalog.Schema{Columns: append(cols, t.dirs.cols...)}, hash.Sum64()
	return t, nil
}

func openPart(path string, size int64, opt Options) (p part, err error) {
	format, comp, ok := formatOf(path)
	if !ok && opt.Delimiter == "" {
		return nil, sqlerr.Unsupported(-1, "reading %s", filepath.Base(path)).
			WithHint("Files are read by their ending: .csv, .tsv, .parquet, .arrow, .ipc or .feather, also with .gz or .zst; others need FIELDS TERMINATED BY.")
	}
	err = guard(path, func() error {
		f := &file{path: path, size: size, comp: comp}
		switch format {
		case parquetFormat:
			p, err = openParquet(f)
		case arrowFormat:
			p, err = openArrow(f)
		default: // with a delimiter given, any ending will do
			p, err = openCSV(f, format, opt)
		}
		return err
	})
	if err != nil {
		return nil, readError(path, err)
	}
	return p, nil
}

// expand gives the files that path stands for, in the order of their names.
func expand(path, dir string) ([]string, error) {
	full := path
	if dir != "" && !filepath.IsAbs(path) {
		full = filepath.Join(dir, path)
	}
	info, err := os.Stat(full)
	if err == nil && info.IsDir() {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s' is a directory", path).
			WithHint("Name the files in it, such as '%s'.", filepath.Join(path, "*.parquet"))
	}
	if err == nil || !strings.ContainsAny(path, "*?[") {
		return []string{full}, nil
	}
	paths, err := glob(full)
	if err != nil {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s' is not a valid pattern", path)
	}
	if len(paths) == 0 {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: no file matches '%s'", path)
	}
	return paths, nil
}

// agree checks that all files have the columns of the first.
func agree(paths []string, parts []part) error {
	first := parts[0].columns()
	for i, p := range parts[1:] {
		cols := p.columns()
		if len(cols) != len(first) {
			return sqlerr.New(sqlerr.WrongValueCount, "File '%s' has %d columns and '%s' has %d", paths[i+1], len(cols), paths[0], len(first)).
				WithHint("All files of one table must have the same columns; narrow the pattern.")
		}
		for j, c := range cols {
			if !catalog.EqualFold(c.Name, first[j].Name) || c.Type != first[j].Type {
				return sqlerr.New(sqlerr.WrongColumnName, "Column %d of file '%s' is `%s` %s and in '%s' it is `%s` %s",
					j+1, paths[i+1], c.Name, c.Type, paths[0], first[j].Name, first[j].Type).
					WithHint("All files of one table must have the same columns; narrow the pattern.")
			}
			first[j].NotNull = first[j].NotNull && c.NotNull
		}
	}
	return nil
}

// Name implements catalog.Table.
func (t *table) Name() string { return t.name }

// Schema implements catalog.Table.
func (t *table) Schema() *catalog.Schema { return t.schema }

// Version implements catalog.Table.
func (t *table) Version() uint64 { return t.version }

// Stats implements catalog.Table. They are read when first asked for.
func (t *table) Stats() *catalog.Stats {
	t.once.Do(func() {
		for i, p := range t.parts {
			s := t.dirs.describe(i, p.stats())
			if i > 0 {
				s = mergeStats(t.stats, s)
			}
			t.stats = s
		}
		t.dirs.count(t.own, t.stats)
	})
	return t.stats
}

// mergeStats describes the rows of two files together.
func mergeStats(a, b *catalog.Stats) *catalog.Stats {
	m := &catalog.Stats{Rows: a.Rows + b.Rows, Exact: a.Exact && b.Exact, Bytes: a.Bytes + b.Bytes}
	if len(a.Columns) != len(b.Columns) {
		return m
	}
	for i, x := range a.Columns {
		y := b.Columns[i]
		c := catalog.ColumnStats{Nulls: x.Nulls + y.Nulls}
		if x.NDV > 0 && y.NDV > 0 {
			c.NDV = max(x.NDV, y.NDV)
		}
		if x.Min != nil && y.Min != nil && x.Max != nil && y.Max != nil {
			c.Min, c.Max = lesser(x.Min, y.Min), greater(x.Max, y.Max)
		}
		if rows := a.Rows + b.Rows; rows > 0 {
			c.AvgLen = (x.AvgLen*float64(a.Rows) + y.AvgLen*float64(b.Rows)) / float64(rows)
		}
		m.Columns = append(m.Columns, c)
	}
	return m
}

func lesser(a, b *catalog.Datum) *catalog.Datum {
	if b.Compare(*a) < 0 {
		return b
	}
	return a
}

func greater(a, b *catalog.Datum) *catalog.Datum {
	if b.Compare(*a) > 0 {
		return b
	}
	return a
}
