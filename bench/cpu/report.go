package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/internal/machine"
)

// measured holds the results of a query on both engines.
type measured struct {
	Suite  string  `json:"suite"`
	Name   string  `json:"name"`
	SQL    string  `json:"sql"`
	Ratio  float64 `json:"ratio,omitempty"`     // gsql/DuckDB; gsql is faster below 1
	CPU    float64 `json:"cpu_ratio,omitempty"` // ratio of processor times, which other load disturbs less
	Bound  bool    `json:"ratio_is_bound,omitempty"`
	Differ string  `json:"differ,omitempty"` // describes where the results differ
	Unseen bool    `json:"not_compared,omitempty"`
	Gsql   *result `json:"gsql,omitempty"`
	DuckDB *result `json:"duckdb,omitempty"`
}

// compare computes the ratio. If DuckDB was stopped at the time limit, the ratio is an upper bound.
func (m *measured) compare() {
	g, d := m.Gsql, m.DuckDB
	if g == nil || d == nil || g.MedianMS == 0 {
		return
	}
	switch {
	case d.MedianMS > 0:
		m.Ratio = g.MedianMS / d.MedianMS
		if d.CPUMS > 0 {
			m.CPU = g.CPUMS / d.CPUMS
		}
		if g.Digest != nil && d.Digest != nil {
			m.Differ = difference(*g.Digest, *d.Digest)
		} else {
			m.Unseen = true
		}
	case d.LimitMS > 0:
		m.Ratio, m.Bound, m.Unseen = g.MedianMS/d.LimitMS, true, true
	}
}

func (m *measured) String() string {
	return fmt.Sprintf("%-12s %-44s gsql %s  DuckDB %s  ratio %s %s", m.Suite, m.Name, m.Gsql.ms(), m.DuckDB.ms(), m.ratio(), m.Differ)
}

func (r *result) ms() string {
	switch {
	case r == nil:
		return "-"
	case r.Error != "":
		return "error: " + r.Error
	case r.LimitMS > 0:
		return fmt.Sprintf("> %.0f s", r.LimitMS/1e3)
	case r.MedianMS < 10:
		return fmt.Sprintf("%.2f ms", r.MedianMS)
	}
	return fmt.Sprintf("%.0f ms", r.MedianMS)
}

func (m *measured) ratio() string {
	switch {
	case m.Ratio == 0:
		return "-"
	case m.Bound:
		return fmt.Sprintf("< %.2g", m.Ratio)
	case m.Ratio < 0.1:
		return fmt.Sprintf("%.2g", m.Ratio)
	}
	return fmt.Sprintf("%.2f", m.Ratio)
}

// report is the content of cpu.json.
type report struct {
	Date    string      `json:"date"`
	Machine string      `json:"machine"`
	Cores   int         `json:"cores"`
	Threads int         `json:"threads"`
	Go      string      `json:"go"`
	DuckDB  string      `json:"duckdb"`
	Size    string      `json:"size"`
	Load    string      `json:"load_average"` // of the machine when the report was written
	Queries []*measured `json:"queries"`
}

func newReport(o *options) *report {
	return &report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Processor(), Cores: runtime.NumCPU(), Threads: o.threads,
		Go: runtime.Version(), DuckDB: "1.5.5", Size: o.size}
}

// resume takes over the queries of an earlier run of the same size. Queries that are measured again
// replace them.
func (r *report) resume(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "cpu.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var old report
	if err != nil || json.Unmarshal(text, &old) != nil || old.Size != r.Size {
		return err
	}
	r.Queries = old.Queries
	return nil
}

func (r *report) add(m *measured) {
	for i, old := range r.Queries {
		if old.Suite == m.Suite && old.Name == m.Name {
			r.Queries[i] = m
			return
		}
	}
	r.Queries = append(r.Queries, m)
}

