package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gsql/bench/record"
)

// measured holds the measurements of a query. Times are in milliseconds.
type measured struct {
	Suite, Name    string
	CPU, GPU, Auto float64
	First          float64 // the first run on the GPU, with uploads and compilation
	Cold           float64 // a run where the planner puts it, while no column is on the GPU
	Rows           int
	// Where is "all" if the whole plan runs on a requested GPU; otherwise it lists the operators on
	// the CPU.
	Where string
	Wrong string // how the answers differ, "" if they do not
}

// Regret is the time where the planner puts a query over that of the better device.
func (m *measured) Regret() float64 { return m.Auto / min(m.CPU, m.GPU) }

func (r *report) measureAll(db *sql.DB, suite string, queries []query) error {
	for _, q := range queries {
		if !r.only.MatchString(q.name) {
			continue
		}
		m, err := r.measure(db, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		m.Suite = suite
		r.all = append(r.all, m)
		fmt.Printf("%-24s cpu %9.2f  gpu %9.2f  auto %9.2f  first %9.1f  cold %9.1f  regret %5.2f  %d rows  %s %s\n",
			q.name, m.CPU, m.GPU, m.Auto, m.First, m.Cold, m.Regret(), m.Rows, m.Where, m.Wrong)
	}
	return nil
}

func (r *report) measure(db *sql.DB, q query) (m *measured, err error) {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	m = &measured{Name: q.name}
	var want []string
	for _, device := range []string{"cpu", r.device, "auto"} {
		if _, err := conn.ExecContext(ctx, "SET gsql_device = '"+device+"'"); err != nil {
			return nil, err
		}
		first, median, err := r.times(ctx, conn, q, device)
		if err != nil {
			return nil, fmt.Errorf("on %s: %w", device, err)
		}
		rows, err := rowsOf(ctx, conn, q.sql)
		switch {
		case err != nil:
			return nil, fmt.Errorf("on %s: %w", device, err)
		case device == "cpu":
			want, m.Rows = rows, len(rows)
		case m.Wrong == "":
			m.Wrong = difference(want, rows)
		}
		switch device {
		case "cpu":
			m.CPU = median
		case "auto":
			m.Auto = median
			if m.Cold, err = r.cold(ctx, conn, q); err != nil {
				return nil, err
			}
		default:
			m.First, m.GPU = first, median
			plan, err := rowsOf(ctx, conn, "EXPLAIN "+q.sql)
			if err != nil {
				return nil, err
			}
			m.Where = onCPU(plan)
		}
	}
	return m, nil
}

// cold returns how long a query takes where the planner puts it if no column is on the GPU: a change of
// the memory limit drops them.
func (r *report) cold(ctx context.Context, conn *sql.Conn, q query) (ms float64, err error) {
	for _, limit := range []string{"'16GB'", "0"} {
		if _, err := conn.ExecContext(ctx, "SET gsql_gpu_memory_limit = "+limit); err != nil {
			return 0, err
		}
	}
	begin := time.Now()
	err = drain(ctx, conn, q.sql)
	return float64(time.Since(begin).Microseconds()) / 1e3, err
}

// times returns the time of the first run of a query, and the median of the measured ones.
func (r *report) times(ctx context.Context, conn *sql.Conn, q query, device string) (first, median float64, err error) {
	once := func() (float64, error) {
		begin := time.Now()
		err := drain(ctx, conn, q.sql)
		return float64(time.Since(begin).Microseconds()) / 1e3, err
	}
	err = r.profiled(q.name+" first", device, func() error { first, err = once(); return err })
	if err != nil {
		return 0, 0, err
	}
	all := make([]float64, r.runs)
	err = r.profiled(q.name, device, func() (err error) {
		for i := 0; err == nil && i < r.runs; i++ {
			all[i], err = once()
		}
		return err
	})
	slices.Sort(all)
	return first, all[len(all)/2], err
}

// profiled runs f and writes its profile if profiles are requested.
func (r *report) profiled(name, device string, f func() error) error {
	if device != r.device || r.profiles == "" {
		return f()
	}
	stop, err := record.Profile(filepath.Join(r.profiles, strings.ReplaceAll(name, " ", "-")+".cpu"))
	if err != nil {
		return err
	}
	return errors.Join(f(), stop())
}

// operatorOnCPU finds the name of an operator and its device in a line of EXPLAIN.
var operatorOnCPU = regexp.MustCompile(`^[^A-Za-z]*([A-Z][A-Za-z]+)[^|]*\|cpu\|`)

// onCPU lists the operators of a plan that are on the CPU, except those that end it.
func onCPU(plan []string) string {
	var names []string
	for _, line := range plan {
		if found := operatorOnCPU.FindStringSubmatch(line); found != nil {
			names = append(names, found[1])
		}
	}
	if len(names) == 0 {
		return "all"
	}
	return "cpu: " + strings.Join(names, " ")
}

// difference describes how two results differ, regardless of the order of their rows.
func difference(want, got []string) string {
	if len(want) != len(got) {
		return fmt.Sprintf("WRONG: %d rows, want %d", len(got), len(want))
	}
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	for i := range want {
		if want[i] != got[i] && !nearly(want[i], got[i]) {
			return fmt.Sprintf("WRONG: %s, want %s", got[i], want[i])
		}
	}
	return ""
}

// nearly reports whether rows differ by at most the tolerance for sums of doubles.
func nearly(want, got string) bool {
	a, b := strings.Split(want, "|"), strings.Split(got, "|")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if a[i] != b[i] && (errX != nil || errY != nil || math.Abs(x-y) > 1e-12*math.Abs(x)) {
			return false
		}
	}
	return true
}

// drain reads a query's rows to the last one.
func drain(ctx context.Context, db *sql.Conn, query string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// rowsOf returns a query's rows as text.
func rowsOf(ctx context.Context, db *sql.Conn, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, to := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		to[i] = &cells[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		text := make([]string, len(cells))
		for i, c := range cells {
			if text[i] = c.String; !c.Valid {
				text[i] = "NULL"
			}
		}
		out = append(out, strings.Join(text, "|"))
	}
	return out, rows.Err()
}
