// Package durable keeps a database in a directory: a manifest that describes the state at the last
// checkpoint, a write-ahead log of the commits since, and segment files with the columns of
// tables. It knows tables as definitions and rows, not as versions with keys and statistics; package
// storage builds those.
//
// A directory has one writer at a time. docs/format.md describes its files byte by byte.
package durable
