package kernel

import (
	"context"

	"gsql/sql/sqlerr"
)

// PieceBytes is the number of bytes of texts after which a call checks for cancellation again.
const PieceBytes = 256 << 10

// CheckRows is the number of rows after which a call checks for cancellation again, so that long
// expressions stop early.
const CheckRows = 128

// Running ends with the statement.
func (rt *Runtime) Running() context.Context {
	if rt.Env == nil {
		return context.Background()
	}
	return rt.Env.Running()
}

// Cancelled returns the error of a cancelled statement, or nil if the statement is not cancelled.
func (rt *Runtime) Cancelled() error {
	if err := rt.Running().Err(); err != nil {
		return sqlerr.From(err).At(rt.Call.Pos)
	}
	return nil
}
