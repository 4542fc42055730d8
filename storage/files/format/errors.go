package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Corrupt returns error 1033 for a damaged file.
func Corrupt(path, format string, args ...any) error {
	return sqlerr.New(sqlerr.FileCorrupt, "Incorrect information in file: '%s': %s", path, fmt.Sprintf(format, args...)).
		WithHint("The file may be cut short or damaged; fetch or write it again.")
}

// NotText returns error 1366 for a value that is not UTF-8 in a column that the file declares as
// text. row counts from 0 within the part of the file described by where.
func NotText(value, column string, row int64, where string) error {
	e := types.NotText(value, column, row+1)
	return sqlerr.New(e.Code, "%s of %s", e.Msg, where).
		WithHint("The file says that the column is text, which is UTF-8. Select the other columns, or write the column as binary.")
}

// NotJSON returns error 3140, or 3157 for too many levels, for a value that is not JSON in a column
// that the file declares as JSON. err says why; row and where are as for NotText.
func NotJSON(err error, column string, row int64, where string) error {
	code, reason := sqlerr.InvalidJSONText, ""
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		reason = fmt.Sprintf("Invalid JSON text: \"%s\" at position %d", syntax.Msg, syntax.Pos)
	} else {
		code, reason = sqlerr.From(err).Code, sqlerr.From(err).Msg
	}
	return sqlerr.New(code, "%s in value for column '%s' at row %d of %s", reason, column, row+1, where).
		WithHint("The file says that the column is JSON. Select the other columns, or write the column as text.")
}

// Fault is a defect in a file's contents.
type Fault string

// Error implements error.
func (f Fault) Error() string { return string(f) }

// Faultf formats a Fault.
func Faultf(format string, args ...any) error { return Fault(fmt.Sprintf(format, args...)) }

// ErrCutShort is the defect of a compressed file that ends too early.
var ErrCutShort = Fault("the compressed data is cut short")

// ErrCode is a dictionary code beyond the dictionary.
var ErrCode = Fault("a dictionary code is out of range")

// errDecode replaces errors that decoding libraries return for damaged files, because those
// mostly describe the library rather than the file.
const errDecode = Fault("it cannot be decoded")

// IsFinal reports whether an error is not about a file's contents: it already has a number, or
// the statement has ended.
func IsFinal(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Reason returns the user-visible description of an error in a file's contents.
func Reason(err error) error {
	var f Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Fault("it is cut short")
	}
	return errDecode
}

// ReadError wraps an error of the operating system (1017, 1024) or of a decoder (1033).
func ReadError(path string, err error) error {
	var pe *os.PathError
	switch {
	case IsFinal(err):
		return err
	case errors.Is(err, os.ErrNotExist):
		return sqlerr.New(sqlerr.FileNotFound, "Can't find file: '%s'", path)
	case errors.As(err, &pe):
		return sqlerr.Wrap(sqlerr.ErrorOnRead, pe.Err, "Error reading file '%s'", path)
	}
	return Corrupt(path, "%v", Reason(err))
}

// maxColumns bounds the columns of a table, as in MySQL.
const maxColumns = 4096

// CheckColumns returns error 1117 if a file has more columns than a table may have, and 1113 if it
// has none.
func CheckColumns(path string, n int) error {
	switch {
	case n == 0:
		return sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column, and file '%s' has none", path).
			WithHint("The file was written without columns.")
	case n <= maxColumns:
		return nil
	}
	return TooManyColumns(path, maxColumns, "")
}

// TooManyColumns returns error 1117 for a file with more than most columns in the place described
// by where.
func TooManyColumns(path string, most int, where string) error {
	return sqlerr.New(sqlerr.TooManyFields, "Too many columns: file '%s' has more than %d%s", path, most, where).
		WithHint("Look at the file's delimiter and line ends; a table has at most %d columns.", maxColumns)
}

// Guard runs f and turns a panic of a decoder into error 1033.
func Guard(path string, f func() error) (err error) {
	defer func() {
		p := recover()
		var e *sqlerr.Error
		switch p := p.(type) {
		case nil:
		case Fault:
			err = Corrupt(path, "%v", p)
		case error:
			if err = p; !errors.As(err, &e) { // an allocator's refusal keeps its number
				err = Corrupt(path, "%v", errDecode)
			}
		default:
			err = Corrupt(path, "%v", errDecode)
		}
	}()
	return f()
}

// TypeHint returns the advice for a value that does not fit the type of its column: how the statement
// sets the type.
func TypeHint(path, column string) string {
	return fmt.Sprintf("Set the column's type in the file's name, as in `%s?types=%s:text`.", filepath.Base(path), column)
}
