// Package storage keeps tables in memory: columnar segments, snapshots for readers,
// transactions, keys and statistics.
//
// All committed data hangs off one immutable state, which each commit replaces. A snapshot is a
// pointer to a state, and the garbage collector frees what no snapshot needs. A table version is a
// list of segments, each with a copy-on-write set of deleted rows, and an append-only tail that
// takes small inserts until it is sealed as a segment.
//
// # Columns
//
// Columns of tables lie on the Go heap, because vectors of results and operators share their
// memory for as long as they like. They are charged to an account for as long as the collector finds
// them reachable (mem.Holding). After commits have dropped 64 MB of segments and a quarter of what is
// alive, the collector runs at the end of the statement. Before the database's limit refuses a
// reservation, dropped tables and undone writes are collected.
//
// A column of a segment whose runs of equal values are 16 rows long or longer on average, and take at
// most half of the memory, is stored as the ends of its runs and one value for each. Decimals of
// up to 18 digits are stored as 64-bit integers.
//
// # Transactions
//
// Isolation is by snapshots, and the first committer wins: the second one fails with error 1213.
// A serializable transaction notes the names that it looks up, and its commit checks that they still
// stand for the same versions. Locking reads note row ids, and the commit checks that these rows
// are alive and publishes what it locked in a list that only older snapshots reach.
package storage
