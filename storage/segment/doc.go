// Package segment implements the columnar forms of a table's rows. A Segment is an immutable run
// of rows whose columns are encoded: as Arrow arrays, dictionaries and codes, or runs of equal
// values. A Tail is the append-only end of a table, which takes small inserts. A Chunk collects
// many rows; chunks and tails are sealed as segments. Package storage tracks which rows are
// deleted, visible or locked.
package segment
