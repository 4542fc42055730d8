package csv

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/notation"
)

// rejectCode is the error code of a row's defect.
type rejectCode = sqlerr.Code

const (
	tooFewFields  = sqlerr.LoadDataBadLine
	tooManyFields = sqlerr.LoadDataExtraFields
	badQuote      = sqlerr.TruncatedWrongValue
	badValue      = sqlerr.TruncatedWrongValueForField
)

// withoutBad reports the rows that do not fit: as the error or, if errors are ignored, as
// rejects. It returns the remaining rows.
func (c *chunk) withoutBad(n int) (*vec.Batch, error) {
	slices.SortStableFunc(c.bad, func(a, b badRow) int { return a.row - b.row })
	good := make([]int32, 0, n)
	next := 0
	for row := range n {
		if next == len(c.bad) || c.bad[next].row != row {
			good = append(good, int32(row))
			continue
		}
		r := c.reject(c.bad[next])
		if !c.scan.opt.IgnoreErrors {
			return nil, r.Err("%s", c.hint(c.bad[next], &r))
		}
		if err := c.scan.req.Rejects.Add(r, c.scan.opt.MaxErrors); err != nil {
			return nil, err
		}
		for next < len(c.bad) && c.bad[next].row == row {
			next++
		}
	}
	return vec.Select(&c.out, good), nil
}

// hint returns what to write so that a line is read.
func (c *chunk) hint(b badRow, r *format.Reject) string {
	name := filepath.Base(c.scan.Path)
	if b.code != badValue {
		return fmt.Sprintf("Say how the file is written, as in `%s?delimiter=;&quote=\"&header=no`, or skip such lines (LOAD DATA ... IGNORE).", name)
	}
	if text := c.tokens.text(c.tokens.spans[b.field][b.row]); r.Line == 1 && strings.EqualFold(strings.TrimSpace(text), r.Column) {
		return fmt.Sprintf("The first line seems to name the columns. LOAD DATA ... IGNORE 1 LINES skips it, and `%s?header=yes` reads it as a header.", name)
	}
	return format.TypeHint(c.scan.Path, r.Column) + " LOAD DATA ... IGNORE skips such lines."
}

// maxText bounds the length of offending text shown in errors.
const maxText = 80

func (c *chunk) reject(b badRow) format.Reject {
	t := c.tokens
	start := t.records[b.row].start
	r := format.Reject{File: c.scan.Path, Code: b.code, Reason: b.reason,
		Line: c.line + int64(bytes.Count(c.data[:start], []byte(c.scan.d.lines)))}
	text := c.data[start:]
	if end := bytes.Index(text, []byte(c.scan.d.lines)); end >= 0 {
		text = bytes.TrimRight(text[:end], "\r")
	}
	switch {
	case b.code == badValue:
		r.Column = c.columnName(b.field)
		text = t.raw(t.spans[b.field][b.row])
		r.Code, r.Reason = notation.Misfit(c.cols[b.field].Type, t.text(t.spans[b.field][b.row]))
	case b.code == badQuote && b.field < len(c.scan.names):
		r.Column = c.scan.names[b.field]
	}
	if len(text) > maxText {
		text = append(text[:maxText:maxText], "..."...)
	}
	r.Text = string(bytes.ToValidUTF8(text, []byte("?")))
	return r
}

// columnName returns the name of the column that is stored in an output.
func (c *chunk) columnName(output int) string {
	for field, slot := range c.tokens.slots {
		if int(slot) == output {
			return c.scan.names[field]
		}
	}
	return ""
}
