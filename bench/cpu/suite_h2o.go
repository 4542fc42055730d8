package main

import "fmt"

// h2oRows is the size of the db-benchmark's tables.
func h2oRows(o *options) int { return full(o, 1_000_000, 10_000_000) }

// h2oGroupBy returns the group-by queries of the db-benchmark, with 100 groups in the small keys
// and a hundred rows per group in the large ones. MySQL has no CORR.
func h2oGroupBy(o *options) ([]query, error) {
	n := h2oRows(o)
	name := fmt.Sprintf("g1_%d.parquet", n)
	err := provide(o, file{name, fmt.Sprintf("SELECT 'id' || lpad((1 + %s)::VARCHAR, 3, '0') AS id1, 'id' || lpad((1 + %s)::VARCHAR, 3, '0') AS id2, "+
		"'id' || lpad((1 + %s)::VARCHAR, 10, '0') AS id3, (1 + %s)::INTEGER AS id4, (1 + %s)::INTEGER AS id5, (1 + %s)::INTEGER AS id6, "+
		"(1 + %s)::INTEGER AS v1, (1 + %s)::INTEGER AS v2, round(100 * %s, 6)::DOUBLE AS v3", random(1, 100), random(2, 100), random(3, n/100), random(4, 100), random(5, 100),
		random(6, n/100), random(7, 5), random(8, 15), unit(9)) + rows(n)})
	x := "x " + name
	q := func(name, sql, sums string) query {
		return into(name, sql, "SELECT COUNT(*), "+sums+" FROM ans", x)
	}
	q9 := q("q9 regression v1 v2 by id2 id4", "SELECT id2, id4, POW(COUNT(*) * SUM(1e0 * v1 * v2) - SUM(1e0 * v1) * SUM(1e0 * v2), 2) / "+
		"((COUNT(*) * SUM(1e0 * v1 * v1) - POW(SUM(1e0 * v1), 2)) * (COUNT(*) * SUM(1e0 * v2 * v2) - POW(SUM(1e0 * v2), 2))) AS r2 FROM x GROUP BY id2, id4", "SUM(r2)")
	q9.duckdb = "CREATE TABLE ans AS SELECT id2, id4, pow(corr(v1, v2), 2) AS r2 FROM x GROUP BY id2, id4"
	return []query{
		q("q1 sum v1 by id1", "SELECT id1, SUM(v1) AS v1 FROM x GROUP BY id1", "SUM(v1)"),
		q("q2 sum v1 by id1 id2", "SELECT id1, id2, SUM(v1) AS v1 FROM x GROUP BY id1, id2", "SUM(v1)"),
		q("q3 sum v1 mean v3 by id3", "SELECT id3, SUM(v1) AS v1, AVG(v3) AS v3 FROM x GROUP BY id3", "SUM(v1), SUM(v3)"),
		q("q4 mean v1 v2 v3 by id4", "SELECT id4, AVG(v1) AS v1, AVG(v2) AS v2, AVG(v3) AS v3 FROM x GROUP BY id4", "SUM(v1), SUM(v2), SUM(v3)"),
		q("q5 sum v1 v2 v3 by id6", "SELECT id6, SUM(v1) AS v1, SUM(v2) AS v2, SUM(v3) AS v3 FROM x GROUP BY id6", "SUM(v1), SUM(v2), SUM(v3)"),
		q("q6 median v3 sd v3 by id4 id5", "SELECT id4, id5, MEDIAN(v3) AS median_v3, STDDEV_SAMP(v3) AS sd_v3 FROM x GROUP BY id4, id5", "SUM(median_v3), SUM(sd_v3)"),
		q("q7 max v1 - min v2 by id3", "SELECT id3, MAX(v1) - MIN(v2) AS range_v1_v2 FROM x GROUP BY id3", "SUM(range_v1_v2)"),
		q("q8 largest two v3 by id6", "SELECT id6, v3 FROM (SELECT id6, v3, ROW_NUMBER() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS r FROM x) t WHERE r <= 2", "SUM(v3)"),
		q9,
		q("q10 sum v3 count by id1:id6", "SELECT id1, id2, id3, id4, id5, id6, SUM(v3) AS v3, COUNT(*) AS n FROM x GROUP BY id1, id2, id3, id4, id5, id6", "SUM(v3), SUM(n)"),
	}, err
}

// h2oJoin returns the join queries of the db-benchmark: about nine in ten rows of x match.
func h2oJoin(o *options) ([]query, error) {
	n := h2oRows(o)
	small, medium := max(10, n/1_000_000), n/1000
	made := func(name string, n int, cols string) file {
		return file{fmt.Sprintf("j1_%s_%d.parquet", name, h2oRows(o)), "SELECT " + cols + rows(n)}
	}
	key := func(seed, n int) string { return fmt.Sprintf("(1 + %s)::INTEGER", random(seed, n*11/10)) }
	text := func(e string) string { return "'id' || (" + e + ")::VARCHAR" }
	row := "(i + 1)::INTEGER"
	v := func(seed int) string { return fmt.Sprintf("round(100 * %s, 6)::DOUBLE", unit(seed)) }
	files := []file{
		made("x", n, fmt.Sprintf("%s AS id1, %s AS id2, %s AS id3, %s AS id4, %s AS id5, %s AS id6, %s AS v1", key(1, small), key(2, medium), key(3, n), text(key(1, small)), text(key(2, medium)), text(key(3, n)), v(4))),
		made("small", small, fmt.Sprintf("%s AS id1, %s AS id4, %s AS v2", row, text(row), v(5))),
		made("medium", medium, fmt.Sprintf("%s AS id2, %s AS id5, %s AS v2, %s AS id1", row, text(row), v(6), key(7, small))),
		made("big", n, fmt.Sprintf("%s AS id3, %s AS id6, %s AS v2, %s AS id1, %s AS id2", row, text(row), v(8), key(9, small), key(10, medium))),
	}
	x := "x " + files[0].name
	q := func(name, from, table string, file file) query {
		return into(name, "SELECT x.*, y.v2 FROM x "+from, "SELECT COUNT(*), SUM(v1), SUM(v2), SUM(id3) FROM ans", x, table+" "+file.name)
	}
	return []query{
		q("q1 small inner on int", "JOIN small y ON x.id1 = y.id1", "small", files[1]),
		q("q2 medium inner on int", "JOIN medium y ON x.id2 = y.id2", "medium", files[2]),
		q("q3 medium outer on int", "LEFT JOIN medium y ON x.id2 = y.id2", "medium", files[2]),
		q("q4 medium inner on string", "JOIN medium y ON x.id5 = y.id5", "medium", files[2]),
		q("q5 big inner on int", "JOIN big y ON x.id3 = y.id3", "big", files[3]),
	}, provide(o, files...)
}