func (r *report) write(dir string) error {
	r.Load = machine.Load()
	if err := record.Write(dir, "cpu", r, r.markdown()); err != nil {
		return err
	}
	for _, s := range r.suites() {
		if err := os.WriteFile(filepath.Join(dir, "cpu-"+s+".svg"), []byte(plot(s, r.of(s))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) suites() (out []string) {
	for _, m := range r.Queries {
		if !slices.Contains(out, m.Suite) {
			out = append(out, m.Suite)
		}
	}
	return out
}

// of returns the queries of a suite, the losing ones first.
func (r *report) of(suite string) (out []*measured) {
	for _, m := range r.Queries {
		if m.Suite == suite {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *measured) int {
		switch {
		case a.Ratio == b.Ratio:
			return 0
		case a.Ratio == 0 || b.Ratio != 0 && a.Ratio > b.Ratio:
			return -1
		}
		return 1
	})
	return out
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# gsql and DuckDB on the CPU\n\n%s, %d cores; %s; %s; DuckDB %s; %d threads each; size %s.\n\n", r.Machine, r.Cores, r.Date, r.Go, r.DuckDB, r.Threads, r.Size)
	fmt.Fprintf(&b, "Each query runs in a process of its own over loaded tables, once to warm up and then %s; medians. A ratio below 1 says that gsql is faster.\n\n", r.runs())
	fmt.Fprintf(&b, "Load average of the machine at the end: %s. Where it is far above the threads, other work disturbed the times, single ratios by a factor of several; ratios of CPU time are steadier.\n\n", r.Load)
	b.WriteString("| suite | queries | geometric mean | of CPU time | worst | best |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, s := range r.suites() {
		b.WriteString(summary(s, r.of(s)))
	}
	for _, s := range r.suites() {
		fmt.Fprintf(&b, "\n## %s\n\n![%s](cpu-%s.svg)\n\n| query | gsql | DuckDB | ratio | of CPU time | gsql, DuckDB MB | |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n", s, s, s)
		for _, m := range r.of(s) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.2g | %s, %s | %s |\n", m.Name, m.Gsql.ms(), m.DuckDB.ms(), m.ratio(), m.CPU, m.Gsql.mb(), m.DuckDB.mb(), m.notes(r.most()))
		}
	}
	b.WriteString("\nThe statements stand in cpu.json.\n")
	return b.String()
}

// runs describes how often queries ran: those that take long ran less often than requested.
func (r *report) runs() string {
	if most := r.most(); most > 1 {
		return fmt.Sprintf("%d times, fewer where noted", most)
	}
	return "once"
}

// most returns the largest number of runs of a query.
func (r *report) most() (most int) {
	for _, m := range r.Queries {
		for _, x := range []*result{m.Gsql, m.DuckDB} {
			if x != nil {
				most = max(most, x.Runs)
			}
		}
	}
	return most
}

// notes returns what readers must know about a query's figures.
func (m *measured) notes(most int) string {
	var out []string
	if m.Differ != "" {
		out = append(out, m.Differ)
	}
	if m.Unseen {
		out = append(out, "not compared")
	}
	for name, x := range map[string]*result{"gsql": m.Gsql, "DuckDB": m.DuckDB} {
		if x != nil && x.Runs > 0 && x.Runs < most {
			out = append(out, fmt.Sprintf("%s: %d runs", name, x.Runs))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func (r *result) mb() string {
	if r == nil || r.PeakMB == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", r.PeakMB)
}

func summary(suite string, ms []*measured) string {
	sum, cpu, n, m := 0.0, 0.0, 0, 0
	var worst, best *measured
	for _, q := range ms {
		if q.Ratio == 0 {
			continue
		}
		if worst == nil {
			worst = q
		}
		best = q
		sum += math.Log(q.Ratio)
		n++
		if q.CPU > 0 {
			cpu += math.Log(q.CPU)
			m++
		}
	}
	if n == 0 {
		return fmt.Sprintf("| %s | 0 of %d | - | - | - | - |\n", suite, len(ms))
	}
	return fmt.Sprintf("| %s | %d of %d | %.3g | %.3g | %s (%s) | %s (%s) |\n", suite, n, len(ms), math.Exp(sum/float64(n)), math.Exp(cpu/float64(max(m, 1))), worst.ratio(), worst.Name, best.ratio(), best.Name)
}
