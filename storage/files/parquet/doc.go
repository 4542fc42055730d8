// Package parquet reads and writes Parquet files.
//
// This package decodes footers, pages and encodings; gsql/internal/parquetfile writes them. A
// chunk of a scan is a row group, or a piece of a large one, so that several readers can share a
// file with one row group. A column chunk is read into recycled memory once for all pieces, and
// its dictionary is decoded once. Texts of dictionary pages are returned as views of the
// dictionary, and 64-bit values of plain pages in the page's memory. Lists, maps and structures
// are converted to JSON.
//
// # Why not arrow-go's reader
//
// Its pqarrow reader builds arrays, which gsql would then convert to vectors. bench/files reads
// the same files with both: arrow-go's records take 1.9 times (delta-encoded integers) to 43
// times (dictionaries of texts) as long as gsql's vectors, and 2.4 (brotli) to 9.7 times
// (uncompressed) for a table of six columns (bench/results/files/files.md). Its decoder of
// delta-encoded integers also panics if a batch of an optional column ends within a page.
package parquet
