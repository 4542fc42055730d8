// Package sqlite reads tables of SQLite files through modernc.org/sqlite, a translation of SQLite to Go.
// SQLite opens the file through the file access of the statement and cannot write. Values keep the types
// that SQLite has stored, which may differ from the declared ones.
package sqlite
