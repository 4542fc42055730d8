// Package slt reads and runs sqllogictest files. It follows the rules of the format as SQLite's
// corpus uses it, with the value counts, label checks and type rules of its mysql mode.
package slt

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SortMode specifies how a query's values are ordered before they are compared.
type SortMode string

// The sort modes: as delivered, by row, by value.
const (
	NoSort    SortMode = "nosort"
	RowSort   SortMode = "rowsort"
	ValueSort SortMode = "valuesort"
)

// Record is one statement, query or control record of a file.
type Record struct {
	Line int    // of the record's first line, from 1
	SQL  string // lines joined by newlines
	Skip bool   // a condition excludes the engine

	Halt bool // end of the file for this engine

	IsQuery   bool
	WantError bool   // statement error
	Code      string // statement error 1064: the number the error must have, or ""

	Types    string // I, R or T for each column
	Sort     SortMode
	Label    string
	Expected []string // values, one per line
	Hash     string   // MD5 instead of Expected, or ""
	Count    int      // number of values expected
}

var hashLine = regexp.MustCompile(`^(\d+) values hashing to ([0-9a-f]{32})$`)

// Parse reads all records as they apply to engine (such as "mysql"). Comment lines are dropped
// without ending a record; conditions stack and also apply to halt. An error names the line.
func Parse(r io.Reader, engine string) ([]Record, error) {
	var all strings.Builder
	if _, err := io.Copy(&all, r); err != nil {
		return nil, err
	}
	p := &parser{rest: all.String(), engine: engine}
	var out []Record
	for {
		block, line := p.block()
		if len(block) == 0 {
			return out, nil
		}
		rec, keep, err := p.record(block, line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if !keep {
			continue
		}
		out = append(out, rec)
		if rec.Halt && !rec.Skip {
			return out, nil
		}
	}
}

type parser struct {
	rest   string // what follows the line number line
	engine string
	line   int
	lines  []string // of the current block
}

// block returns the lines up to the next blank one, without comments, and the number of the first;
// no lines at the end. The slice is valid until the next call.
func (p *parser) block() (lines []string, first int) {
	p.lines = p.lines[:0]
	for p.rest != "" {
		var text string
		text, p.rest, _ = strings.Cut(p.rest, "\n")
		p.line++
		text = strings.TrimSuffix(text, "\r")
		switch {
		case strings.HasPrefix(text, "#"):
		case strings.TrimSpace(text) == "":
			if len(p.lines) > 0 {
				return p.lines, first
			}
		default:
			if len(p.lines) == 0 {
				first = p.line
			}
			p.lines = append(p.lines, text)
		}
	}
	return p.lines, first
}

// record parses one block; keep is false for control records without effect.
func (p *parser) record(lines []string, line int) (rec Record, keep bool, err error) {
	rec.Line = line
	head := strings.Fields(lines[0])
	for head[0] == "skipif" || head[0] == "onlyif" {
		if len(head) < 2 {
			return rec, false, fmt.Errorf("%s needs an engine", head[0])
		}
		if (head[0] == "skipif") == (head[1] == p.engine) {
			rec.Skip = true
		}
		if lines = lines[1:]; len(lines) == 0 {
			return rec, false, nil
		}
		head = strings.Fields(lines[0])
	}
	switch head[0] {
	case "halt":
		rec.Halt = true
	case "hash-threshold":
		return rec, false, nil
	case "statement":
		if len(head) < 2 || head[1] != "ok" && head[1] != "error" {
			return rec, false, fmt.Errorf("statement needs ok or error")
		}
		if rec.WantError = head[1] == "error"; rec.WantError && len(head) > 2 {
			rec.Code = head[2]
		}
		rec.SQL = strings.Join(lines[1:], "\n")
	case "query":
		return rec, true, rec.query(head[1:], lines[1:])
	default:
		return rec, false, fmt.Errorf("unknown record %q", head[0])
	}
	return rec, true, nil
}

func (r *Record) query(head, lines []string) error {
	if len(head) == 0 || strings.Trim(head[0], "IRT") != "" {
		return fmt.Errorf("query needs column types of I, R and T")
	}
	r.IsQuery, r.Types, r.Sort = true, head[0], NoSort
	if len(head) > 1 {
		r.Sort = SortMode(head[1])
		if r.Sort != NoSort && r.Sort != RowSort && r.Sort != ValueSort {
			return fmt.Errorf("unknown sort mode %q", head[1])
		}
	}
	if len(head) > 2 {
		r.Label = head[2]
	}
	end := len(lines)
	for i, l := range lines {
		if l == "----" {
			end = i
			break
		}
	}
	r.SQL = strings.Join(lines[:end], "\n")
	if end < len(lines) {
		r.Expected = slices.Clone(lines[end+1:])
	}
	r.Count = len(r.Expected)
	if len(r.Expected) == 1 && strings.Contains(r.Expected[0], "hashing") {
		if m := hashLine.FindStringSubmatch(r.Expected[0]); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return err
			}
			r.Count, r.Hash, r.Expected = n, m[2], nil
		}
	}
	return nil
}
