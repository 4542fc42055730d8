// Package eval computes bound expressions over whole batches. A Program is compiled
// once for a plan; each worker evaluates it with an Evaluator of its own, which holds
// the scratch vectors.
package eval

import (
	"context"

	"gsql/sql/catalog"
)

// Ctx is what expressions may ask besides their input. The zero value serves
// expressions that need neither session nor parameters.
type Ctx struct {
	Env    Env
	Params []catalog.Datum // values of expr.Param by slot
	// Running ends when the statement is cancelled or its time is over; nil: never.
	// Only functions that wait need it.
	Running context.Context
}

// Env is the session as run-time functions see it.
type Env interface {
	// Now is the statement's time in microseconds since 1970-01-01 UTC.
	Now() int64
	// Var gives a system or user variable's value as text.
	Var(name string) (string, bool)
	// UserVar gives the value of @name; ok is false for one that is not set.
	UserVar(name string) (d catalog.Datum, ok bool)
	// SetUserVar sets @name. Statements that call it run in one goroutine at a time.
	SetUserVar(name string, d catalog.Datum)
	// SetLastInsertID is called with what LAST_INSERT_ID(x) gives. Safe for concurrent use.
	SetLastInsertID(id int64)
	// Warn adds a warning to the statement's list. Safe for concurrent use.
	Warn(code uint16, msg string)
}
