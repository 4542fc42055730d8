package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	engine "modernc.org/sqlite"
	"modernc.org/sqlite/vfs"

	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// Options determines what to read.
type Options struct {
	Table string                // "" is the only one
	Types map[string]types.Type // types by column name, replacing those found
}

// magic begins SQLite files.
const magic = "SQLite format 3\x00"

// Open opens a table of a SQLite file. Errors: 1033 for a damaged file, 1210 if there is no such
// table, 1024 if SQLite has changes that are not in the file yet.
func Open(ctx context.Context, f *format.File, opt Options) (format.Part, error) {
	if err := check(ctx, f); err != nil {
		return nil, err
	}
	s := &source{file: f}
	db, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if s.table, err = db.table(ctx, opt.Table); err != nil {
		return nil, err
	}
	if s.columns, err = db.columns(ctx, s.table); err != nil {
		return nil, err
	}
	if err := format.CheckColumns(f.Path, len(s.columns)); err != nil {
		return nil, err
	}
	if err := s.measure(ctx, db); err != nil {
		return nil, err
	}
	return dynamic.Open(ctx, f, append([]string(nil), s.columns...), s, opt.Types)
}

// check verifies that a file is one of SQLite and complete.
func check(ctx context.Context, f *format.File) error {
	in, err := f.Stream(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	head := make([]byte, len(magic))
	if n, _ := in.Read(head); n < len(magic) || string(head) != magic {
		return format.Fault("it is no SQLite file")
	}
	for _, ending := range []string{"-wal", "-journal"} {
		if info, err := f.Disk.Stat(f.Path + ending); err == nil && info.Size() > 0 {
			return sqlerr.New(sqlerr.ErrorOnRead, "Error reading file '%s': '%s' has changes that are not in it yet", f.Path, f.Path+ending).
				WithHint("Close the program that writes it, or run PRAGMA wal_checkpoint(TRUNCATE) in it.")
		}
	}
	return nil
}

// source is a table. It implements dynamic.Source.
type source struct {
	file    *format.File
	table   string
	columns []string
	longest []int64 // by column, the bytes of its longest value
	most    int64   // bytes of the longest value that is made while a row is computed
}

// connection is an open file.
type connection struct {
	*sql.DB
	path string
	held format.RandomAccess
	fs   *vfs.FS
}

// oneFile is the file system that SQLite sees: one file, named db. It implements fs.FS.
type oneFile struct {
	file format.RandomAccess
	size int64
}

// connect opens the file.
func (s *source) connect(ctx context.Context) (*connection, error) {
	h, size, err := s.file.Open(ctx, s.file.Account)
	if err != nil {
		return nil, err
	}
	name, system, err := vfs.New(&oneFile{h, size})
	if err != nil {
		h.Close()
		return nil, err
	}
	c := &connection{path: s.file.Path, held: h, fs: system}
	c.DB, err = sql.Open("sqlite", "file:db?immutable=1&mode=ro&vfs="+name+"&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=mmap_size(0)")
	if err != nil {
		c.Close()
		return nil, err
	}
	c.SetMaxOpenConns(1) // to which limit applies
	return c, nil
}

// Close releases the file.
func (c *connection) Close() error {
	var err error
	if c.DB != nil {
		err = c.DB.Close()
	}
	return errors.Join(err, c.fs.Close(), c.held.Close())
}

// fault describes an error of SQLite.
func (c *connection) fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return errors.Join(ctx.Err())
	}
	if format.IsFinal(err) {
		return err
	}
	var e *engine.Error
	if errors.As(err, &e) {
		return format.Corrupt(c.path, "SQLite reports: %s", strings.TrimSuffix(e.Error(), fmt.Sprintf(" (%d)", e.Code())))
	}
	return format.Corrupt(c.path, "SQLite cannot read it")
}

