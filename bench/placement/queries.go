package main

import "strings"

// query is one query and its name in the report.
type query struct{ name, sql string }

// gridQueries are joins of all sizes, and one join of 10^7 with 10^7 rows combined with other
// operators.
func gridQueries(large bool) []query {
	var all []query
	sizes := []string{"s6", "s7"}
	if large {
		sizes = append(sizes, "s8")
	}
	add := func(name, sql string) { all = append(all, query{name, sql}) }
	for _, r := range []string{"r3", "r4", "r5", "r6", "r7"} {
		for _, s := range append([]string{"b5"}, sizes...) {
			add("join "+r+" "+s, strings.NewReplacer("{r}", r, "{s}", s).Replace("SELECT COUNT(*), SUM({s}.x) FROM {r} JOIN {s} ON {r}.k = {s}.k"))
		}
	}
	for _, s := range sizes {
		on := strings.NewReplacer("{s}", s)
		each := func(name, sql string) { add(name+" "+s, on.Replace(sql)) }
		each("expression", "SELECT SUM({s}.x * 2 + r7.x) FROM r7 JOIN {s} ON r7.k = {s}.k")
		each("group by 1000", "SELECT r7.g, SUM({s}.x) FROM r7 JOIN {s} ON r7.k = {s}.k GROUP BY r7.g")
		each("filter 10 %", "SELECT COUNT(*), SUM({s}.x) FROM r7 JOIN {s} ON r7.k = {s}.k WHERE {s}.x < 100000")
		each("filter both", "SELECT COUNT(*), SUM({s}.x) FROM r7 JOIN {s} ON r7.k = {s}.k WHERE {s}.x < 500000 AND r7.x < 500000")
		each("three tables", "SELECT COUNT(*), SUM({s}.x) FROM r7 JOIN {s} ON r7.k = {s}.k JOIN r6 ON r6.k = {s}.k")
		each("left", "SELECT COUNT(*), COUNT(r6.k), SUM(r6.x) FROM {s} LEFT JOIN r6 ON {s}.k = r6.k")
		each("semi", "SELECT COUNT(*), SUM(x) FROM {s} WHERE EXISTS (SELECT 1 FROM r6 WHERE r6.k = {s}.k)")
		each("anti", "SELECT COUNT(*), SUM(x) FROM {s} WHERE NOT EXISTS (SELECT 1 FROM r6 WHERE r6.k = {s}.k)")
		each("double keys", "SELECT COUNT(*), SUM({s}.x) FROM r7 JOIN {s} ON r7.d = {s}.d")
		each("group by g", "SELECT g, COUNT(*), SUM(x), MIN(x), MAX(x) FROM {s} GROUP BY g")
		each("group by k", "SELECT k, COUNT(*), SUM(x) FROM {s} GROUP BY k ORDER BY 3 DESC, 1 LIMIT 10")
		each("filter and sum", "SELECT COUNT(*), SUM(x) FROM {s} WHERE x BETWEEN 200000 AND 400000 AND g < 500")
		each("sort two keys", "SELECT g, x, k FROM {s} ORDER BY g, x, k LIMIT 10")
		each("select 1 %", "SELECT k, x FROM {s} WHERE x < 10000")
	}
	add("theta r5 r5", "SELECT SUM(a.x) FROM r5 a JOIN r5 b ON a.x > b.x")
	return all
}

// h2oQueries are the questions 1 to 5 and 7.
var h2oQueries = []query{
	{"h2o q1", "SELECT id1, SUM(v1) AS v1 FROM h2o GROUP BY id1"},
	{"h2o q2", "SELECT id1, id2, SUM(v1) AS v1 FROM h2o GROUP BY id1, id2"},
	{"h2o q3", "SELECT id3, SUM(v1) AS v1, AVG(v3) AS v3 FROM h2o GROUP BY id3"},
	{"h2o q4", "SELECT id4, AVG(v1) AS v1, AVG(v2) AS v2, AVG(v3) AS v3 FROM h2o GROUP BY id4"},
	{"h2o q5", "SELECT id6, SUM(v1) AS v1, SUM(v2) AS v2, SUM(v3) AS v3 FROM h2o GROUP BY id6"},
	{"h2o q7", "SELECT id3, MAX(v1) - MIN(v2) AS range_v1_v2 FROM h2o GROUP BY id3"},
}
