package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/internal/machine"
)

// pays is the ratio from which gsql's own decoder is worth its code.
const pays = 1.3

// report is the content of files.json.
type report struct {
	Date    string       `json:"date"`
	Machine string       `json:"machine"`
	Cores   int          `json:"cores"`
	Go      string       `json:"go"`
	Turns   int          `json:"turns"`
	Load    string       `json:"load_average"` // when the report was written
	Cases   []*benchCase `json:"cases"`
}

func newReport(o *options) *report {
	return &report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Processor(), Cores: runtime.NumCPU(), Go: runtime.Version(), Turns: o.turns}
}

func (r *report) write(dir string) error {
	r.Load = machine.Load()
	return record.Write(dir, "files", r, r.markdown())
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Files read by gsql and by arrow-go\n\n%s, %d cores; %s; %s. Load average of the machine at the end: %s.\n\n",
		r.Machine, r.Cores, r.Date, r.Go, r.Load)
	fmt.Fprintf(&b, "Milliseconds of processor time, the least of %d turns, to read a file by one reader. *arrays* are arrow-go's records, *vectors* the same "+
		"records turned into gsql's vectors, with texts verified as UTF-8, which gsql's Parquet reader always does. *open* is what gsql needs to open a file, once: it sniffs CSV files, of which arrow-go gets the schema. Ratios are arrow-go's time over gsql's: above 1 gsql is faster. "+
		"`go run ./bench/files` makes this file and files.json.\n\n", r.Turns)
	for _, format := range []string{"parquet", "csv"} {
		r.format(&b, format)
	}
	return b.String()
}

func (r *report) format(b *strings.Builder, format string) {
	n, logs, below := 0, 0.0, []string{}
	for _, c := range r.Cases {
		if c.Format != format {
			continue
		}
		n++
		logs += math.Log(c.Arrays / c.Gsql)
		if c.Arrays < pays*c.Gsql {
			below = append(below, fmt.Sprintf("%s (%.2f)", c.Name, c.Arrays/c.Gsql))
		}
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\nGeometric mean of the ratios to arrays: %.2f. Below %.1f: %s.\n\n", format, math.Exp(logs/float64(n)), pays, list(below))
	b.WriteString("| column | MB | open | gsql | arrays | vectors | ratio to arrays | to vectors |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range r.Cases {
		if c.Format == format {
			fmt.Fprintf(b, "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", c.Name, float64(c.Bytes)/1e6, c.Open, c.Gsql, c.Arrays, c.Vectors, c.Arrays/c.Gsql, c.Vectors/c.Gsql)
		}
	}
	b.WriteString("\n")
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "; ")
}
