// Package files reads and writes CSV, TSV, Parquet and Arrow IPC files as tables, without loading
// them first.
//
// Open finds the files of a path or pattern, detects their formats and opens them as parts
// (gsql/storage/files/format defines the contract; csv, parquet and arrow implement it). A scan
// cuts each part into chunks: row groups of Parquet, record batches of Arrow, ranges of whole
// lines of CSV. The readers of a scan take the next chunk whenever they are free and decode it
// straight into vectors, so a scan is as parallel as it has readers. Panics of decoding libraries
// on damaged files become errors that name the file.
package files
