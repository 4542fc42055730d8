// Package catalog defines the view of tables that planning and execution have: schemas,
// statistics and scans, by morsels, of immutable snapshots. Package storage implements it.
package catalog

import (
	"context"
	"slices"

	"gsql/internal/mem"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Column describes one column of a table.
type Column struct {
	Name     string
	Type     types.Type
	Format   string // how a file encodes the values, if its format has several encodings; else ""
	Declared string // the declared type, such as char(10), if Type does not determine it; else ""
	NotNull  bool
	Default  *string // text of the DEFAULT literal; nil for none (NULL)
	// DefaultExpr is set if Default is the text of an expression, declared as (expr).
	DefaultExpr bool
	// OnUpdateNow is set for ON UPDATE CURRENT_TIMESTAMP: an UPDATE that changes the row sets the
	// column.
	OnUpdateNow bool
	AutoInc     bool
	Fixed       bool  // CHAR: trailing spaces are not stored
	Width       uint8 // BIT: maximum number of bits; 0 for other types
	NotNegative bool  // FLOAT, DOUBLE and DECIMAL UNSIGNED
	// Generated is the text of a generated column's expression; "" for other columns.
	Generated string
	Stored    bool // set if a generated column was declared STORED; gsql stores all generated columns
	Comment   string
	Hidden    bool // only its name selects the column, not *
}

// DeclaredType formats the column's type as SHOW CREATE TABLE does.
func (c *Column) DeclaredType() string {
	if c.Declared != "" {
		return c.Declared
	}
	return c.Type.String()
}

// Index describes a declared key. gsql answers queries from columns and statistics; keys tell the
// planner about uniqueness, and PRIMARY KEY and UNIQUE are enforced.
type Index struct {
	Name    string
	Columns []int // ordinals
	Prefix  []int // characters indexed of each column, 0 for all; nil if all columns are indexed in full
	Unique  bool
	Primary bool
	Comment string
}

// Check is a CHECK constraint: its expression must not be false for any row.
type Check struct {
	Name        string
	Expr        string // text of the expression
	NotEnforced bool
}

// ForeignKey is a declared reference to another table. It is not enforced.
type ForeignKey struct {
	Name       string
	Columns    []string
	DB, Table  string // DB is "" for the table's own database
	RefColumns []string
	OnDelete   string // action such as CASCADE; "" if none was declared
	OnUpdate   string
}

// Schema describes the structure of a table. It is immutable.
type Schema struct {
	Columns     []Column
	Indexes     []Index
	Checks      []Check
	ForeignKeys []ForeignKey
	Comment     string
	Coll        types.Collation // collation of columns declared without one
	Compression Compression     // of segments in files
	Cached      bool            // devices keep its columns longer than those of other tables
	Temporary   bool
	// Rules computes the generated columns and enforces the checks; nil if there are none.
	Rules RowRules
}

// Visible returns the columns that * selects.
func (s *Schema) Visible() []Column {
	if !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Hidden }) {
		return s.Columns
	}
	return slices.DeleteFunc(slices.Clone(s.Columns), func(c Column) bool { return c.Hidden })
}

// SortIndexes puts the keys of a schema under construction in MySQL's order: the primary key, unique keys
// without nullable columns, unique keys with them, other keys.
func (s *Schema) SortIndexes() {
	rank := func(x Index) int {
		switch {
		case x.Primary:
			return 0
		case !x.Unique:
			return 3
		}
		for _, o := range x.Columns {
			if !s.Columns[o].NotNull {
				return 2
			}
		}
		return 1
	}
	slices.SortStableFunc(s.Indexes, func(a, b Index) int { return rank(a) - rank(b) })
}

// RowRules completes and checks rows before they are stored. It is safe for concurrent use.
type RowRules interface {
	// Apply sets the generated columns in cols, which are flat vectors of a batch of rows in
	// schema order, and checks the rows. It returns error 3819 for a violated constraint. env is
	// the session that the expressions are evaluated in. held are the bytes of long texts in the
	// generated columns: the caller releases them from env.Memory() once the rows are stored.
	Apply(env Env, cols []*vec.Vector) (held int64, err error)
}

