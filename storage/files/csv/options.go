package csv

import (
	"golang.org/x/text/encoding"

	"gsql/sql/types"
)

// Options determines how to read a CSV or TSV file. What is not set is sniffed.
type Options struct {
	Charset    encoding.Encoding     // of the text; nil: UTF-8, or UTF-16 where a byte order mark says so
	Delimiter  string                // FIELDS TERMINATED BY, one or several bytes
	Quote      *byte                 // ENCLOSED BY; a zero byte means fields are never quoted
	Escape     *byte                 // ESCAPED BY; the quote byte (or zero) means doubling only
	Lines      string                // LINES TERMINATED BY; "" accepts \n and \r\n
	LinePrefix string                // LINES STARTING BY: text before it on a line is skipped, and lines without it
	Header     *bool                 // whether the first line names the columns
	SkipLines  int                   // IGNORE n LINES, before the header
	Columns    []string              // names instead of the header's or c1, c2, ...
	Types      map[string]types.Type // types by column name, instead of the sniffed ones
	NullText   []string              // unquoted fields that mean NULL, instead of the usual spellings

	IgnoreErrors bool // skip lines that do not fit and collect them as rejects
	MaxErrors    int  // with IgnoreErrors: how many lines may be skipped; 0 means any number

	ChunkBytes int // what a reader decodes at once; 0 for the default
}

// Enclose is which fields of a CSV file are written with quotes.
type Enclose uint8

// The ways to quote: only where a field would be misread otherwise, all fields (ENCLOSED BY), and
// all text (OPTIONALLY ENCLOSED BY). NULLs are never quoted.
const (
	EncloseNeeded Enclose = iota
	EncloseAll
	EncloseText
)

// WriteOptions determines how CSV and TSV files are written. The zero value writes what Open reads back
// unchanged: a header line, quotes where needed, NULL as nothing and the empty text as "".
type WriteOptions struct {
	Delimiter  string  // FIELDS TERMINATED BY; "" is a comma, for TSV a tab
	Quote      *byte   // ENCLOSED BY; nil is ", a zero byte none
	Enclose    Enclose // which fields are quoted
	Escape     *byte   // ESCAPED BY; nil and zero mean that quotes are doubled instead
	Lines      string  // LINES TERMINATED BY; "" is \n
	LinePrefix string  // LINES STARTING BY
	Header     *bool   // whether the first line names the columns; nil means yes
	NullText   *string // nil is \N with an escape and nothing without
}
