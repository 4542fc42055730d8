// Package gsql is an embedded analytical SQL engine: MySQL's dialect over columnar
// Apache Arrow tables and over CSV, JSON, Parquet, Arrow, Excel and SQLite files where they
// lie, planned by cost and executed by vectorised operators on all cores.
//
// # Embedding
//
//	db, err := gsql.Open(gsql.Config{})
//	s := db.NewSession()
//	rows, err := s.Query(ctx, "SELECT origin, COUNT(*) FROM `flights.parquet` GROUP BY origin")
//
// A DB is safe for concurrent use. A Session is one connection: it has variables, a
// transaction and warnings of its own, and runs one statement at a time. Rows.All
// iterates over rows of Go values, QueryArrow returns an Arrow record reader; RegisterArrow
// and Appender bring data in.
//
// Statements read and write all files that the process may. Programs that run SQL from
// strangers set Config.FileAccess.
//
// # database/sql
//
// Importing the package registers the driver "gsql":
//
//	db, err := sql.Open("gsql", "")
//
// The data source name is
//
//	[database or folder][?option=value[&option=value]...]
//
// where a name with a slash, an ending such as .gsql or file: before it is the folder in which the
// tables are kept (see Open); other names, and none, are those of a database in memory (default
// "gsql", created when it does not exist). The options are database (in a folder), readonly, dir (folder
// for relative file paths), files (which files statements may read and write: all, none,
// or folders; see FileAccess), workers,
// memory_limit ("512MB", "4GB") and any session variable. All connections of one
// sql.DB share one store; in memory, it ends with the sql.DB. ? placeholders are bound with
// the types of their values. (*sql.Conn).Raw passes
// what SessionOf returns the *Session of.
//
// Statements of a sql.Tx never commit by themselves. Those behind one that commits
// implicitly, such as CREATE TABLE, are a transaction again. After a conflict, error 1213,
// the transaction has been rolled back: all its statements fail with that error until
// Rollback, and Commit fails.
//
// # Types
//
// Scanning yields int64, uint64, float64, string (VARCHAR, TEXT, DECIMAL, TIME),
// []byte (BLOB) and time.Time (DATE, DATETIME, TIMESTAMP, in UTC).
package gsql
