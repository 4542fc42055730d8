package main

import "fmt"

// pkfk returns joins of primary keys with ten times as many foreign keys. They vary the type of
// keys (dense integers, sparse integers, strings), the share of matches and the skew; results are
// aggregated or materialised.
func pkfk(o *options) ([]query, error) {
	n := full(o, 100_000, 1_000_000)
	if o.size == "large" {
		n *= 10
	}
	m := 10 * n
	forms := map[string]string{"int32": "%s::INTEGER", "int64": "(hash(%s) >> 1)::BIGINT", "string": "'key' || lpad((%s)::VARCHAR, 12, '0')"}
	name := func(side, form, what string) string { return fmt.Sprintf("%s_%s_%s%d.parquet", side, form, what, n) }
	// Distinct keys in shuffled order: n is not a multiple of the odd factor.
	order := fmt.Sprintf("((i * 7919) %% %d)", n)
	var files []file
	for _, form := range []string{"int32", "int64", "string"} {
		files = append(files,
			file{name("r", form, ""), "SELECT " + fmt.Sprintf(forms[form], order) + " AS k, i::BIGINT AS v" + rows(n)},
			file{name("s", form, ""), "SELECT " + fmt.Sprintf(forms[form], random(1, n)) + " AS k, i::BIGINT AS w" + rows(m)})
	}
	var out []query
	join := func(what, form, s string) {
		tables := []string{"r " + name("r", form, ""), "s " + s}
		q := query{name: "sum, " + what, sql: "SELECT COUNT(*), SUM(r.v) FROM s JOIN r ON s.k = r.k", tables: tables}
		out = append(out, q, into("table, "+what, "SELECT s.k, s.w, r.v FROM s JOIN r ON s.k = r.k", "SELECT COUNT(*), SUM(v), SUM(w) FROM ans", tables...))
	}
	for _, form := range []string{"int32", "int64", "string"} {
		join(form+", all match", form, name("s", form, ""))
	}
	for _, match := range []int{50, 3} {
		f := file{name("s", "int64", fmt.Sprint("m", match, "_")), fmt.Sprintf("SELECT (hash(%s + CASE WHEN %s < %d THEN 0 ELSE %d END) >> 1)::BIGINT AS k, i::BIGINT AS w", random(1, n), random(2, 100), match, n) + rows(m)}
		files = append(files, f)
		join(fmt.Sprintf("int64, %d %% match", match), "int64", f.name)
	}
	// Ranks by the inverse of the continuous Zipf distribution.
	for zipf, rank := range map[string]string{"0.75": fmt.Sprintf("floor(%d * pow(%s, 4))", n, unit(3)), "1.0": fmt.Sprintf("floor(pow(%d, %s)) - 1", n, unit(3))} {
		f := file{name("s", "int64", "z"+zipf+"_"), fmt.Sprintf("SELECT (hash((%s)::BIGINT) >> 1)::BIGINT AS k, i::BIGINT AS w", rank) + rows(m)}
		files = append(files, f)
		join("int64, Zipf "+zipf, "int64", f.name)
	}
	return out, provide(o, files...)
}

