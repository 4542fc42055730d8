package render

import (
	"encoding/csv"
	"io"

	"gsql"
	"gsql/sql/vec"
)

// separated writes csv and tsv with a header line, quoted by the rules of RFC 4180.
type separated struct {
	out  io.Writer
	w    *csv.Writer
	opt  Options
	row  []string
	head []string
}

func newSeparated(w io.Writer, opt Options, cols []gsql.Column, comma rune) *separated {
	cw := csv.NewWriter(w)
	cw.Comma = comma
	return &separated{out: w, w: cw, opt: opt, head: names(cols), row: make([]string, len(cols))}
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
		if err := s.record(); err != nil {
			return err
		}
	}
	return nil
}

// record writes a row. A lone empty value is quoted: readers skip empty lines.
func (s *separated) record() error {
	if len(s.row) > 1 || s.row[0] != "" {
		return s.w.Write(s.row)
	}
	s.w.Flush()
	if err := s.w.Error(); err != nil {
		return err
	}
	_, err := io.WriteString(s.out, "\"\"\n")
	return err
}

// Close implements Writer.
func (s *separated) Close() error {
	if err := s.header(); err != nil {
		return err
	}
	s.w.Flush()
	return s.w.Error()
}
