// Package files reads and writes CSV, TSV, Parquet and Arrow IPC files as tables,
// without loading them first.
//
// A file (or all files that match a pattern) is cut into chunks: row groups of
// Parquet, record batches of Arrow, ranges of whole lines of CSV. The readers of a
// scan take chunks in turn and decode them on their own, straight into vectors, so
// that a scan is as parallel as it has readers. Panics of the decoding libraries on
// damaged files end in this package and become errors that name the file.
package files
