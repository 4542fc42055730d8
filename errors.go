package gsql

import (
	"context"

	"gsql/sql/sqlerr"
)

// Error is the error of a statement, as errors.As finds it: MySQL's number (Code, with its
// SQLSTATE), the message, the byte offset in the text (Pos, -1 when unknown), and what to do
// about it (Hint, or ""). Errors of Session, Rows, Appender and of the driver are such errors.
type Error = sqlerr.Error

// Code is MySQL's number of an error. It is itself an error, so that
// errors.Is(err, gsql.ErrDuplicateKey) works.
type Code = sqlerr.Code

// The errors that programs most often test for. All others can be written as Code(number).
const (
	ErrDiskFull        = sqlerr.DiskFull                // 1021: the disk of temporary files, or gsql_temp_limit
	ErrOutOfMemory     = sqlerr.OutOfMemory             // 1037: a memory limit
	ErrNotNull         = sqlerr.BadNull                 // 1048: NULL in a column that is NOT NULL
	ErrNoSuchDatabase  = sqlerr.BadDB                   // 1049
	ErrTableExists     = sqlerr.TableExists             // 1050
	ErrClosed          = sqlerr.ServerShutdown          // 1053: the DB is closed
	ErrNoSuchColumn    = sqlerr.BadField                // 1054
	ErrDuplicateKey    = sqlerr.DupEntry                // 1062
	ErrSyntax          = sqlerr.ParseError              // 1064
	ErrNoSuchTable     = sqlerr.NoSuchTable             // 1146
	ErrSessionClosed   = sqlerr.AbortingConnection      // 1152
	ErrConflict        = sqlerr.WriteConflict           // 1213: the transaction was rolled back; run it again
	ErrNotSupported    = sqlerr.NotSupportedYet         // 1235
	ErrFileAccess      = sqlerr.OptionPreventsStatement // 1290: FileAccess does not allow the file
	ErrInterrupted     = sqlerr.QueryInterrupted        // 1317: the context or KILL ended the statement
	ErrDataTooLong     = sqlerr.DataTooLong             // 1406
	ErrOutOfRange      = sqlerr.DataOutOfRange          // 1690
	ErrReadOnly        = sqlerr.ReadOnlyTransaction     // 1792
	ErrTimeout         = sqlerr.QueryTimeout            // 3024: max_execution_time or a deadline
	ErrSessionKilled   = sqlerr.SessionWasKilled        // 3169
	ErrCheckConstraint = sqlerr.CheckViolated           // 3819
)

// misuse returns error 1210 for an argument or receiver that cannot be used.
func misuse(what, why string) *sqlerr.Error {
	return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s: %s", what, why)
}

// checkContext returns error 1210 for a nil context.
func checkContext(ctx context.Context, what string) error {
	if ctx == nil {
		return misuse(what, "the context is nil").WithHint("Use context.Background() if nothing should end the call early.")
	}
	return nil
}