// table returns the table or view with a name, or the only table for "".
func (c *connection) table(ctx context.Context, name string) (string, error) {
	rows, err := c.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\' OR type = 'view' ORDER BY type, name`)
	if err != nil {
		return "", c.fault(ctx, err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return "", c.fault(ctx, err)
		}
		if name != "" && strings.EqualFold(n, name) {
			return n, nil
		}
		names = append(names, n)
	}
	switch err := rows.Err(); {
	case err != nil:
		return "", c.fault(ctx, err)
	case len(names) == 0:
		return "", format.Corrupt(c.path, "it has no tables")
	case name == "" && len(names) == 1:
		return names[0], nil
	case name == "":
		return "", sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to file '%s': it has several tables", c.path).
			WithHint("Name one after the path, as in `%s/%s`. There are: %s.", c.path, names[0], strings.Join(names, ", "))
	}
	return "", sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to file '%s': it has no table '%s'", c.path, name).
		WithHint("Its tables are %s.", strings.Join(names, ", "))
}

// columns returns the names of a table's columns.
func (c *connection) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := c.QueryContext(ctx, "SELECT * FROM "+quoted(table)+" LIMIT 0")
	if err != nil {
		return nil, c.fault(ctx, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	return names, c.fault(ctx, err)
}

// quoted returns a name as SQLite's grammar has it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Rows implements dynamic.Source.
func (s *source) Rows(ctx context.Context, account *mem.Account, columns []int) (dynamic.Rows, error) {
	if err := check(ctx, s.file); err != nil { // changes may have come since the file was opened
		return nil, err
	}
	db, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := &rows{ctx: ctx, db: db, values: make([]any, len(s.columns)), held: format.Hold{Account: account}}
	list := []string{}
	most, row := s.most, int64(0)
	for _, o := range columns {
		most, row = max(most, s.longest[o]), row+s.longest[o]
		list = append(list, "+"+quoted(s.columns[o])) // an expression has no declared type, to which the driver would convert
		r.into = append(r.into, &r.values[o])
	}
	if len(list) == 0 {
		list, r.into = []string{"1"}, []any{new(any)}
	}
	// SQLite and the driver hold a copy of each value. Only views make values that are not in their rows.
	if err := errors.Join(r.held.Set(max(2*row, most)-freeValue), db.limit(ctx, most)); err != nil {
		return nil, errors.Join(err, r.held.Set(0), db.Close())
	}
	r.in, err = db.QueryContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quoted(s.table))
	if err != nil {
		return nil, errors.Join(db.fault(ctx, err), r.held.Set(0), db.Close())
	}
	return r, nil
}

// rows implements dynamic.Rows.
type rows struct {
	ctx    context.Context
	db     *connection
	in     *sql.Rows
	values []any // by column
	into   []any // pointers to the values that are read
	held   format.Hold
	row    int64
}

// Next implements dynamic.Rows.
func (r *rows) Next() (bool, error) {
	if !r.in.Next() {
		return false, r.db.fault(r.ctx, r.in.Err())
	}
	r.row++
	return true, r.db.fault(r.ctx, r.in.Scan(r.into...))
}

// Value implements dynamic.Rows.
func (r *rows) Value(column int) dynamic.Value {
	switch x := r.values[column].(type) {
	case int64:
		return dynamic.Value{Kind: dynamic.Number, Text: strconv.FormatInt(x, 10)}
	case float64:
		return dynamic.Value{Kind: dynamic.Number, Text: floatText(x)}
	case string:
		if utf8.ValidString(x) {
			return dynamic.Value{Kind: dynamic.Text, Text: x}
		}
		return dynamic.Value{Kind: dynamic.Bytes, Text: x}
	case []byte:
		return dynamic.Value{Kind: dynamic.Bytes, Text: string(x)}
	}
	return dynamic.Value{}
}

// floatText returns a number that is read as a double, even if it is whole.
func floatText(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if strings.ContainsAny(s, ".eIN") {
		return s
	}
	return s + ".0"
}

// Where implements dynamic.Rows.
func (r *rows) Where() string { return fmt.Sprint("row ", r.row) }

// Close implements dynamic.Rows.
func (r *rows) Close() error { return errors.Join(r.in.Close(), r.db.Close(), r.held.Set(0)) }

// Open implements fs.FS.
func (o *oneFile) Open(name string) (fs.File, error) {
	if name != "db" {
		return nil, fs.ErrNotExist
	}
	return &handle{o, 0}, nil
}
