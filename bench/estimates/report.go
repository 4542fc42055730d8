package main

import (
	"cmp"
	"fmt"
	"strings"
)

// The aims for the q-errors of a suite's joins.
const (
	aimMedian = 2
	aimMost   = 20 // of the 95th percentile
)

// summary has percentiles of q-errors.
type summary struct {
	Joins  int     `json:"joins"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	Most   float64 `json:"most"`
}

func compare(a, b float64) int { return cmp.Compare(a, b) }

// summarize returns the percentiles of joins sorted by descending q-errors: the least error that at
// least so many percent of the joins do not exceed.
func summarize(joins []join) summary {
	n := len(joins)
	if n == 0 {
		return summary{}
	}
	at := func(percent int) float64 { return joins[n-(n*percent+99)/100].QError }
	return summary{Joins: n, Median: at(50), P90: at(90), P95: at(95), Most: joins[0].QError}
}

// shown is the number of a suite's joins that the report lists.
const shown = 15

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Estimates of joins\n\n%s; %s", r.Machine, r.Date)
	if r.Label != "" {
		fmt.Fprintf(&b, "; %s", r.Label)
	}
	fmt.Fprintf(&b, ".\n\nThe q-error is the larger of the estimated and the actual rows divided by the smaller, both at least 1. The aims are a median below %d and a 95th percentile below %d.\n\n", aimMedian, aimMost)
	b.WriteString("| suite | queries | joins | median | 90 % | 95 % | worst | aims |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, s := range r.Suites {
		m := s.Summary
		fmt.Fprintf(&b, "| %s | %d | %d | %.3g | %.3g | %.3g | %.3g | %s |\n", s.Name, s.Queries-len(s.Failed), m.Joins, m.Median, m.P90, m.P95, m.Most, m.aims())
	}
	for _, s := range r.Suites {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Name)
		if len(s.Failed) > 0 {
			fmt.Fprintf(&b, "Queries that returned an error: %s.\n\n", strings.Join(s.Failed, ", "))
		}
		b.WriteString("The worst joins; estimates.json has all.\n\n| query | join | estimate | rows | q-error |\n| --- | --- | ---: | ---: | ---: |\n")
		for _, j := range s.Joins[:min(shown, len(s.Joins))] {
			fmt.Fprintf(&b, "| %s | %s | %.4g | %.4g | %.3g |\n", j.Query, j.Operator, j.Estimate, j.Rows, j.QError)
		}
	}
	return b.String()
}

func (m summary) aims() string {
	if m.Median < aimMedian && m.P95 < aimMost {
		return "reached"
	}
	return "missed"
}
