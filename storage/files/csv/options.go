package csv

import (
	"golang.org/x/text/encoding"

	"gsql/sql/types"
)

// Options determines how to read a CSV or TSV file. Options that are not set are detected.
type Options struct {
	Charset    encoding.Encoding     // nil: UTF-8, or UTF-16 if the file has its byte order mark
	Delimiter  string                // FIELDS TERMINATED BY, one or more bytes
	Quote      *byte                 // ENCLOSED BY; a zero byte means fields are never quoted
	Escape     *byte                 // ESCAPED BY; the quote byte (or zero) means doubling quotes only
	Lines      string                // LINES TERMINATED BY; "" accepts \n and \r\n
	LinePrefix string                // LINES STARTING BY: text up to it on a line is skipped, and so are lines without it
	Header     *bool                 // whether the first line names the columns
	SkipLines  int                   // IGNORE n LINES, before the header
	Columns    []string              // names that replace those of the header or c1, c2, ...
	Types      map[string]types.Type // types by column name, replacing the detected ones
	NullText   []string              // unquoted fields that mean NULL, replacing the usual spellings

	IgnoreErrors bool // skip lines that do not fit and collect them as rejects
	MaxErrors    int  // with IgnoreErrors: largest number of skipped lines; 0 means any number

	ChunkBytes int // size of the chunks that readers decode; 0 for the default
}

// Enclose determines which fields of a CSV file are quoted when written.
type Enclose uint8

// The ways to quote: only fields that would be misread otherwise, all fields (ENCLOSED BY), or
// all text (OPTIONALLY ENCLOSED BY). NULLs are never quoted.
const (
	EncloseNeeded Enclose = iota
	EncloseAll
	EncloseText
)

// WriteOptions determines how CSV and TSV files are written. The zero value writes files that
// Open reads back unchanged: a header line, quotes where needed, NULL as an empty field and the
// empty text as "".
type WriteOptions struct {
	Delimiter  string  // FIELDS TERMINATED BY; "" is a comma, or a tab for TSV
	Quote      *byte   // ENCLOSED BY; nil is ", a zero byte means none
	Enclose    Enclose // which fields are quoted
	Escape     *byte   // ESCAPED BY; nil and zero mean doubled quotes
	Lines      string  // LINES TERMINATED BY; "" is \n
	LinePrefix string  // LINES STARTING BY
	Header     *bool   // whether the first line names the columns; nil means yes
	NullText   *string // nil is \N if there is an escape, otherwise an empty field
}
