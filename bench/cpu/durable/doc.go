// Package durable measures databases in folders: gsql's, and beside them DuckDB's and SQLite's
// files. Each database is open in a process of its own, to which statements are sent; the processes
// take turns, so that other work on the machine disturbs all of them alike. SQLite is opened with a
// write-ahead log and synchronous = FULL. It takes no part in TPC-H.
package durable
