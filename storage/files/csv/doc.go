// Package csv reads and writes CSV and TSV files.
//
// Opening a file detects its dialect, header and column types from a sample (sniff.go, header.go,
// open.go). A scan cuts the file into chunks of whole records (scan.go), and each chunk is
// decoded in three steps: separators are found as bits of words (marks.go), without looking at
// each byte; the bits become offsets of records and fields (token.go); fields become values
// column by column (convert.go, digits.go). Fields of unusual form are converted one by one by
// slower functions.
//
// # Why not arrow-go's reader
//
// Its CSV reader converts string records from encoding/csv on one goroutine, and supports neither
// MySQL's escapes and line prefixes nor the positions of bad values that LOAD DATA reports.
// bench/files reads the same files with both: per core, arrow-go takes 1.4 times (texts with
// doubled quotes) to 4.9 times (a table of six columns) as long (bench/results/files/files.md).
// Sniffing, which arrow-go does not do, takes an additional 12 to 47 ms once per file.
package csv
