package session

import (
	"slices"
	"sync"
	"sync/atomic"

	"gsql/sql/sqlerr"
)

// Warning is an entry of SHOW WARNINGS.
type Warning struct {
	Level string // "Note", "Warning" or "Error"
	Code  uint16 // MySQL's number
	Msg   string
}

// maxWarnings limits the list of a statement, as MySQL's max_error_count does.
const maxWarnings = 1024

// Warnings holds the warnings of the last statement, and the operators that ran on the CPU because
// their device failed. The zero value is empty. Safe for concurrent use, except for the counts of
// the previous statement.
type Warnings struct {
	mu        sync.Mutex
	list      []Warning
	added     int64    // all warnings of the statement, including those beyond maxWarnings
	fallbacks []string // operators, each once
	// refused is the first warning that strict mode turns into an error in statements that change
	// rows.
	refused atomic.Pointer[sqlerr.Error]
	// before and errorsBefore count the warnings and errors of the previous statement.
	before, errorsBefore int64
}

// Clear empties the list.
func (w *Warnings) Clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list, w.added, w.fallbacks = nil, 0, nil
}

// Add appends a warning, or only counts it if the list is full.
func (w *Warnings) Add(x Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.added++
	if len(w.list) < maxWarnings {
		w.list = append(w.list, x)
	}
}

// List returns a copy of the list: at most 1,024 warnings and errors.
func (w *Warnings) List() []Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// Len returns the length of the list.
func (w *Warnings) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.list)
}

// Count saves the counts of the statement that has ended, for @@warning_count and @@error_count of
// the next one.
func (w *Warnings) Count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.errorsBefore = w.added, 0
	for _, x := range w.list {
		if x.Level == "Error" {
			w.errorsBefore++
		}
	}
}

// Before returns the numbers of warnings and errors of the previous statement.
func (w *Warnings) Before() (all, errors int64) { return w.before, w.errorsBefore }

// Fallbacks returns the operators that ran on the CPU because their device failed.
func (w *Warnings) Fallbacks() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.fallbacks)
}

// fellBack adds an operator to the fallbacks and reports whether it is new there.
func (w *Warnings) fellBack(operator string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.fallbacks, operator) {
		return false
	}
	w.fallbacks = append(w.fallbacks, operator)
	return true
}

// strictCodes are the warnings that strict mode turns into errors in statements that change rows,
// wherever in the statement the expression is.
var strictCodes = map[sqlerr.Code]bool{
	sqlerr.DivisionByZero: true, sqlerr.TruncatedWrongValue: true, sqlerr.WarnDataOutOfRange: true, sqlerr.WrongValueForType: true,
	sqlerr.DatetimeOverflow: true, sqlerr.InvalidArgumentForLogarithm: true, sqlerr.InvalidJSONValueForCast: true, sqlerr.AllowedPacketOverflowed: true, sqlerr.InvalidCharacterString: true,
}

// refuse keeps the first warning that strict mode turns into an error.
func (w *Warnings) refuse(code sqlerr.Code, msg string) {
	if strictCodes[code] && w.refused.Load() == nil {
		w.refused.CompareAndSwap(nil, sqlerr.New(code, "%s", msg))
	}
}

// StartStrict clears the warning that Refused returns.
func (w *Warnings) StartStrict() { w.refused.Store(nil) }

// Refused returns the first warning since StartStrict that strict mode turns into an error, or nil.
func (w *Warnings) Refused() error {
	if e := w.refused.Load(); e != nil {
		return e
	}
	return nil
}
