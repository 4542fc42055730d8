package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"gsql"
	"gsql/internal/cputime"
	"gsql/sql/catalog"
)

// Point is a series at one size.
type Point struct {
	Size   int     `json:"size"`
	Picked string  `json:"picked"`
	Best   string  `json:"best"`
	Regret float64 `json:"regret"` // time of the picked way over that of the best
	Ways   []*Way  `json:"ways"`
}

// Way is an algorithm at a point.
type Way struct {
	Name     string  `json:"name"`
	PriceMS  float64 `json:"price_ms"` // of the whole statement
	MedianMS float64 `json:"median_ms,omitempty"`
	MinMS    float64 `json:"min_ms,omitempty"`
	CPUMS    float64 `json:"cpu_ms,omitempty"` // least processor time, which other load disturbs little
	Runs     int     `json:"runs,omitempty"`
	LimitMS  float64 `json:"limit_ms,omitempty"` // time after which it was stopped
	TimeMS   float64 `json:"time_ms"`            // the time that is compared: one of the above

	s     *gsql.Session
	sql   string
	times []float64
	cpu   []float64
}

const (
	// A way is stopped if it takes this many times as long as the one that the planner takes, plus
	// leastLimit.
	mostTimes  = 20
	leastLimit = 20 * time.Millisecond
	// Runs of a point continue until the fastest way has run for leastTotal, up to mostRuns.
	leastTotal = 20.0 // ms
	mostRuns   = 101
	leastRuns  = 3
)

// errStopped is the error of a way that was stopped.
var errStopped = errors.New("stopped")

// measure measures all points of the series.
func (s *Series) measure(ctx context.Context, o *options) error {
	db, err := gsql.Open(gsql.Config{Workers: o.workers})
	if err != nil {
		return err
	}
	loader := db.NewSession()
	for i := range s.base {
		if err := s.base[i].load(ctx, loader); err != nil {
			return err
		}
	}
	for _, size := range s.sizes {
		tables := s.tables(size)
		for i := range tables {
			if err := tables[i].load(ctx, loader); err != nil {
				return err
			}
		}
		runtime.GC()
		p, err := s.point(ctx, db, size, o)
		if err != nil {
			return fmt.Errorf("%d %s: %w", size, s.Axis, err)
		}
		s.Points = append(s.Points, p)
		fmt.Printf("%s, %s, %d: %s\n", s.Family, s.Name, size, p)
	}
	return nil
}

// point measures all ways at one size.
func (s *Series) point(ctx context.Context, db *gsql.DB, size int, o *options) (*Point, error) {
	p := &Point{Size: size}
	free := &Way{s: db.NewSession(), sql: fmt.Sprintf(s.SQL, "")}
	if err := free.prepare(ctx); err != nil {
		return nil, err
	}
	picked, err := free.explain(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.Ways, picked) {
		return nil, fmt.Errorf("the planner takes %q, which is not among the ways", picked)
	}
	p.Picked = picked
	want, first, err := free.once(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Ways {
		w, limit := &Way{Name: name, s: db.NewSession(), sql: fmt.Sprintf(s.SQL, "/*+ "+hints[name]+" */")}, mostTimes*first+leastLimit
		if name == picked {
			limit = 0
		}
		if err := w.warm(ctx, want, limit); err != nil {
			return nil, err
		}
		p.Ways = append(p.Ways, w)
	}
	if err := p.repeat(ctx, o); err != nil {
		return nil, err
	}
	p.judge()
	return p, nil
}

// prepare disables, in the session, the alternatives to computing pairs.
func (w *Way) prepare(ctx context.Context) error {
	_, _, err := w.s.Exec(ctx, "SET gsql_disable_rules = '"+pairsOnly+"'")
	return err
}

// warm runs a way so that its plan is cached, and checks that it is the requested way and returns
// the expected answer.
func (w *Way) warm(ctx context.Context, want string, limit time.Duration) error {
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if algo, err := w.explain(ctx); err != nil || algo != w.Name {
		return fmt.Errorf("asked for %s, the planner takes %q: %v", w.Name, algo, err)
	}
	for range 2 {
		got, _, err := w.once(ctx, limit)
		switch {
		case errors.Is(err, errStopped):
			w.LimitMS = float64(limit.Milliseconds())
			return nil
		case err != nil:
			return err
		case got != want:
			return fmt.Errorf("%s gives %s, another way %s", w.Name, got, want)
		}
	}
	return nil
}

// explained is the part of EXPLAIN FORMAT = 'json' that explain reads.
type explained struct {
	Kind    string       `json:"kind"`
	TotalMS float64      `json:"total_ms"`
	Inputs  []*explained `json:"inputs"`
}

// explain sets the price and returns the algorithm of the join.
func (w *Way) explain(ctx context.Context) (algo string, err error) {
	rows, err := w.s.Query(ctx, "EXPLAIN FORMAT = 'json' "+w.sql)
	if err != nil {
		return "", err
	}
	text, err := read(rows)
	if err != nil {
		return "", err
	}
	var plan explained
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		return "", err
	}
	w.PriceMS = plan.TotalMS
	return plan.join(), nil
}

