package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/internal/machine"
)

// report is the content of crossover.json.
type report struct {
	Date    string    `json:"date"`
	Machine string    `json:"machine"`
	Cores   int       `json:"cores"`
	Workers int       `json:"workers"`
	Go      string    `json:"go"`
	CPU     bool      `json:"processor_time,omitempty"` // processor times are compared
	Load    string    `json:"load_average"`             // when the report was written
	Series  []*Series `json:"series"`
}

func newReport(o *options) *report {
	return &report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine.Processor(), Cores: runtime.NumCPU(), Workers: o.workers, Go: runtime.Version(), CPU: o.cpu}
}

func (r *report) write(dir string) error {
	r.Load = machine.Load()
	return record.Write(dir, "crossover", r, r.markdown())
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Where one way to join overtakes another\n\n%s, %d cores; %s; %s; %d workers. Load average of the machine at the end: %s.\n\n",
		r.Machine, r.Cores, r.Date, r.Go, r.Workers, r.Load)
	times := "medians"
	if r.CPU {
		times = "the least processor times"
	}
	b.WriteString("Each statement ran by every algorithm that a hint asks for, in turn and warm; times are " + times + " in milliseconds, of whole statements. " +
		"The regret is the time of the algorithm that the planner takes over that of the fastest. `go run ./bench/crossover` makes this file and crossover.json, which has the statements.\n\n")
	r.summary(&b)
	r.regrets(&b)
	r.crossings(&b)
	for _, s := range r.Series {
		s.markdown(&b)
	}
	return b.String()
}

// summary writes one line per family.
func (r *report) summary(b *strings.Builder) {
	b.WriteString("| joins | points | fastest taken | regret above 1.2 | geometric mean | worst |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	var families []string
	for _, s := range r.Series {
		if !slices.Contains(families, s.Family) {
			families = append(families, s.Family)
		}
	}
	for _, f := range families {
		points, best, above, logs, worst := 0, 0, 0, 0.0, 1.0
		for _, s := range r.Series {
			for _, p := range s.Points {
				if s.Family != f {
					continue
				}
				points++
				if p.Picked == p.Best {
					best++
				}
				if p.Regret > bad {
					above++
				}
				logs += math.Log(p.Regret)
				worst = max(worst, p.Regret)
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %.3f | %.2f |\n", f, points, best, above, math.Exp(logs/float64(max(points, 1))), worst)
	}
}

// Regrets from bad on are errors of the prices; those from shown on are listed.
const (
	bad   = 1.2
	shown = 1.05
)

// regrets lists the points at which the planner does not take the fastest way, the worst first.
func (r *report) regrets(b *strings.Builder) {
	type at struct {
		s *Series
		p *Point
	}
	var list []at
	for _, s := range r.Series {
		for _, p := range s.Points {
			if p.Regret >= shown {
				list = append(list, at{s, p})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y at) int {
		if x.p.Regret > y.p.Regret {
			return -1
		}
		return 1
	})
	fmt.Fprintf(b, "\n## Regrets from %.2f on\n\n| regret | joins | size | taken | fastest | times | prices |\n| ---: | --- | ---: | --- | --- | ---: | ---: |\n", shown)
	for _, x := range list {
		picked, best := x.p.way(x.p.Picked), x.p.way(x.p.Best)
		fmt.Fprintf(b, "| %.2f | %s, %s | %s | %s | %s | %s, %s | %s, %s |\n", x.p.Regret, x.s.Family, x.s.Name, count(x.p.Size), x.p.Picked, x.p.Best,
			millis(picked.TimeMS), millis(best.TimeMS), millis(picked.PriceMS), millis(best.PriceMS))
	}
}

func (p *Point) way(name string) *Way {
	return p.Ways[slices.IndexFunc(p.Ways, func(w *Way) bool { return w.Name == name })]
}

// markdown writes the points of a series: times, with prices in parentheses.
func (s *Series) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s, %s\n\n`%s`; prices in brackets, the fastest way in bold type.\n\n| %s | %s | taken | regret |\n| ---: |%s --- | ---: |\n",
		s.Family, s.Name, fmt.Sprintf(s.SQL, "/*+ hint */"), s.Axis, strings.Join(s.Ways, " | "), strings.Repeat(" ---: |", len(s.Ways)))
	for _, p := range s.Points {
		fmt.Fprintf(b, "| %s |", count(p.Size))
		for _, w := range p.Ways {
			fmt.Fprintf(b, " %s |", w.cell(w.Name == p.Best))
		}
		fmt.Fprintf(b, " %s | %.2f |\n", p.Picked, p.Regret)
	}
}

func (w *Way) cell(best bool) string {
	time := millis(w.TimeMS)
	switch {
	case w.LimitMS > 0:
		time = "> " + time
	case best:
		time = "**" + time + "**"
	}
	return time + " (" + millis(w.PriceMS) + ")"
}

// String returns the point as a line of the report.
func (p *Point) String() string {
	var out []string
	for _, w := range p.Ways {
		out = append(out, w.Name+" "+w.cell(false))
	}
	return fmt.Sprintf("%s; takes %s, regret %.2f", strings.Join(out, ", "), p.Picked, p.Regret)
}

// millis formats a time with three significant digits.
func millis(ms float64) string {
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	case ms >= 1:
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.3f", ms)
}

// count formats a number of rows: round ones from 1000 on as a power of ten.
func count(n int) string {
	power, digit := 0, n
	for digit >= 10 && digit%10 == 0 {
		digit, power = digit/10, power+1
	}
	switch {
	case power < 3 || digit >= 10:
		return fmt.Sprint(n)
	case digit == 1:
		return fmt.Sprintf("10^%d", power)
	}
	return fmt.Sprintf("%d * 10^%d", digit, power)
}
