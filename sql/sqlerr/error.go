// Package sqlerr holds the one error type that gsql shows its users: MySQL's number and
// SQLSTATE, the place in the statement, and a hint about the remedy.
//
// Errors are created where they are detected and wrapped with %w on the way up; no code maps
// one error number to another later. The package imports nothing of gsql.
package sqlerr

import (
	"context"
	"errors"
	"fmt"
)

// Error is an error a user can act on.
type Error struct {
	Code Code   // MySQL error number; its SQLSTATE follows from it
	Msg  string // MySQL's wording where MySQL has one
	Pos  int    // byte offset in the statement text, or -1 when unknown
	Hint string // what the user can do, or ""
	Err  error  // wrapped cause, or nil
}

// New makes an error of the given code without a position.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...), Pos: -1}
}

// Wrap makes an error of the given code that wraps cause and appends its text.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...) + ": " + cause.Error(), Pos: -1, Err: cause}
}

// Unsupported is error 1235 for a construct that parses but cannot run.
func Unsupported(pos int, format string, args ...any) *Error {
	return New(NotSupportedYet, "This version of gsql doesn't yet support '%s'", fmt.Sprintf(format, args...)).At(pos)
}

// Internal is error 1815: a bug in gsql, never the user's fault.
func Internal(format string, args ...any) *Error {
	return New(InternalError, "Internal error: "+format, args...)
}

// At sets the byte offset in the statement and returns e. A negative pos or an
// error that already has a position leaves it as it is.
func (e *Error) At(pos int) *Error {
	if e.Pos < 0 && pos >= 0 {
		e.Pos = pos
	}
	return e
}

// WithHint sets what the user can do and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns MySQL's one-line form: ERROR 1146 (42S02): message.
func (e *Error) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", int(e.Code), e.Code.State(), e.Msg)
}

// Unwrap returns the wrapped cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, sqlerr.NoSuchTable) true for errors of that code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// From turns any error into an *Error: one already in the chain is returned as it
// is, context errors become 1317 (cancelled) or 3024 (timeout), and the rest 1105.
func From(err error) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: QueryTimeout, Msg: "Query execution was interrupted, maximum statement execution time exceeded", Pos: -1, Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: QueryInterrupted, Msg: "Query execution was interrupted", Pos: -1, Err: err}
	}
	return &Error{Code: UnknownError, Msg: err.Error(), Pos: -1, Err: err}
}
