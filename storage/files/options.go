package files

import (
	"reflect"

	"gsql/internal/mem"
	"gsql/storage/disk"
	"gsql/storage/files/csv"
)

// Options determines how to read a file. The zero value detects everything.
type Options struct {
	Dir  string     // directory that relative paths start from; "" is the working directory
	Disk *disk.Disk // files that may be read; nil means all

	Pipes *disk.Pipes // pipes already being read, for calls that open the same files again; nil if there are none

	Mem    *mem.Account // charged for what Open unpacks, until it returns; nil counts nothing
	Tables *mem.Account // charged for opened tables as long as they are referenced; nil counts nothing

	OwnColumns bool // omit the columns of directories named key=value
	Whole      bool // of a JSON file, objects within rows are columns, instead of their members

	csv.Options // for CSV and TSV; Types, Columns, Header and Charset for others, too

	Sheet string // of an Excel file; "" is the first
	Table string // of a SQLite file; "" is the only one

	format *fileFormat // replaces the one of the path's extension; nil if there is none
}

// plain reports whether nothing but the files determines what is read.
func (o *Options) plain() bool {
	return !o.OwnColumns && !o.Whole && reflect.ValueOf(o.Options).IsZero()
}

// WriteOptions determines how to write a file. The zero value writes files that Open reads back
// unchanged.
type WriteOptions struct {
	Dir  string     // directory that relative paths start from; "" is the working directory
	Disk *disk.Disk // where files may be written; nil means anywhere

	Mem *mem.Account // charged for rows held before they are written; nil counts nothing

	csv.WriteOptions // for CSV and TSV only

	format    *fileFormat // replaces the one of the path's extension; nil if there is none
	partition []string    // columns by which rows are distributed to folders

	others func() error // has other files that the statement writes write the rows they hold; nil if there are none
}
