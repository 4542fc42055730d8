package files

import (
	"gsql/internal/mem"
	"gsql/storage/disk"
	"gsql/storage/files/csv"
)

// Options determines how to read a file. The zero value sniffs everything.
type Options struct {
	Dir  string     // directory that relative paths start from; "" is the process's
	Disk *disk.Disk // the files that may be read; nil is all of them

	Pipes *disk.Pipes // pipes already being read, for calls that open the same files again; nil for none

	Mem *mem.Account // is charged for what Open unpacks, until it returns; nil counts nothing

	OwnColumns bool // omit the columns of directories named key=value

	csv.Options // for CSV and TSV only
}

// WriteOptions determines how to write a file. The zero value writes what Open reads back unchanged.
type WriteOptions struct {
	Dir  string     // directory that relative paths start from; "" is the process's
	Disk *disk.Disk // where files may be written; nil is everywhere

	csv.WriteOptions // for CSV and TSV only
}
