// Package catalog defines what planning and execution may know of tables: schemas, statistics
// and morsel-wise scans of immutable snapshots. Storage implements it.
package catalog

import (
	"context"

	"gsql/internal/mem"
	"gsql/sql/sqlmode"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Column describes one column of a table.
type Column struct {
	Name     string
	Type     types.Type
	Format   string // how a file writes the values, where files differ; else ""
	Declared string // the declared type where Type does not determine it, such as char(10); else ""
	NotNull  bool
	Default  *string // the DEFAULT literal as text, nil for none (NULL)
	// DefaultExpr means that Default is the text of an expression, written (expr).
	DefaultExpr bool
	// OnUpdateNow is ON UPDATE CURRENT_TIMESTAMP: an UPDATE that changes the row sets the
	// column.
	OnUpdateNow bool
	AutoInc     bool
	Fixed       bool  // CHAR: trailing spaces are not stored
	Width       uint8 // BIT: bits at most, 0 for other types
	NotNegative bool  // FLOAT, DOUBLE and DECIMAL UNSIGNED
	// Generated is the text of a generated column's expression; "" for other columns.
	Generated string
	Stored    bool // a generated column was declared STORED; all are kept
	Comment   string
}

// DeclaredType spells the column's type as SHOW CREATE TABLE does.
func (c *Column) DeclaredType() string {
	if c.Declared != "" {
		return c.Declared
	}
	return c.Type.String()
}

// Index describes a declared key. gsql answers queries from columns and statistics; keys
// inform the planner of uniqueness, and PRIMARY KEY and UNIQUE are enforced.
type Index struct {
	Name    string
	Columns []int // ordinals
	Prefix  []int // by column: characters that were declared to be indexed, 0 for all; nil for all of all
	Unique  bool
	Primary bool
	Comment string
}

// Check is a CHECK constraint: no row may make its expression false.
type Check struct {
	Name        string
	Expr        string // its text
	NotEnforced bool
}

// ForeignKey is a declared reference to another table. It is not enforced.
type ForeignKey struct {
	Name       string
	Columns    []string
	DB, Table  string // DB "" is the table's own
	RefColumns []string
	OnDelete   string // such as CASCADE; "" where none was declared
	OnUpdate   string
}

// Schema is a table's shape. It is immutable.
type Schema struct {
	Columns     []Column
	Indexes     []Index
	Checks      []Check
	ForeignKeys []ForeignKey
	Comment     string
	Coll        types.Collation // of columns that are declared without one
	Temporary   bool
	// Rules computes the generated columns and enforces the checks; nil where there is
	// nothing to do.
	Rules RowRules
}

// RowRules completes and checks rows that are about to be stored. Safe for concurrent
// use.
type RowRules interface {
	// Apply puts generated columns into cols, the flat vectors of a batch of rows in the
	// schema's order, and checks the rows: error 3819 for a constraint that does not hold.
	// env is the session as expressions see it.
	Apply(env Env, cols []*vec.Vector) error
}

// Env is the session as expressions see it.
type Env interface {
	// Now is the statement's time in microseconds since 1970-01-01 UTC.
	Now() int64
	// Var returns a system or user variable's value as text.
	Var(name string) (string, bool)
	// UserVar returns the value of @name; ok is false for one that is not set.
	UserVar(name string) (d Datum, ok bool)
	// SetUserVar sets @name. Statements that call it run in one goroutine at a time. The error is
	// 1037 where memory has no room for the value.
	SetUserVar(name string, d Datum) error
	// SetLastInsertID is called with the value of LAST_INSERT_ID(x). Safe for concurrent use.
	SetLastInsertID(id int64)
	// Running ends when the statement is cancelled or its time is over. Safe for concurrent use.
	Running() context.Context
	// Warn adds a warning to the statement's list. Safe for concurrent use.
	Warn(code uint16, msg string)
}

// Ordinal returns the place of the column of that name, ignoring case as MySQL does, or -1.
func (s *Schema) Ordinal(name string) int {
	for i := range s.Columns {
		if EqualFold(s.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// RowID is the pseudo ordinal that a scan may request in addition to columns: a BIGINT that
// names the row within the snapshot, as UPDATE and DELETE need it.
const RowID = -1

// Table is an immutable snapshot of a table, or a file read as one. Safe for
// concurrent use.
type Table interface {
	Name() string
	Schema() *Schema
	// Stats returns the known statistics; never nil.
	Stats() *Stats
	// Version changes whenever the contents do; caches are keyed by it.
	Version() uint64
	// Scan opens a scan. Nothing is read before the first Reader.Next.
	Scan(ctx context.Context, spec ScanSpec) (Source, error)
}

// ScanSpec specifies what to read.
type ScanSpec struct {
	Columns []int   // ordinals, or RowID; may be empty when only rows are counted
	Prune   []Range // bounds by which whole segments, runs of equal values, row groups or files may be skipped; rows within are NOT filtered
	// Bound returns a range that narrows while the scan runs. The scan may use it as Prune to
	// skip data it has not read yet; nulls restricts this to data without NULLs. ok is false
	// while no range is known. Safe for concurrent use; may be nil.
	Bound func() (r Range, nulls, ok bool)
	// Keys restricts the wanted rows to those with some values; nil: all rows. A KeyFinder may
	// return just these. Rows are NOT filtered.
	Keys      *Keys
	BatchSize int  // rows a batch at most; 0 means vec.BatchSize
	Narrow    bool // decimals may come as Narrow vectors
	Passing   bool // texts, but for dictionaries', need not stay as they are beyond the reader's next batch
	Mem       *mem.Account
	Progress  func(rows int64) // called with rows read since the last call, from any goroutine; may be nil
}

// Keys are values of columns together, in flat vectors of their execution kinds and scales,
// as many of each. Where one is NULL they mean nothing. Those of text with a collation are its
// keys by that collation.
type Keys struct {
	Columns []int
	Values  []*vec.Vector
}

// N returns the number of keys.
func (k *Keys) N() int { return k.Values[0].N }

// KeyFinder is a Table that can find rows by the values of some columns without a scan.
type KeyFinder interface {
	Table
	// FindsBy reports whether it can find rows by these columns together.
	FindsBy(columns []int) bool
}

// Sampler is a Table that can show some of its rows, for estimates.
type Sampler interface {
	Table
	// Sample returns columns of up to about a few thousand rows from all over the table; the
	// first quarter of these rows also comes from all over it. All columns have the same rows
	// and are flat; nil where the table has no rows to show. The rows may be those of an
	// earlier Version, and must not be changed. Findings keeps what is derived from them as
	// long as the table shows these rows.
	Sample(columns []int) (*vec.Batch, *Findings)
}

// Combiner is a Table that knows how its columns' values go together.
type Combiner interface {
	Table
	// Combinations estimates how many different combinations of values several columns have, at
	// most as many as the table has rows; ok is false where it cannot. The first call for some
	// columns looks at rows, others are answered at once.
	Combinations(columns []int) (n float64, ok bool)
}

// Range bounds a column: rows outside [Lo, Hi] and rows that are NULL are not needed.
type Range struct {
	Column int
	Lo, Hi *Datum // nil when open; both inclusive
}

// Source hands out the morsels of a scan to any number of readers.
type Source interface {
	// NewReader makes a reader for one goroutine. Readers share the morsels: together
	// they deliver each row once, and a single one delivers all, in the table's order.
	NewReader() (Reader, error)
	// Close releases what the scan holds; readers must have ended.
	Close() error
}

// Reader reads batches. It is for one goroutine.
type Reader interface {
	// Next returns the next batch, valid until the following call, or nil, nil at the end.
	// Batch.Morsel is set and grows in the table's order.
	Next() (*vec.Batch, error)
	Close() error
}

// LateReader is a Reader that reads the columns of a batch one by one, on request and only for
// the rows that are still needed then. Callers use Advance and Column instead of Next.
type LateReader interface {
	Reader
	// Advance moves to the next batch, which has n rows, 0 at the end. The rows in live count,
	// ascending, or all rows where live is nil. Earlier results of Column become invalid.
	Advance() (n int, live []int32, err error)
	// Column reads the column at place i of ScanSpec.Columns: the batch's rows given,
	// ascending, which stay unchanged as long as the column is used, or all n for nil.
	Column(i int, rows []int32) (*vec.Vector, error)
	// Morsel is the batch's Batch.Morsel.
	Morsel() int64
}

// Resolver finds tables for the binder.
type Resolver interface {
	// Table finds a table or view. db is "" for the current database. The error is
	// 1146 (with a suggestion when a name is close) or, for files, what went wrong.
	Table(ctx context.Context, db, name string) (Object, error)
	// In returns a resolver of the same tables whose current database is db: a view's names
	// mean what they meant where it was made.
	In(db string) Resolver
	// Collation returns the collation of a database's tables that are declared without one; db
	// is "" for the current database.
	Collation(db string) types.Collation
}

// Object is the object that a name denotes: exactly one field is set.
type Object struct {
	Table Table
	View  *View
}

// View is a stored SELECT.
type View struct {
	DB, Name string
	Columns  []string     // explicit column names, or nil
	SQL      string       // the SELECT's text
	Within   string       // the current database when the view was made, where names without one belong
	Mode     sqlmode.Mode // the sql_mode then, by which SQL is read
}