// theta returns aggregates over inequality joins, whose pairs DuckDB tests one by one, and the
// output of such joins.
func theta(o *options) ([]query, error) {
	var files []file
	sides := func(r, s int) []string {
		files = append(files,
			file{fmt.Sprintf("theta_r_%d.parquet", r), fmt.Sprintf("SELECT %s::INTEGER AS a, %s::INTEGER AS x, %s::INTEGER AS g", random(1, 1_000_000), random(2, 1000), random(3, 100)) + rows(r)},
			file{fmt.Sprintf("theta_s_%d.parquet", s), fmt.Sprintf("SELECT %s::INTEGER AS a, %s::INTEGER AS y, %s::INTEGER AS b", random(4, 1_000_000), random(5, 1000), random(6, 100_000)) + rows(s)})
		return []string{"r " + files[len(files)-2].name, "s " + files[len(files)-1].name}
	}
	var out []query
	for _, n := range full(o, [][2]int{{50_000, 5_000}, {50_000, 25_000}}, [][2]int{{50_000, 5_000}, {50_000, 25_000}, {50_000, 45_000}, {500_000, 50_000}, {500_000, 450_000}}) {
		size := fmt.Sprintf("%dK x %dK", n[0]/1000, n[1]/1000)
		out = append(out, query{name: "SUM, >, " + size, sql: "SELECT SUM(r.x) FROM r JOIN s ON r.a > s.a", tables: sides(n[0], n[1])},
			query{name: "COUNT, >, " + size, sql: "SELECT COUNT(*) FROM r JOIN s ON r.a > s.a", tables: sides(n[0], n[1])})
	}
	base := sides(50_000, 25_000)
	band := "r.a BETWEEN s.a - 5000 AND s.a + 5000"
	out = append(out,
		query{name: "GROUP BY on top, 50K x 25K", sql: "SELECT r.g, COUNT(*), SUM(s.y), MIN(s.y), MAX(s.y) FROM r JOIN s ON r.a > s.a GROUP BY r.g", tables: base},
		query{name: "GROUP BY over a band, 50K x 25K", sql: "SELECT r.g, COUNT(*), SUM(s.y) FROM r JOIN s ON " + band + " GROUP BY r.g", tables: base},
		query{name: "GROUP BY both sides, 50K x 25K", sql: "SELECT r.x % 10 AS x, s.y % 10 AS y, COUNT(*), SUM(s.b) FROM r JOIN s ON r.a > s.a GROUP BY r.x % 10, s.y % 10", tables: base},
		query{name: "SUM of a product of both sides, 50K x 25K", sql: "SELECT SUM(CAST(r.x AS DECIMAL(18, 0)) * s.y), MAX(r.x - s.y) FROM r JOIN s ON r.a > s.a", tables: base},
		query{name: "points in rectangles, 50K x 25K", sql: "SELECT COUNT(*), SUM(s.y) FROM r JOIN s ON s.a BETWEEN r.a - 100000 AND r.a + 50000 AND s.b BETWEEN r.x * 50 AND r.x * 100", tables: base},
		query{name: "EXISTS with two inequalities, 50K x 25K", sql: "SELECT COUNT(*), SUM(r.x) FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.a > r.a AND s.b < r.x)", tables: base},
		query{name: "two inequalities, 50K x 25K", sql: "SELECT COUNT(*), SUM(s.y) FROM r JOIN s ON r.a > s.a AND r.x < s.y", tables: base},
		query{name: "equality and inequality, 50K x 25K", sql: "SELECT COUNT(*), SUM(s.y) FROM r JOIN s ON r.x = s.y AND r.a > s.a", tables: base},
		query{name: "correlated subquery, 50K x 5K", sql: "SELECT SUM(n) FROM (SELECT (SELECT COUNT(*) FROM s WHERE s.a < r.a) AS n FROM r) t", tables: sides(50_000, 5_000)},
		query{name: "SUM, <>, 50K x 25K", sql: "SELECT SUM(r.x) FROM r JOIN s ON r.x <> s.y", tables: base},
		query{name: "brute force: expression, 50K x 25K", sql: "SELECT SUM(r.x) FROM r JOIN s ON r.a * 3 + s.b > s.a * 2", tables: base},
		query{name: "brute force: product, 50K x 25K", sql: "SELECT COUNT(*) FROM r JOIN s ON r.x * s.y > 250000", tables: base},
		query{name: "brute force: sum times, 50K x 25K", sql: "SELECT COUNT(*), SUM(s.y) FROM r JOIN s ON (r.x + s.y) * s.b > r.a * 100", tables: base},
		query{name: "brute force: product <>, 50K x 25K", sql: "SELECT SUM(r.x) FROM r JOIN s ON r.x * s.y <> s.b + r.a", tables: base},
		query{name: "brute force: remainder, 50K x 25K", sql: "SELECT COUNT(*) FROM r JOIN s ON r.x % s.y = 1", tables: base},
		query{name: "brute force: OR, 50K x 25K", sql: "SELECT r.g, COUNT(*), MIN(s.y) FROM r JOIN s ON r.x * s.y < 1000 OR s.b = r.a GROUP BY r.g", tables: base},
		query{name: "brute force: <> and >, 50K x 25K", sql: "SELECT COUNT(*) FROM r JOIN s ON r.a > s.a AND r.x <> s.y", tables: base},
		query{name: "output as Arrow, 50K x 5K", sql: "SELECT r.x, s.y, r.a FROM r JOIN s ON r.a > s.a", check: "SELECT COUNT(*) FROM r JOIN s ON r.a > s.a", tables: sides(50_000, 5_000)})
	if o.size != "quick" {
		out = append(out, query{name: "output as Arrow, 50K x 25K", sql: "SELECT r.x, s.y, r.a FROM r JOIN s ON r.a > s.a", check: "SELECT COUNT(*) FROM r JOIN s ON r.a > s.a", tables: base})
	}
	return out, provide(o, files...)
}

