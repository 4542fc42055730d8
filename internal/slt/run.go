package slt

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gsql"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Failure is a record whose outcome was not the expected one.
type Failure struct {
	File string
	Line int
	SQL  string
	Err  error
}

// Report counts the outcomes of a file's records.
type Report struct {
	File                    string
	Passed, Failed, Skipped int
	Elapsed                 time.Duration
	Failures                []Failure // the first MaxFailures
	Err                     error     // the file could not be read
}

// MaxFailures limits the failures that a report keeps in full.
const MaxFailures = 20

// Run executes the records in a new session of db, one after another, and continues after failures.
// It ends early when ctx ends.
func Run(ctx context.Context, db *gsql.DB, file string, records []Record) Report {
	r := runner{ctx: ctx, s: db.NewSession(), labels: map[string]string{}}
	defer r.s.Close()
	rep := Report{File: file}
	start := time.Now()
	for i := range records {
		rec := &records[i]
		if rec.Halt || rec.Skip {
			if rec.Skip && !rec.Halt {
				rep.Skipped++
			}
			continue
		}
		if err := r.check(rec); err != nil {
			rep.Failed++
			if len(rep.Failures) < MaxFailures {
				rep.Failures = append(rep.Failures, Failure{file, rec.Line, rec.SQL, err})
			}
			if ctx.Err() != nil {
				break
			}
			continue
		}
		rep.Passed++
	}
	rep.Elapsed = time.Since(start)
	return rep
}

type runner struct {
	ctx    context.Context
	s      *gsql.Session
	labels map[string]string // label -> hash of its results
	format formatter
}

func (r *runner) check(rec *Record) error {
	if rec.IsQuery {
		return r.query(rec)
	}
	_, _, err := r.s.Exec(r.ctx, rec.SQL)
	switch {
	case rec.WantError && err == nil:
		return errors.New("succeeded, but an error is expected")
	case !rec.WantError && err != nil:
		return err
	case rec.Code != "" && strconv.Itoa(int(sqlerr.From(err).Code)) != rec.Code:
		return fmt.Errorf("error %s is expected, not: %w", rec.Code, err)
	}
	return nil
}

func (r *runner) query(rec *Record) error {
	rows, err := r.s.Query(r.ctx, rec.SQL)
	if err != nil {
		return err
	}
	defer rows.Close()
	if len(rows.Columns) != len(rec.Types) {
		return fmt.Errorf("%d columns, expected %d", len(rows.Columns), len(rec.Types))
	}
	r.format.values = r.format.values[:0]
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		r.format.add(b, rec.Types)
	}
	values := r.format.values
	if len(values) > 0 {
		if err := checkTypes(rows.Columns, rec.Types); err != nil {
			return err
		}
	}
	return r.compare(rec, r.format.sortValues(values, len(rec.Types), rec.Sort))
}

// checkTypes refuses text where a number is expected and the reverse; integers and
// reals interchange.
func checkTypes(cols []gsql.Column, letters string) error {
	for i, c := range cols {
		if c.Type.ID == types.Null {
			continue
		}
		if text := !c.Type.IsNumeric(); text != (letters[i] == 'T') {
			return fmt.Errorf("column %d has type %s, expected %c", i+1, c.Type, letters[i])
		}
	}
	return nil
}

func (r *runner) compare(rec *Record, values []string) error {
	if len(values) != rec.Count {
		return fmt.Errorf("%d values, expected %d", len(values), rec.Count)
	}
	hash := ""
	if rec.Hash != "" || rec.Label != "" {
		hash = r.format.hash(values)
	}
	if rec.Hash != "" && hash != rec.Hash {
		return fmt.Errorf("values hash to %s, expected %s", hash, rec.Hash)
	}
	for i, want := range rec.Expected {
		if values[i] != want {
			return fmt.Errorf("value %d is %q, expected %q (all: %s)", i+1, values[i], want, strings.Join(values, " "))
		}
	}
	if rec.Label == "" {
		return nil
	}
	if before, ok := r.labels[rec.Label]; ok && before != hash {
		return fmt.Errorf("label %s had other values before", rec.Label)
	}
	r.labels[rec.Label] = hash
	return nil
}
