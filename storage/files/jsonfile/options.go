package jsonfile

import (
	"golang.org/x/text/encoding"

	"gsql/sql/types"
)

// Options determines how to read a JSON file. The zero value detects everything.
type Options struct {
	Charset    encoding.Encoding     // nil: UTF-8
	Types      map[string]types.Type // types by column name, replacing those found
	Whole      bool                  // nested objects are columns, instead of their members
	Lines      bool                  // values follow each other; an array is a value, too
	ChunkBytes int                   // size of the chunks that readers decode; 0 for the default
}
