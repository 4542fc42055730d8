package files

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// Reject is a line that IgnoreErrors skipped.
type Reject struct {
	File   string
	Line   int64  // of the file, from 1
	Column string // "" when the line as a whole is wrong
	Text   string // the offending text, cut to some length
	Reason string
	Code   sqlerr.Code
}

// Rejected lists the lines that a scan has skipped so far, ordered by file and line.
// Scans of other tables have none.
func Rejected(src catalog.Source) []Reject {
	sc, ok := src.(*scan)
	if !ok {
		return nil
	}
	sc.rejects.mu.Lock()
	defer sc.rejects.mu.Unlock()
	list := slices.Clone(sc.rejects.list)
	slices.SortStableFunc(list, func(a, b Reject) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

type rejectList struct {
	mu   sync.Mutex
	list []Reject
}

// add keeps r, or gives it as the error when limit lines have been skipped already.
func (l *rejectList) add(r Reject, limit int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit > 0 && len(l.list) >= limit {
		return r.err("Of this file %d lines have been skipped already, which is the limit.", limit)
	}
	l.list = append(l.list, r)
	return nil
}

// rejectCode tells what is wrong with a row.
type rejectCode = sqlerr.Code

const (
	tooFewFields  = sqlerr.LoadDataBadLine
	tooManyFields = sqlerr.LoadDataExtraFields
	badQuote      = sqlerr.TruncatedWrongValue
	badValue      = sqlerr.TruncatedWrongValueForField
)

// err makes the error: file, line, column and text, and what to do.
func (r *Reject) err(hint string, args ...any) error {
	where := fmt.Sprintf("file '%s', line %d", r.File, r.Line)
	if r.Column != "" {
		where += fmt.Sprintf(", column '%s'", r.Column)
	}
	return sqlerr.New(r.Code, "%s: %s: '%s'", where, r.Reason, r.Text).WithHint(hint, args...)
}
