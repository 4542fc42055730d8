package sheet

import (
	"context"
	"strings"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/storage/files/dynamic"
	"gsql/storage/files/format"
)

// Options determines how to read a sheet. The zero value detects everything.
type Options struct {
	Name     string                // of the sheet; "" is the first
	Header   *bool                 // whether the first row names the columns
	SkipRows int                   // rows before the header or the first row
	Types    map[string]types.Type // types by column name, replacing those found
}

// source is a sheet without its header. It implements dynamic.Source.
type source struct {
	file *format.File
	opt  Options
	from int // the number of the first row
}

// Rows implements dynamic.Source.
func (s *source) Rows(ctx context.Context, account *mem.Account, _ []int) (dynamic.Rows, error) {
	a, err := openArchive(ctx, s.file, account)
	if err != nil {
		return nil, err
	}
	r, err := a.rows(s.opt.Name)
	if err != nil {
		a.Close()
		return nil, err
	}
	return &body{r, s.from}, nil
}

// body skips the rows before the first.
type body struct {
	*rows
	from int
}

// Next implements dynamic.Rows.
func (b *body) Next() (bool, error) {
	for {
		if ok, err := b.rows.Next(); !ok || err != nil || b.row >= b.from {
			return ok, err
		}
	}
}

// Open opens a sheet of an Excel file. The first row names the columns if all of its values are texts.
// Errors: 1033 for a damaged file, 1210 if there is no such sheet.
func Open(ctx context.Context, f *format.File, opt Options) (format.Part, error) {
	s := &source{file: f, opt: opt, from: opt.SkipRows + 1}
	names, err := s.names(ctx)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, format.Corrupt(f.Path, "the sheet is empty, so that its columns are unknown")
	}
	if err := format.CheckColumns(f.Path, len(names)); err != nil {
		return nil, err
	}
	return dynamic.Open(ctx, f, names, s, opt.Types)
}

// names returns the names of the columns: those in the first row, or the letters of the columns. It
// reads all rows, as any may be the longest.
func (s *source) names(ctx context.Context) ([]string, error) {
	in, err := s.Rows(ctx, s.file.Account, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := in.(*body)
	held := charge{Hold: format.Hold{Account: s.file.Account}} // for the first row, while others are read
	defer func() { _ = held.Set(0) }()                         // releasing never fails
	var first []dynamic.Value
	width := 0
	for {
		ok, err := r.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if first == nil {
			first = append(first, r.cells...)
			size := int64(0)
			for _, v := range first {
				size += int64(len(v.Text))
			}
			if err := held.set(size); err != nil {
				return nil, err
			}
			if header := s.isHeader(first); header {
				s.from = r.row + 1
			} else {
				first = make([]dynamic.Value, 0)
			}
		}
		width = max(width, len(r.cells))
	}
	names := make([]string, width)
	for i := range names {
		if i < len(first) {
			names[i] = strings.TrimSpace(first[i].Text)
		} else if len(first) == 0 {
			names[i] = letters(i)
		}
	}
	return names, nil
}

// isHeader reports whether a row names the columns.
func (s *source) isHeader(row []dynamic.Value) bool {
	if s.opt.Header != nil {
		return *s.opt.Header
	}
	for _, v := range row {
		if v.Kind != dynamic.Text && v.Kind != dynamic.Null {
			return false
		}
	}
	return true
}

// letters returns the name of a column, from 0: A, B, ..., Z, AA.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letters(i/26-1) + letters(i%26)
}
