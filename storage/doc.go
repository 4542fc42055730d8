// Package storage keeps tables in memory: columnar segments, snapshots for readers,
// transactions, keys and statistics.
//
// All committed data hangs off one immutable state, which each commit replaces. A snapshot is a
// pointer to a state, and the garbage collector frees whatever no snapshot refers to. A table
// version is a list of segments, each with a copy-on-write set of deleted rows, and an
// append-only tail that takes small inserts until it is sealed as a segment.
//
// # Columns
//
// Table columns are allocated on the Go heap because the vectors of results and operators share
// their memory for an unlimited time. They are charged to an account for as long as the collector
// finds them reachable (mem.Holding). Once commits have dropped 64 MB of segments and a quarter
// of the live heap, the collector runs at the end of the statement. Before the database's limit
// refuses a reservation, dropped tables and undone writes are collected.
//
// A segment column is run-length encoded, as the ends of its runs and one value each, if runs of
// equal values are at least 16 rows long on average and the encoding takes at most half the
// memory. Decimals of up to 18 digits are stored as 64-bit integers.
//
// # Transactions
//
// Transactions are isolated by snapshots, and the first committer wins: the second one fails with
// error 1213. A serializable transaction records the names that it looks up, and its commit
// checks that they still refer to the same versions. Locking reads record row ids; the commit
// checks that these rows are alive and publishes the locks in a list that only older snapshots
// reach.
package storage