// intervals returns interval and band joins of points and periods, materialised and aggregated.
func intervals(o *options) ([]query, error) {
	n := full(o, 100_000, 400_000)
	days := full(o, 1_000_000, 35_000_000)
	span := 10 * n
	point := file{fmt.Sprintf("points_%d.parquet", n), fmt.Sprintf("SELECT %s::INTEGER AS t, %s::INTEGER AS k, %s::INTEGER AS v", random(1, span), random(2, 1000), random(3, 1000)) + rows(n)}
	period := file{fmt.Sprintf("periods_%d.parquet", n), fmt.Sprintf("SELECT s AS s, s + len AS e, k, v FROM (SELECT %s::INTEGER AS s, %s::INTEGER AS len, %s::INTEGER AS k, %s::INTEGER AS v", random(4, span), random(5, 100), random(6, 1000), random(7, 1000)) + rows(n) + ")"}
	year := file{"days.parquet", "SELECT (i * 86400)::INTEGER AS s, (i * 86400 + 86399)::INTEGER AS e, i::INTEGER AS day FROM range(365) t(i)"}
	events := file{fmt.Sprintf("events_%d.parquet", days), fmt.Sprintf("SELECT %s::INTEGER AS t, %s::INTEGER AS v", random(8, 365*86400), random(9, 1000)) + rows(days)}
	p, i := "p "+point.name, "i "+period.name
	sums := "SELECT COUNT(*), SUM(v), SUM(w) FROM ans"
	joins := []struct{ name, on, tables string }{
		{"band", "a.t BETWEEN b.t - 5 AND b.t + 5", "pp"},
		{"wide band", "a.t BETWEEN b.t - 200 AND b.t + 200", "pp"},
		{"point in period", "a.t BETWEEN b.s AND b.e", "pi"},
		{"overlap", "a.s <= b.e AND a.e >= b.s", "ii"},
		{"containment", "a.s >= b.s AND a.e <= b.e", "ii"},
		{"equality and inequality", "a.k = b.k AND a.t < b.s", "pi"},
	}
	var out []query
	for _, j := range joins {
		from, tables := map[string]string{"pp": "p a JOIN p b", "pi": "p a JOIN i b", "ii": "i a JOIN i b"}[j.tables], map[string][]string{"pp": {p}, "pi": {p, i}, "ii": {i}}[j.tables]
		out = append(out, query{name: j.name + ", sums", sql: fmt.Sprintf("SELECT COUNT(*), SUM(a.v), SUM(b.v) FROM %s ON %s", from, j.on), tables: tables})
		if j.name != "wide band" {
			out = append(out, into(j.name+", table", fmt.Sprintf("SELECT a.v, b.v AS w FROM %s ON %s", from, j.on), sums, tables...))
		}
	}
	return append(out, query{name: fmt.Sprintf("point in period by day, %dM x 365", days/1_000_000), sql: "SELECT day, COUNT(*), SUM(v) FROM e JOIN d ON e.t BETWEEN d.s AND d.e GROUP BY day",
		tables: []string{"e " + events.name, "d " + year.name}}), provide(o, point, period, year, events)
}

// loading returns statements that read files into tables, and queries over files in place.
func loading(o *options) ([]query, error) {
	if _, err := h2oGroupBy(o); err != nil {
		return nil, err
	}
	n := h2oRows(o)
	parquet := fmt.Sprintf("g1_%d.parquet", n)
	csv := file{fmt.Sprintf("g1_%d.csv", n), fmt.Sprintf("SELECT * FROM '%s/%s'", o.data, parquet)}
	check := "SELECT COUNT(*), SUM(v1), SUM(v3), COUNT(DISTINCT id3) FROM ans"
	return []query{
		into("Parquet into a table", "SELECT * FROM {"+parquet+"}", check),
		into("CSV into a table", "SELECT * FROM {"+csv.name+"}", check),
		{name: "group by over Parquet", sql: "SELECT id1, SUM(v1), AVG(v3) FROM {" + parquet + "} GROUP BY id1"},
		{name: "group by over CSV", sql: "SELECT id4, SUM(v1), COUNT(*) FROM {" + csv.name + "} GROUP BY id4"},
	}, provide(o, csv)
}
