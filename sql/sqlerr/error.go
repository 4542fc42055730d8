// Package sqlerr provides the only error type that gsql returns to users. It contains MySQL's
// error number and SQLSTATE, the position in the statement, and a hint how to fix the problem.
//
// Errors are created where they are detected and wrapped with %w by their callers; no code later
// maps one error number to another. The package imports no other package of gsql.
package sqlerr

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Error is an error that a user can act on.
type Error struct {
	Code Code   // MySQL error number; its SQLSTATE follows from it
	Msg  string // MySQL's wording if MySQL has this error
	Pos  int    // byte offset in the statement text, or -1 if unknown
	Hint string // what the user can do, or ""
	Err  error  // wrapped cause, or nil
}

// New returns an error with the given code and no position.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: Message(format, args...), Pos: -1}
}

// maxArgument is the length in bytes from which texts in messages are cut, so that a message does
// not hold a whole value. MySQL's messages have 512 bytes.
const maxArgument = 512

// Message is fmt.Sprintf for messages of errors and warnings: it cuts long arguments.
func Message(format string, args ...any) string {
	for i, a := range args {
		s, ok := a.(string)
		if err, is := a.(error); is && err != nil {
			s, ok = err.Error(), true
		}
		if ok && len(s) > maxArgument {
			args[i] = Cut(s, maxArgument)
		}
	}
	return fmt.Sprintf(format, args...)
}

// Cut returns s if it has at most n bytes, or else the characters within n bytes and three dots.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := n
	for end > max(n-utf8.UTFMax, 0) && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}

// Wrap returns an error with the given code that wraps cause and appends cause's text.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Msg: Message(format, args...) + ": " + cause.Error(), Pos: -1, Err: cause}
}

// Unsupported returns error 1235 for a construct that parses but cannot be executed.
func Unsupported(pos int, format string, args ...any) *Error {
	return New(NotSupportedYet, "This version of gsql doesn't yet support '%s'", Message(format, args...)).At(pos)
}

// Internal returns error 1815: a bug in gsql, never the user's fault.
func Internal(format string, args ...any) *Error {
	return New(InternalError, "Internal error: "+format, args...)
}

// At sets the byte offset in the statement and returns e. It has no effect if pos is negative or
// if e already has a position.
func (e *Error) At(pos int) *Error {
	if e.Pos < 0 && pos >= 0 {
		e.Pos = pos
	}
	return e
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns the error on one line as MySQL does: ERROR 1146 (42S02): message.
func (e *Error) Error() string {
	return fmt.Sprintf("ERROR %d (%s): %s", int(e.Code), e.Code.State(), e.Msg)
}

// Unwrap returns the wrapped cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, sqlerr.NoSuchTable) return true for errors with that code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// From converts any error to an *Error. If there is one in the chain, it is returned unchanged;
// context errors become 1317 (cancelled) or 3024 (timeout), all others 1105.
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
