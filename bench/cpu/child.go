package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"gsql/bench/cpu/durable"
	"gsql/bench/record"
)

// childArg makes the program run one job, which it reads from standard input.
const childArg = "-child"

// result is what a process measured of one query.
type result struct {
	MedianMS float64   `json:"median_ms,omitempty"`
	MinMS    float64   `json:"min_ms,omitempty"`
	MaxMS    float64   `json:"max_ms,omitempty"`
	CPUMS    float64   `json:"cpu_ms,omitempty"` // median processor time of a run
	Runs     int       `json:"runs,omitempty"`
	Rows     int64     `json:"rows"`
	LoadMS   float64   `json:"load_ms,omitempty"`
	PeakMB   float64   `json:"peak_mb,omitempty"` // of the process, loading included
	Error    string    `json:"error,omitempty"`
	LimitMS  float64   `json:"limit_ms,omitempty"` // time after which the process was stopped
	Digest   *digested `json:"-"`                  // nil if the process was stopped earlier
}

// answer is what a process has measured so far. Only the last one includes a digest.
type answer struct {
	Result result
	Digest *digested
}

// engine is a database in this process.
type engine interface {
	// exec runs a statement.
	exec(ctx context.Context, sql string) error
	// drain runs a query and reads all columns of its result.
	drain(ctx context.Context, sql string) (rows int64, err error)
	// each calls f for each row of a query, as Go values.
	each(ctx context.Context, sql string, f func([]any)) error
}

// spawn runs a job in its own process.
func spawn(o *options, j *job) *result {
	self, err := os.Executable()
	if err != nil {
		return &result{Error: err.Error()}
	}
	in, err := json.Marshal(j)
	if err != nil {
		return &result{Error: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, childArg)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	err = cmd.Run()
	var a answer
	for answers := json.NewDecoder(&out); answers.More() && answers.Decode(&a) == nil; {
	}
	switch {
	case ctx.Err() != nil && a.Result.Runs == 0:
		return &result{LimitMS: float64(o.limit.Milliseconds())}
	case ctx.Err() == nil && err != nil:
		return &result{Error: firstLine(errs.String(), err)}
	}
	a.Result.Digest = a.Digest
	return &a.Result
}

func firstLine(text string, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); line != "" {
		return line
	}
	return err.Error()
}

// budget limits the time of all runs of a query; there is always at least one.
const budget = 30 * time.Second

func serve(in io.Reader, out io.Writer) error {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return err
	}
	ctx := context.Background()
	open, ok := engines[j.Engine]
	if !ok {
		return fmt.Errorf("no engine %q", j.Engine)
	}
	e, err := open(j.Threads)
	if err != nil {
		return err
	}
	var a answer
	start := time.Now()
	for _, s := range j.Setup {
		if err := e.exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	a.Result.LoadMS = since(start)
	debug.FreeOSMemory()
	answers := json.NewEncoder(out)
	stop, err := record.Profile(j.Profile)
	if err != nil {
		return err
	}
	err = repeat(ctx, e, &j, &a.Result, func() error { return answers.Encode(a) })
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	d, err := digest(ctx, e, j.Check)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	a.Digest = &d
	return answers.Encode(a)
}

var engines = map[string]func(threads int) (engine, error){"gsql": openGsql, "duckdb": openDuckDB}

// repeat runs the query once to warm up, and then until it has completed its runs or another one
// would exceed the budget. After each run it reports the result so far, because the process may be
// stopped at any time. The first run counts only if it used much of the budget, or until there is a
// second one.
func repeat(ctx context.Context, e engine, j *job, r *result, tell func() error) error {
	var times, cpu []float64
	begin, last := time.Now(), 0.0
	warm := false // times includes runs besides the first, or the first counts
	for i := -1; i < j.Runs && (!warm || since(begin)+last < float64(budget.Milliseconds())); i++ {
		if j.Reset != "" {
			if err := e.exec(ctx, j.Reset); err != nil {
				return err
			}
		}
		start, used := time.Now(), processorTime()
		rows, err := once(ctx, e, j)
		if err != nil {
			return err
		}
		last = since(start)
		if i == 0 && !warm {
			times, cpu = nil, nil
		}
		times, cpu = append(times, last), append(cpu, processorTime()-used)
		warm = i >= 0 || last > float64(budget.Milliseconds())/4
		r.Rows = rows
		r.sumUp(slices.Clone(times), slices.Clone(cpu))
		if err := tell(); err != nil {
			return err
		}
	}
	return nil
}

// sumUp computes the times of the runs so far, in milliseconds, and the peak memory of the process,
// loading included.
func (r *result) sumUp(times, cpu []float64) {
	slices.Sort(times)
	slices.Sort(cpu)
	r.CPUMS = median(cpu)
	r.MedianMS, r.MinMS, r.MaxMS, r.Runs = median(times), times[0], times[len(times)-1], len(times)
	r.PeakMB, _ = durable.PeakMB() // 0 where the system does not report it
}

// once runs the query once.
func once(ctx context.Context, e engine, j *job) (rows int64, err error) {
	if j.Reset != "" { // it writes a table
		return 0, e.exec(ctx, j.SQL)
	}
	return e.drain(ctx, j.SQL)
}

// median returns the median of ascending numbers; for an even count, the mean of the two in the
// middle.
func median(xs []float64) float64 {
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// processorTime returns the processor time that the process has used so far, in milliseconds.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func since(t time.Time) float64 { return float64(time.Since(t).Nanoseconds()) / 1e6 }
