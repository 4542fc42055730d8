package render

import (
	"encoding/csv"
	"io"

	"gsql"
	"gsql/sql/vec"
)

// separated writes csv and tsv with a header line, quoted by the rules of RFC 4180.
type separated struct {
	w    *csv.Writer
	opt  Options
	row  []string
	head []string
}

func newSeparated(w io.Writer, opt Options, cols []gsql.Column, comma rune) *separated {
	cw := csv.NewWriter(w)
	cw.Comma = comma
	return &separated{w: cw, opt: opt, head: names(cols), row: make([]string, len(cols))}
}

func (s *separated) header() error {
	head := s.head
	s.head = nil
	if head == nil {
		return nil
	}
	return s.w.Write(head)
}

// Write implements Writer.
func (s *separated) Write(b *vec.Batch) error {
	if err := s.header(); err != nil {
		return err
	}
	for i := 0; i < b.N; i++ {
		for c, col := range b.Cols {
			s.row[c] = s.opt.cell(col, i)
		}
		if err := s.w.Write(s.row); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Writer.
func (s *separated) Close() error {
	if err := s.header(); err != nil {
		return err
	}
	s.w.Flush()
	return s.w.Error()
}
