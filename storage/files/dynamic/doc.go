// Package dynamic finds the types of columns whose values have types of their own, which may differ
// from row to row, as in JSON files, sheets and SQLite tables, and stores the values in vectors.
//
// It also has the tables of files that are read row by row, by a library.
package dynamic
