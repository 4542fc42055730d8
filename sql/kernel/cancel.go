package kernel

import (
	"context"

	"gsql/sql/sqlerr"
)

// PieceBytes is for how many bytes of texts a call asks whether its statement was cancelled.
const PieceBytes = 256 << 10

// CheckRows is for how many rows a call asks whether its statement was cancelled, so that long
// expressions end in their midst.
const CheckRows = 128

// Running ends with the statement.
func (rt *Runtime) Running() context.Context {
	if rt.Env == nil {
		return context.Background()
	}
	return rt.Env.Running()
}

// Cancelled is the error of a statement that was.
func (rt *Runtime) Cancelled() error {
	if err := rt.Running().Err(); err != nil {
		return sqlerr.From(err).At(rt.Call.Pos)
	}
	return nil
}
