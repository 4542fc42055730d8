package main

import "fmt"

// The names of rules and algorithms.
const (
	pairsOnly = "GroupJoin,EagerAggregation" // for gsql_disable_rules, so that aggregates read the join's pairs
	hash      = "hash_join"
	radix     = "radix_join"
	merge     = "merge_join"
	index     = "index_join"
	byRange   = "range_join"
	loop      = "nl_join"
)

// hints are the hints that request the algorithms.
var hints = map[string]string{hash: "HASH_JOIN(r)", radix: "RADIX_JOIN(r)", merge: "MERGE_JOIN(r)", index: "INDEX_JOIN(r)", byRange: "RANGE_JOIN(r)", loop: "NL_JOIN(r)"}

// Series is a statement over tables of growing size.
type Series struct {
	Family string   `json:"family"`
	Name   string   `json:"name"`
	Axis   string   `json:"axis"` // what grows
	SQL    string   `json:"sql"`  // with %s for a hint
	Ways   []string `json:"ways"`
	Points []*Point `json:"points"`

	sizes  []int
	base   []table             // the tables that are the same at all points
	tables func(x int) []table // the tables of a point
}

// allSeries lists the series to measure.
func allSeries(quick bool) (out []*Series) {
	probes := []int{1e4, 1e6, 3e6, 1e7}
	if quick {
		probes = probes[:2]
	}
	for _, probe := range probes {
		out = append(out, equalities(probe)...)
	}
	out = append(out, lookups()...)
	return append(out, comparisons()...)
}

// equalities returns joins of primary keys r with foreign keys s.
func equalities(probe int) (out []*Series) {
	add := func(name string, e equality) {
		s := &Series{Family: "equality", Name: fmt.Sprintf("%s, %s rows probe", name, count(probe)), Axis: "rows built", Ways: []string{hash, radix, merge},
			SQL: "SELECT %s COUNT(*), SUM(r.v) FROM s JOIN r ON s.k = r.k"}
		if e.wide {
			s.SQL = "SELECT %s COUNT(*), SUM(r.v), SUM(r.w), SUM(r.x), SUM(s.v), SUM(s.w) FROM s JOIN r ON s.k = r.k"
		}
		e.probe = probe
		s.tables = e.tables
		switch probe {
		case 1e4:
			s.Ways, s.sizes = append(s.Ways, loop), []int{4, 16, 64, 256, 1e3, 1e4}
		case 1e6:
			s.sizes = []int{1e2, 1e3, 1e4, 3e4, 1e5, 3e5, 1e6}
		case 3e6:
			s.sizes = []int{1e4, 1e5, 1e6, 3e6}
		case 1e7:
			s.sizes = []int{1e4, 1e5, 1e6, 1e7}
		}
		out = append(out, s)
	}
	forms := []form{dense, sparse, rising}
	switch probe {
	case 1e4, 1e6:
		forms = append(forms, numeric, long)
	case 3e6:
		forms = []form{numeric, long}
	}
	for _, f := range forms {
		add(f.name, equality{form: f, match: 100})
	}
	if probe == 1e6 || probe == 1e7 {
		add("sparse integers, 10 % match", equality{form: sparse, match: 10})
	}
	if probe == 1e6 {
		add("dense integers, 10 % match", equality{form: dense, match: 10})
		add("long text, 10 % match", equality{form: long, match: 10})
		add("sparse integers, 4 rows a key", equality{form: sparse, match: 100, each: 4})
		add("sparse integers, 5 columns", equality{form: sparse, match: 100, wide: true})
	}
	return out
}

// equality specifies the shape of a join of keys.
type equality struct {
	form  form
	probe int
	match int // percentage of the probe rows, and of their keys, that have partners
	each  int // rows that share a key; 0 means one
	wide  bool
}

func (e equality) tables(build int) []table {
	keys := build / max(e.each, 1)
	number, foreign := shuffled(keys), below(keys*100/e.match, 1)
	if e.form.name == rising.name {
		number, foreign = func(row int) int { return row }, func(row int) int { return row * keys / e.probe }
	}
	r := table{name: "r", rows: build, columns: []column{e.form.column("k", number), rowNumbers("v")}}
	s := table{name: "s", rows: e.probe, columns: []column{e.form.column("k", foreign)}}
	if e.wide {
		r.columns = append(r.columns, rowNumbers("w"), rowNumbers("x"))
		s.columns = append(s.columns, rowNumbers("v"), rowNumbers("w"))
	}
	return []table{r, s}
}

// lookups returns joins of some keys s with a table r that has an index of them.
func lookups() (out []*Series) {
	for _, c := range []struct {
		form form
		rows int
	}{{dense, 1e6}, {sparse, 1e4}, {sparse, 1e6}, {long, 1e6}} {
		f, rows := c.form, c.rows
		out = append(out, &Series{Family: "index", Name: fmt.Sprintf("%s, %s rows indexed", f.name, count(rows)), Axis: "rows looked up", Ways: []string{index, hash, radix},
			SQL:   "SELECT %s COUNT(*), SUM(r.v) FROM s JOIN r ON s.k = r.k",
			sizes: []int{10, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5},
			base:  []table{{name: "r", rows: rows, key: "k", columns: []column{f.column("k", shuffled(rows)), rowNumbers("v")}}},
			tables: func(x int) []table {
				return []table{{name: "s", rows: x, columns: []column{f.column("k", below(rows, 1))}}}
			}})
	}
	return out
}
