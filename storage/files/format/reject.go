package format

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"gsql/sql/sqlerr"
)

// Reject is a line that a scan skipped.
type Reject struct {
	File   string
	Line   int64  // of the file, from 1
	Column string // "" if the line as a whole is wrong
	Text   string // the offending text, shortened
	Reason string
	Code   sqlerr.Code
}

// Err returns the reject as an error with file, line, column, text and a hint.
func (r *Reject) Err(hint string, args ...any) error {
	where := fmt.Sprintf("file '%s', line %d", r.File, r.Line)
	if r.Column != "" {
		where += fmt.Sprintf(", column '%s'", r.Column)
	}
	return sqlerr.New(r.Code, "%s: %s: '%s'", where, r.Reason, r.Text).WithHint(hint, args...)
}

// RejectList collects the lines that a scan skips. It is safe for concurrent use.
type RejectList struct {
	mu   sync.Mutex
	list []Reject
}

// Add keeps r. If limit is above 0 and that many lines have been skipped already, it returns r as
// an error.
func (l *RejectList) Add(r Reject, limit int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit > 0 && len(l.list) >= limit {
		return r.Err("Of this file %d lines have been skipped already, which is the limit.", limit)
	}
	l.list = append(l.list, r)
	return nil
}

// Sorted returns the rejects sorted by file and line.
func (l *RejectList) Sorted() []Reject {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list)
	slices.SortStableFunc(list, func(a, b Reject) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}
