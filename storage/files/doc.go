// Package files reads CSV, TSV, JSON, Parquet, Arrow, Excel and SQLite files as tables, without loading
// them first, and writes all but the last two.
//
// Open finds the files of a path or pattern, detects their formats and opens them as parts
// (gsql/storage/files/format defines the contract; csv, jsonfile, parquet, arrow, sheet and sqlite implement it). A scan
// cuts each part into chunks: row groups of Parquet, record batches of Arrow, ranges of whole
// lines of CSV, whole values of JSON. The readers of a scan take the next chunk whenever they are free and decode it
// straight into vectors, so a scan is as parallel as it has readers. Panics of decoding libraries
// on damaged files become errors that name the file.
package files
