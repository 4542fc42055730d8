package files

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/disk"
	"gsql/storage/files/arrow"
	"gsql/storage/files/csv"
	"gsql/storage/files/format"
	"gsql/storage/files/jsonfile"
	"gsql/storage/files/parquet"
	"gsql/storage/files/sheet"
	"gsql/storage/files/sqlite"
)

// fileFormat is the format in which a file is read or written.
type fileFormat uint8

const (
	csvFormat fileFormat = iota
	tsvFormat
	parquetFormat
	arrowFormat
	jsonFormat   // an array of values, or values one after the other
	ndjsonFormat // values one after the other
	xlsxFormat
	sqliteFormat
)

var extensions = map[string]fileFormat{
	".csv": csvFormat, ".tsv": tsvFormat, ".parquet": parquetFormat,
	".arrow": arrowFormat, ".ipc": arrowFormat, ".feather": arrowFormat,
	".json": jsonFormat, ".ndjson": ndjsonFormat, ".jsonl": ndjsonFormat,
	".xlsx": xlsxFormat, ".xlsm": xlsxFormat, ".sqlite": sqliteFormat, ".sqlite3": sqliteFormat, ".db": sqliteFormat,
}

// formatNames are the names of formats in options.
var formatNames = map[string]fileFormat{"csv": csvFormat, "tsv": tsvFormat, "parquet": parquetFormat, "arrow": arrowFormat,
	"json": jsonFormat, "ndjson": ndjsonFormat, "jsonl": ndjsonFormat, "xlsx": xlsxFormat, "sqlite": sqliteFormat}

// isText reports whether files of the format are read from their start.
func (f fileFormat) isText() bool { return f <= tsvFormat || f == jsonFormat || f == ndjsonFormat }

// formatOf derives a path's format and compression from its name.
func formatOf(path string) (f fileFormat, c format.Compression, ok bool) {
	lower := strings.ToLower(path)
	switch ext := filepath.Ext(lower); ext {
	case ".gz":
		c, lower = format.Gzip, strings.TrimSuffix(lower, ext)
	case ".zst":
		c, lower = format.Zstandard, strings.TrimSuffix(lower, ext)
	}
	f, ok = extensions[filepath.Ext(lower)]
	return f, c, ok
}

// KeepsZones reports whether the format of the file name records the time zone of times.
func KeepsZones(name string) bool {
	path, _ := splitName(name)
	f, _, ok := formatOf(path)
	return ok && !f.isText()
}

// table is one or more files read as one table.
type table struct {
	name   string
	schema *catalog.Schema
	own    int // number of columns in the files; columns from paths follow
	dirs   *partitions

	rowNumber int // the column of the numbers of rows in their files, or -1

	parts   []format.Part
	version uint64
	lasts   bool

	mu    sync.Mutex
	ctx   context.Context // context of the statement that requests the statistics
	stats *catalog.Stats  // nil until they have been read

	files    []sampledFile     // nil until rows are sampled
	sampled  []*vec.Vector     // rows of several files by column; nil for columns that are not read yet
	findings *catalog.Findings // about sampled
	held     *mem.Holding      // charge for what the table retains
	counts   int64             // bytes in held
}

// Open reads the schema of a file, or of all files that match a pattern such as data/*.parquet
// and have the same columns. The extension determines the format: .csv, .tsv, .json, .ndjson, .jsonl,
// .parquet, .arrow, .ipc or .feather, each optionally followed by .gz or .zst, .xlsx or .sqlite.
// Options may follow after a question mark, as in data.csv?delimiter=;&header=no. If a delimiter is
// set, any other file is read as CSV. - is standard input. ** in a pattern stands for any number of directories. Directories named
// key=value become columns. Errors: 1017 for a missing file, 1033 for a damaged one, 1235 for
// another extension, 1037 if the table takes too much memory, 1290 if opt.Disk excludes the file.
func Open(ctx context.Context, path string, opt Options) (catalog.Table, error) {
	name, plain := path, opt.plain()
	path, list := splitName(name)
	opt, err := opt.withInPlace(list)
	if err != nil {
		return nil, err
	}
	paths, err := expand(ctx, path, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Pipes == nil {
		opt.Pipes = &disk.Pipes{}
	}
	t := &table{name: name, ctx: ctx, held: opt.Tables.HoldAnyway(0), lasts: plain}
	hash := fnv.New64a()
	var csvs []*csv.Part
	var jsons []*jsonfile.Part
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := opt.Disk.Stat(p)
		if errors.Is(err, os.ErrNotExist) {
			return nil, notFound(opt.Disk, p)
		}
		if err != nil {
			return nil, format.ReadError(p, err)
		}
		t.lasts = t.lasts && !disk.IsPipe(info)
		hash.Write([]byte(p + "\x00" + strconv.FormatInt(info.Size(), 10) + "\x00" + strconv.FormatInt(info.ModTime().UnixNano(), 10)))
		part, err := openPart(ctx, p, info, opt)
		if err != nil {
			return nil, err
		}
		n := part.Held()
		if err := t.held.Grow(n); err != nil {
			return nil, err
		}
		t.counts += n
		t.parts = append(t.parts, part)
		switch part := part.(type) {
		case *csv.Part:
			csvs = append(csvs, part)
		case *jsonfile.Part:
			jsons = append(jsons, part)
		}
	}
	csv.UnifyTypes(csvs)
	if err := jsonfile.Unify(jsons); err != nil {
		return nil, err
	}
	if err := agree(paths, t.parts); err != nil {
		return nil, err
	}
	cols := t.parts[0].Columns()
	if err := format.CheckColumns(paths[0], len(cols)); err != nil {
		return nil, err
	}
	t.own, t.dirs = len(cols), &partitions{}
	if !opt.OwnColumns {
		t.dirs = partitionsOf(paths, cols)
		t.dirs.addPaths(paths, cols)
	}
	cols = append(cols, t.dirs.cols...)
	if t.rowNumber = -1; !opt.OwnColumns && !hasColumn(cols, rowColumn) {
		t.rowNumber = len(cols)
		cols = append(cols, catalog.Column{Name: rowColumn, Type: types.T(types.Int64), NotNull: true, Hidden: true})
	}
	if !opt.OwnColumns {
		if err := declared(list, cols); err != nil {
			return nil, err
		}
	}
	t.schema, t.version = &catalog.Schema{Columns: cols}, hash.Sum64()
	t.recount()
	return t, nil
}

