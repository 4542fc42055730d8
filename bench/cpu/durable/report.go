package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/internal/machine"
)

// Report is the content of durable.json.
type Report struct {
	Date    string  `json:"date"`
	Machine string  `json:"machine"`
	Cores   int     `json:"cores"`
	Threads int     `json:"threads"`
	Runs    int     `json:"runs"`
	Go      string  `json:"go"`
	Scale   float64 `json:"scale"`
	TableMB int     `json:"table_mb"`
	LimitMB int     `json:"limit_mb"`
	Load    string  `json:"load_average"` // of the machine when the report was written
	Cells   []*cell `json:"cells"`
	Queries []times `json:"queries"`

	part string
	dir  string // that it is written to
	err  error  // of writing it
}

// cell is one figure. Zero stands for what was not measured.
type cell struct {
	Part    string  `json:"part"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit,omitempty"`
	Gsql    float64 `json:"gsql"`
	DuckDB  float64 `json:"duckdb,omitempty"`
	SQLite  float64 `json:"sqlite,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`  // aim
	AtLeast float64 `json:"at_least,omitempty"` // aim
	Aim     string  `json:"aim,omitempty"`      // in words, if a number does not say it
	Note    string  `json:"note,omitempty"`
}

// times are the times of a query in milliseconds.
type times struct {
	Name   string     `json:"name"`
	Gsql   queryTimes `json:"gsql"`
	DuckDB queryTimes `json:"duckdb"`
}

type queryTimes struct {
	Memory  float64 `json:"memory"`
	Folder  float64 `json:"folder"`
	First   float64 `json:"first"`
	InOrder float64 `json:"in_order"`
}

// newReport returns a report with the cells of an earlier run of the same sizes.
func newReport(o *Options) (*Report, error) {
	r := &Report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Processor(), Cores: runtime.NumCPU(), Threads: o.Threads, Runs: o.Runs,
		Go: runtime.Version(), dir: o.Out, Scale: o.Scale, TableMB: o.TableMB, LimitMB: o.LimitMB}
	text, err := os.ReadFile(filepath.Join(o.Out, "durable.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	var old Report
	if err != nil || json.Unmarshal(text, &old) != nil {
		return r, err
	}
	if old.Scale == r.Scale && old.TableMB == r.TableMB && old.LimitMB == r.LimitMB && old.Machine == r.Machine {
		r.Cells, r.Queries = old.Cells, old.Queries
	}
	return r, nil
}

// begin drops the cells of a part that is measured again.
func (r *Report) begin(part string) {
	r.part = part
	r.Cells = slices.DeleteFunc(r.Cells, func(c *cell) bool { return c.Part == part })
	if part == "queries" {
		r.Queries = nil
	}
}

// add adds a figure, prints it and writes the report, so that a run that is interrupted leaves what
// it has measured.
func (r *Report) add(c cell) {
	c.Part, c.Note = r.part, strings.TrimSuffix(c.Note, "; ")
	r.Cells = append(r.Cells, &c)
	fmt.Println(c.row())
	r.err = errors.Join(r.err, r.write())
}

// fail notes that an engine cannot do what is measured.
func (r *Report) fail(engine string, err error) {
	r.add(cell{Name: title(engine) + " fails", Note: firstLine(err.Error())})
}

func (r *Report) query(name string, g, d *asked, i int) {
	of := func(a *asked) queryTimes {
		return queryTimes{median(a.memory[i]), median(a.folder[i]), median(a.first[i]), median(a.inOrder[i])}
	}
	r.Queries = append(r.Queries, times{name, of(g), of(d)})
}

// set sets an engine's figure.
func (c *cell) set(engine string, x float64) {
	switch engine {
	case ours:
		c.Gsql = x
	case duckdb:
		c.DuckDB = x
	case sqlite:
		c.SQLite = x
	}
}

// lost returns how far the figure is from its aim: above 1 it misses it. It is 0 without an aim or
// a figure.
func (c *cell) lost() float64 {
	switch {
	case c.Gsql == 0:
		return 0
	case c.AtMost > 0:
		return c.Gsql / c.AtMost
	}
	return c.AtLeast / c.Gsql
}

func (c *cell) row() string {
	aim := c.Aim
	switch {
	case aim != "":
	case c.AtMost > 0:
		aim = "at most " + number(c.AtMost)
	case c.AtLeast > 0:
		aim = "at least " + number(c.AtLeast)
	}
	verdict := ""
	if c.lost() > 1 {
		verdict = "misses"
	}
	name := c.Name
	if c.Unit != "" {
		name += ", " + c.Unit
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", name, number(c.Gsql), aim, verdict, number(c.DuckDB), number(c.SQLite), c.Note)
}

func number(x float64) string {
	switch {
	case x == 0:
		return "-"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func title(engine string) string {
	return map[string]string{ours: "gsql", duckdb: "DuckDB", sqlite: "SQLite"}[engine]
}

func (r *Report) write() error {
	r.Load = machine.Load()
	return record.Write(r.dir, "durable", r, r.markdown())
}

func (r *Report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Databases in folders\n\n%s, %d cores; %s; %s; %d threads each; TPC-H at scale %g; medians of %d runs; load average at the end: %s.\n\n",
		r.Machine, r.Cores, r.Date, r.Go, r.Threads, r.Scale, r.Runs, r.Load)
	fmt.Fprintf(&b, "DuckDB and SQLite (write-ahead log, synchronous as sync says) keep their data in a file. Each database is open in a process of its own; the "+
		"processes take turns. The table that is larger than memory has %d MB, the limit is %d MB; peaks are of the process. Figures that miss their aim come first.\n\n", r.TableMB, r.LimitMB)
	b.WriteString("| what | gsql | aim | | DuckDB | SQLite | |\n| --- | ---: | --- | --- | ---: | ---: | --- |\n")
	cells := slices.Clone(r.Cells)
	slices.SortStableFunc(cells, func(a, b *cell) int {
		switch x, y := max(1, a.lost()), max(1, b.lost()); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, c := range cells {
		b.WriteString(c.row() + "\n")
	}
	b.WriteString("\n## TPC-H, milliseconds\n\nThe queries that lose most by being the first after opening come first.\n\n" +
		"| query | memory | folder | first, in order | first, new process | DuckDB: memory | file | first, in order | first, new process |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	list := slices.Clone(r.Queries)
	slices.SortStableFunc(list, func(a, b times) int {
		if x, y := a.Gsql.First/a.Gsql.Folder, b.Gsql.First/b.Gsql.Folder; x > y {
			return -1
		} else if x < y {
			return 1
		}
		return 0
	})
	for _, q := range list {
		fmt.Fprintf(&b, "| %s |%s|%s|\n", q.Name, q.Gsql.columns(), q.DuckDB.columns())
	}
	return b.String()
}

func (t queryTimes) columns() string {
	return fmt.Sprintf(" %s | %s | %s | %s ", number(t.Memory), number(t.Folder), number(t.InOrder), number(t.First))
}