// Env is the session as expressions see it.
type Env interface {
	// Now returns the statement's time in microseconds since 1970-01-01 UTC.
	Now() int64
	// Var returns the value of a system or user variable as text.
	Var(name string) (string, bool)
	// UserVar returns the value of @name; ok is false if it is not set.
	UserVar(name string) (d Datum, ok bool)
	// SetUserVar sets @name. Statements that call it run in one goroutine at a time. It returns
	// error 1037 if there is not enough memory for the value.
	SetUserVar(name string, d Datum) error
	// SetLastInsertID receives the value of LAST_INSERT_ID(x). It is safe for concurrent use.
	SetLastInsertID(id int64)
	// Running returns a context that ends when the statement is cancelled or times out. It is
	// safe for concurrent use.
	Running() context.Context
	// Memory returns the account that is charged for what expressions compute outside of queries,
	// such as generated columns; nil counts nothing. It is safe for concurrent use.
	Memory() *mem.Account
	// Warn adds a warning to the statement's list. It is safe for concurrent use.
	Warn(code uint16, msg string)
}

// Ordinal returns the position of the named column, ignoring case as MySQL does, or -1.
func (s *Schema) Ordinal(name string) int {
	for i := range s.Columns {
		if EqualFold(s.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// RowID is a pseudo ordinal that a scan may request in addition to columns. It yields a BIGINT
// that identifies the row within the snapshot, for use by UPDATE and DELETE.
const RowID = -1

// Table is an immutable snapshot of a table, or a file read as one. It is safe for concurrent
// use.
type Table interface {
	Name() string
	Schema() *Schema
	// Stats returns the known statistics, never nil.
	Stats() *Stats
	// Version returns a number that changes whenever the contents do; it serves as a cache key.
	Version() uint64
	// Scan opens a scan. Nothing is read before the first Reader.Next.
	Scan(ctx context.Context, spec ScanSpec) (Source, error)
}

// ScanSpec specifies what to read.
type ScanSpec struct {
	Columns []int   // ordinals, or RowID; may be empty if rows are only counted
	Prune   []Range // bounds for skipping whole segments, runs of equal values, row groups or files; rows within these are NOT filtered
	// Bound returns a range that narrows while the scan runs. The scan may use it like Prune to
	// skip data that it has not read yet; if nulls is set, it may only skip data without NULLs.
	// ok is false while no range is known. It must be safe for concurrent use and may be nil.
	Bound func() (r Range, nulls, ok bool)
	// Keys restricts the wanted rows to those with certain values; nil means all rows. A
	// KeyFinder may return only these. Rows are NOT filtered.
	Keys      *Keys
	BatchSize int  // maximum rows per batch; 0 means vec.BatchSize
	Narrow    bool // decimals may come as Narrow vectors
	Passing   bool // texts outside dictionaries may become invalid at the reader's next batch
	Mem       *mem.Account
	Progress  func(rows int64) // called, from any goroutine, with the number of rows read since the last call; may be nil
}

// Keys is a list of key tuples, stored by column in flat vectors of equal length that have the
// columns' execution kinds and scales. Tuples that contain a NULL are ignored. Values of text
// columns with a collation are keys by that collation.
type Keys struct {
	Columns []int
	Values  []*vec.Vector
}

// N returns the number of keys.
func (k *Keys) N() int { return k.Values[0].N }

// KeyFinder is a Table that can find rows by the values of certain columns without a scan.
type KeyFinder interface {
	Table
	// FindsBy reports whether the table can find rows by these columns together.
	FindsBy(columns []int) bool
}

// PlaceReader is a Table that can read rows by their positions among the rows of a scan, counted
// from 0 in the table's order.
type PlaceReader interface {
	Table
	// ReadPlaces reads columns of the rows at ascending and distinct positions into flat vectors,
	// one for each of columns. Texts may share the table's memory.
	ReadPlaces(ctx context.Context, places []int64, columns []int) ([]*vec.Vector, error)
}

// Lasting is a Table outside the store whose name and Version may identify its contents in the whole process.
type Lasting interface {
	Table
	// Lasts reports whether they do.
	Lasts() bool
}

// Sampler is a Table that provides sample rows for estimates.
type Sampler interface {
	Table
	// Sample returns the given columns of up to a few thousand rows from all parts of the table;
	// the first quarter of these rows is a sample of the whole table, too. All columns are flat
	// and have the same rows; the batch is nil if the table has no rows to sample. The rows may
	// belong to an earlier Version and must not be changed. Findings caches facts derived from
	// the sample and is replaced together with it.
	Sample(columns []int) (*vec.Batch, *Findings)
}

// Reviewer is a Sampler that can also show all of its rows, if they are few enough to be examined in
// planning.
type Reviewer interface {
	Sampler
	// Review returns the given columns of all rows, all flat, or nil if there are more than most
	// rows. It reads them on each call.
	Review(columns []int, most int64) *vec.Batch
}

// Combiner is a Table that knows how the values of its columns are correlated.
type Combiner interface {
	Table
	// Combinations estimates the number of distinct combinations of values in several columns, at
	// most the number of rows; ok is false if it cannot. The first call for a set of columns
	// examines rows, later ones return at once.
	Combinations(columns []int) (n float64, ok bool)
}

// Range bounds a column: rows outside [Lo, Hi] and rows with NULL are not wanted.
type Range struct {
	Column int
	Lo, Hi *Datum // inclusive; nil if unbounded
}

// Source distributes the morsels of a scan over any number of readers.
type Source interface {
	// NewReader returns a reader for one goroutine. Readers share the morsels: together they
	// return each row once; a single reader returns all rows in the table's order.
	NewReader() (Reader, error)
	// Close releases the resources of the scan; all readers must have ended.
	Close() error
}

// Reader reads batches. It must be used by one goroutine only.
type Reader interface {
	// Next returns the next batch, valid until the following call, or nil, nil at the end.
	// Batch.Morsel is set and increases in the table's order.
	Next() (*vec.Batch, error)
	Close() error
}

// LateReader is a Reader that reads the columns of a batch one by one, on request and only for
// the rows still needed at that time. Callers use Advance and Column instead of Next.
type LateReader interface {
	Reader
	// Advance moves to the next batch, which has n rows (0 at the end). live lists the wanted
	// rows in ascending order; nil means all. Earlier results of Column become invalid.
	Advance() (n int, live []int32, err error)
	// Column reads column i of ScanSpec.Columns for the given rows of the batch, or all rows if
	// rows is nil. rows is ascending and must not change while the result is in use.
	Column(i int, rows []int32) (*vec.Vector, error)
	// Morsel returns the batch's Batch.Morsel.
	Morsel() int64
}

// PlacedReader is a Reader that knows where its rows are among those of the scan.
type PlacedReader interface {
	Reader
	// Place returns the position of the current batch's first row among the rows of the scan, counted from 0 in the
	// table's order. ok is false if the scan cannot know it, as when it has a Bound.
	Place() (row int64, ok bool)
}

// StoredReader is a LateReader that shows columns as they are stored.
type StoredReader interface {
	LateReader
	// Stored returns column i of all rows of the current batch, which may be more than those wanted. It is Stored{} if
	// the column has NULLs or is not stored in this way. It is read-only and valid as long as a result of Column.
	Stored(i int) (Stored, error)
}

// Stored holds the values of a column in the only slice that is not nil: integers, days, or decimals scaled by their type.
type Stored struct {
	I8  []int8
	I16 []int16
	I32 []int32
}

// Empty reports whether s has no values.
func (s Stored) Empty() bool { return len(s.I8)+len(s.I16)+len(s.I32) == 0 }

// Slice returns rows [from, to).
func (s Stored) Slice(from, to int) (out Stored) {
	switch {
	case s.I8 != nil:
		out.I8 = s.I8[from:to]
	case s.I16 != nil:
		out.I16 = s.I16[from:to]
	default:
		out.I32 = s.I32[from:to]
	}
	return out
}

// Resolver finds tables for the binder.
type Resolver interface {
	// Table finds a table or view. db is "" for the current database. It returns error 1146 (with
	// a suggestion if a name is similar) or, for files, the error that occurred.
	Table(ctx context.Context, db, name string) (Object, error)
	// In returns a resolver of the same tables whose current database is db. Names in a view are
	// resolved in the database in which the view was created.
	In(db string) Resolver
	// Collation returns the default collation of a database's tables; db is "" for the current
	// database.
	Collation(db string) types.Collation
}

// Object is the object that a name refers to: exactly one field is set.
type Object struct {
	Table Table
	View  *View
}

// View is a stored SELECT.
type View struct {
	DB, Name string
	Columns  []string     // explicit column names, or nil if none were given
	SQL      string       // text of the SELECT
	Within   string       // current database at creation, in which unqualified names are resolved
	Mode     sqlmode.Mode // sql_mode at creation, with which SQL is parsed
}
