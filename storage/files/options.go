package files

import (
	"golang.org/x/text/encoding"

	"gsql/sql/types"
)

// Options says how to read a file. The zero value sniffs everything.
type Options struct {
	Dir string // directory that relative paths start from; "" is the process's

	OwnColumns bool // leave out the columns that directories named key=value make

	// The rest is for CSV and TSV only. Empty fields are sniffed.
	Charset    encoding.Encoding     // of the text; nil: UTF-8, or UTF-16 where a byte order mark says so
	Delimiter  string                // FIELDS TERMINATED BY, one or several bytes
	Quote      *byte                 // ENCLOSED BY; a zero byte means fields are never quoted
	Escape     *byte                 // ESCAPED BY; the quote byte (or zero) means doubling only
	Lines      string                // LINES TERMINATED BY; "" accepts \n and \r\n
	LinePrefix string                // LINES STARTING BY: what precedes it on a line is skipped, lines without it too
	Header     *bool                 // whether the first line names the columns
	SkipLines  int                   // IGNORE n LINES, before the header
	Columns    []string              // names instead of the header's or c1, c2, ...
	Types      map[string]types.Type // types by column name, instead of the sniffed ones
	NullText   []string              // unquoted fields that mean NULL, instead of the usual spellings

	IgnoreErrors bool // skip lines that do not fit and keep them for Rejected
	MaxErrors    int  // with IgnoreErrors: how many lines may be skipped; 0 means any number

	chunk int // bytes a reader takes at once; 0 for the default
}
