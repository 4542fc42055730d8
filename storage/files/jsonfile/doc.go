// Package jsonfile reads and writes JSON files: an array of values, or values one after the other, as
// in NDJSON, one on each line. Each value is a row. If all values are objects, their members are
// columns; otherwise the only column holds the values. A member whose values are objects is taken apart: its
// members have columns such as `a.b`, and its own column is hidden.
//
// Opening a file reads all of it, in parallel, so that every member has a column and every column a
// type that holds all of its values. A scan cuts the file between values (boundaries), and its
// readers find the requested members of each.
package jsonfile