func openPart(ctx context.Context, path string, info fs.FileInfo, opt Options) (p format.Part, err error) {
	kind, comp, ok := formatOf(path)
	if opt.format != nil {
		kind, ok = *opt.format, true
	}
	if !ok && opt.Delimiter == "" && !isStdin(path) {
		return nil, sqlerr.Unsupported(-1, "reading %s", filepath.Base(path)).WithHint("%s", unreadable(path))
	}
	err = format.Guard(path, func() error {
		f := &format.File{Disk: opt.Disk, Account: opt.Mem, Path: path, Size: info.Size(), Compression: comp}
		defer func() { f.Account = nil }()
		if disk.IsPipe(info) {
			if !kind.isText() {
				return format.Unseekable(path)
			}
			if f.Pipe, err = opt.Pipes.Find(ctx, opt.Disk, path); err != nil {
				return err
			}
		}
		if !ok && opt.Delimiter == "" {
			if kind, err = sniffFormat(ctx, f); err != nil {
				return err
			}
		}
		p, err = openAs(ctx, kind, f, opt)
		return err
	})
	if err != nil {
		return nil, format.ReadError(path, err)
	}
	return p, nil
}

func openAs(ctx context.Context, kind fileFormat, f *format.File, opt Options) (format.Part, error) {
	switch kind {
	case parquetFormat:
		return parquet.Open(ctx, f)
	case arrowFormat:
		return arrow.Open(ctx, f)
	case jsonFormat, ndjsonFormat:
		return jsonfile.Open(ctx, f, jsonfile.Options{Charset: opt.Charset, Types: opt.Types, Whole: opt.Whole, Lines: kind == ndjsonFormat, ChunkBytes: opt.ChunkBytes})
	case xlsxFormat:
		return sheet.Open(ctx, f, sheet.Options{Name: opt.Sheet, Types: opt.Types, Header: opt.Header, SkipRows: opt.SkipLines})
	case sqliteFormat:
		return sqlite.Open(ctx, f, sqlite.Options{Table: opt.Table, Types: opt.Types})
	}
	return csv.Open(ctx, f, kind == tsvFormat, opt.Options) // with an explicit delimiter, any file extension will do
}

// sniffFormat returns the format of standard input: JSON if it begins with a bracket, otherwise CSV.
func sniffFormat(ctx context.Context, f *format.File) (fileFormat, error) {
	in, err := f.Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	head := make([]byte, 4096)
	n, err := io.ReadAtLeast(in, head, 1)
	if err != nil && err != io.EOF {
		return 0, err
	}
	start := bytes.TrimLeft(head[:n], "\ufeff \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return jsonFormat, nil
	}
	return csvFormat, nil
}

// expand returns the files that path stands for, sorted by name.
func expand(ctx context.Context, path string, opt *Options) ([]string, error) {
	if err := checkLocal(path); err != nil {
		return nil, err
	}
	full := under(opt.Dir, path)
	info, err := opt.Disk.Stat(full)
	if errors.Is(err, sqlerr.OptionPreventsStatement) {
		return nil, err
	}
	if err == nil && info.IsDir() {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s' is a directory", path).
			WithHint("Name the files in it, such as '%s'.", filepath.Join(path, "*.parquet"))
	}
	if err == nil || !strings.ContainsAny(path, "*?[") {
		return []string{full}, nil
	}
	paths, err := glob(ctx, opt.Disk, full)
	if errors.Is(err, sqlerr.OptionPreventsStatement) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s' is not a valid pattern", path)
	}
	if len(paths) == 0 {
		return nil, sqlerr.New(sqlerr.FileNotFound, "Can't find file: no file matches '%s'", path)
	}
	return paths, nil
}

// agree verifies that all files have the columns of the first.
func agree(paths []string, parts []format.Part) error {
	first := parts[0].Columns()
	for i, p := range parts[1:] {
		cols := p.Columns()
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

// Lasts implements catalog.Lasting: the version stands for the files' paths, sizes and times of their last
// changes, but not for options, and a pipe can be read only once.
func (t *table) Lasts() bool { return t.lasts }

// Resume makes ctx bound the reading of statistics of a table that an earlier statement opened
// with Open.
func Resume(ctx context.Context, opened catalog.Table) {
	if t, ok := opened.(*table); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ctx = ctx
	}
}