// join returns the algorithm of a plan's join.
func (e *explained) join() string {
	if strings.HasSuffix(e.Kind, "_join") {
		return e.Kind
	}
	for _, in := range e.Inputs {
		if algo := in.join(); algo != "" {
			return algo
		}
	}
	return ""
}

// once runs the statement, with a time limit unless limit is 0, and returns its answer and the time
// it took.
func (w *Way) once(ctx context.Context, limit time.Duration) (answer string, took time.Duration, err error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	start := time.Now()
	rows, err := w.s.Query(ctx, w.sql)
	if err == nil {
		answer, err = read(rows)
	}
	took = time.Since(start)
	if err != nil && ctx.Err() != nil {
		err = errStopped
	}
	return answer, took, err
}

// read reads a result as text.
func read(rows *gsql.Rows) (string, error) {
	defer rows.Close()
	var out strings.Builder
	for {
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return out.String(), err
		}
		for row := range b.N {
			for _, col := range b.Cols {
				out.WriteString(catalog.DatumAt(col, row).Text() + " ")
			}
		}
	}
}

// repeat runs the ways that were not stopped one after another.
func (p *Point) repeat(ctx context.Context, o *options) error {
	begin := time.Now()
	for run := range mostRuns {
		fastest := math.Inf(1)
		for _, w := range p.Ways {
			if w.LimitMS > 0 {
				continue
			}
			used := cputime.Used()
			_, took, err := w.once(ctx, 0)
			if err != nil {
				return err
			}
			w.times, w.cpu = append(w.times, inMS(took)), append(w.cpu, inMS(cputime.Used()-used))
			fastest = min(fastest, sum(w.times))
		}
		if spent := time.Since(begin); run+1 >= leastRuns && spent > o.budget || run+1 >= o.runs && fastest > leastTotal {
			break
		}
	}
	for _, w := range p.Ways {
		w.sumUp(o.cpu)
	}
	return nil
}

// sumUp summarises the runs.
func (w *Way) sumUp(cpu bool) {
	if w.LimitMS > 0 {
		w.TimeMS = w.LimitMS
		return
	}
	slices.Sort(w.times)
	w.Runs, w.MinMS, w.MedianMS, w.CPUMS = len(w.times), w.times[0], median(w.times), slices.Min(w.cpu)
	if w.TimeMS = w.MedianMS; cpu {
		w.TimeMS = w.CPUMS
	}
}

// judge finds the fastest way and compares the one taken with it.
func (p *Point) judge() {
	var best, picked *Way
	for _, w := range p.Ways {
		if w.LimitMS == 0 && (best == nil || w.TimeMS < best.TimeMS) {
			best = w
		}
		if w.Name == p.Picked {
			picked = w
		}
	}
	p.Best, p.Regret = best.Name, picked.TimeMS/best.TimeMS
}

func inMS(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func sum(xs []float64) (total float64) {
	for _, x := range xs {
		total += x
	}
	return total
}

// median returns the median of ascending numbers; for an even count, the mean of the two in the
// middle.
func median(xs []float64) float64 {
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}
