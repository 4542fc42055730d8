// Package chainlog keeps files of records that are only appended, for the write-ahead log and the
// manifest of a database directory. docs/format.md describes their bytes.
//
// Each record has two checksums: one of its header, and one of its contents that continues that of
// the record before, so records that are valid are a prefix of those appended. Each header also
// says how much of the log had been synced when the record was appended. A broken record that had
// been synced before a later one was appended is damage; one without such a successor is what a
// crash leaves, and Scan ends before it.
//
// Callers of Commit share writes and syncs: the first one that finds none in progress writes all
// records that wait. A write or sync that fails poisons the log. It is never tried again, because
// operating systems forget data that they could not write and then report success.
package chainlog
