package main

import "fmt"

// expressions returns queries that compute one expression per row, over columns of most types, and
// add up the results.
func expressions(o *options) ([]query, error) {
	n := full(o, 500_000, 5_000_000)
	table := fmt.Sprintf("expressions_%d.parquet", n)
	var queries []query
	for _, e := range expressionList {
		q := query{name: e[0], sql: "SELECT " + e[1] + " FROM x", tables: []string{"x " + table}}
		if e[2] != "" {
			q.duckdb = "SELECT " + e[2] + " FROM x"
		}
		queries = append(queries, q)
	}
	whole := func(seed, n int) string { return fmt.Sprintf("(%s)::INTEGER", random(seed, n)) }
	return queries, provide(o, file{table, fmt.Sprintf("SELECT %s AS i, %s - 500 AS j, %s::BIGINT * 7 - 3000000000 AS b, "+
		"(%s::DECIMAL(12,2) / 100)::DECIMAL(12,2) AS p, ((%s - 50000000)::DOUBLE / 10000)::DECIMAL(15,4) AS q, "+
		"100 * %s + 0.001 AS f, 20 * %s - 10 AS g, DATE '1992-01-01' + %s AS d, TIMESTAMP '2001-01-01' + INTERVAL 1 SECOND * %s AS t, "+
		"'Customer ' || %s || CASE WHEN %s = 0 THEN ' special' ELSE ' ordinary' END AS s, ['AIR', 'MAIL', 'RAIL', 'SHIP', 'TRUCK', 'FOB', 'REG AIR'][1 + %s] AS m, "+
		"md5(%s::VARCHAR)[:3 + %s] AS h, '  ' || %s || ' ' AS v, '{\"a\": ' || %s || ', \"b\": \"x\"}' AS js, "+
		"CASE WHEN %s = 0 THEN NULL ELSE %s END AS z",
		whole(1, 1_000_000), whole(2, 1000), whole(3, 1_000_000_000), whole(4, 10_000_000), whole(5, 100_000_000), unit(6), unit(7), whole(8, 2500), whole(9, 300_000_000),
		whole(10, 1_000_000), whole(11, 10), whole(12, 7), whole(13, 1<<30), whole(14, 12), whole(15, 1_000_000), whole(16, 1000), whole(17, 10), whole(18, 100)) + rows(n)})
}

// expressionList lists the name of each query, its select expression, and that expression in
// DuckDB's dialect if it differs.
var expressionList = [][3]string{
	{"round decimal", "SUM(ROUND(p, 1)), SUM(ROUND(q, 2))", ""},
	{"round decimal whole", "SUM(ROUND(p))", ""},
	{"truncate decimal", "SUM(TRUNCATE(p, 1))", "SUM(trunc(p * 10)::DECIMAL(12,0)) / 10"},
	{"floor ceil decimal", "SUM(FLOOR(p)), SUM(CEIL(q))", ""},
	{"round double", "SUM(ROUND(f, 2))", "SUM(round_even(f, 2))"},
	{"floor ceil double", "SUM(FLOOR(f)), SUM(CEIL(g))", ""},
	{"ln", "SUM(LN(f))", ""},
	{"log10", "SUM(LOG10(f))", ""},
	{"exp", "SUM(EXP(g))", ""},
	{"power double", "SUM(POW(f, g))", ""},
	{"power 2", "SUM(POW(f, 2))", ""},
	{"sqrt", "SUM(SQRT(f))", ""},
	{"sin cos", "SUM(SIN(g)), SUM(COS(g))", ""},
	{"abs int", "SUM(ABS(j))", ""},
	{"abs decimal", "SUM(ABS(q))", ""},
	{"mod const", "SUM(i % 7), SUM(b % 1000)", ""},
	{"mod column", "SUM(b % (i + 1))", ""},
	{"mod decimal", "SUM(p % 10)", ""},
	{"div const", "SUM(i DIV 7), SUM(b DIV 1000)", "SUM(i // 7), SUM(b // 1000)"},
	{"div column", "SUM(b DIV (i + 1))", "SUM(b // (i + 1))"},
	{"divide int", "SUM(i / 7)", "SUM(i::DECIMAL(14,4) / 7)"},
	{"divide double", "SUM(f / (g + 20))", ""},
	{"greatest least", "SUM(GREATEST(i, b)), SUM(LEAST(f, g))", ""},
	{"greatest decimal", "SUM(GREATEST(p, q))", ""},
	{"cast int char", "SUM(LENGTH(CAST(i AS CHAR)))", "SUM(strlen(CAST(i AS VARCHAR)))"},
	{"cast bigint char", "MAX(CAST(b AS CHAR))", "MAX(CAST(b AS VARCHAR))"},
	{"cast decimal char", "SUM(LENGTH(CAST(p AS CHAR)))", "SUM(strlen(CAST(p AS VARCHAR)))"},
	{"cast date char", "MAX(CAST(t AS CHAR))", "MAX(CAST(t AS VARCHAR))"},
	{"cast double char", "SUM(LENGTH(CAST(f AS CHAR)))", "SUM(strlen(CAST(f AS VARCHAR)))"},
	{"cast char int", "SUM(CAST(v AS SIGNED))", "SUM(CAST(v AS BIGINT))"},
	{"cast double int", "SUM(CAST(f AS SIGNED))", "SUM(CAST(f AS BIGINT))"},
	{"cast int decimal", "SUM(CAST(i AS DECIMAL(12,2)))", ""},
	{"cast decimal double", "SUM(CAST(p AS DOUBLE))", ""},
	{"like suffix", "SUM(s LIKE '%special')", "SUM((s LIKE '%special')::INT)"},
	{"like prefix", "SUM(s LIKE 'Customer 99%')", "SUM((s LIKE 'Customer 99%')::INT)"},
	{"like contains", "SUM(s LIKE '%99%')", "SUM((s LIKE '%99%')::INT)"},
	{"like parts", "SUM(s LIKE 'Cust%9%ial')", "SUM((s LIKE 'Cust%9%ial')::INT)"},
	{"regexp", "SUM(REGEXP_LIKE(s, '9[0-5]+ sp'))", "SUM(regexp_matches(s, '9[0-5]+ sp')::INT)"},
	{"in strings", "SUM(h IN ('abc', 'def0', '1234', '00aa', 'beef', '0ff'))", "SUM((h IN ('abc', 'def0', '1234', '00aa', 'beef', '0ff'))::INT)"},
	{"in few values", "SUM(m IN ('AIR', 'REG AIR', 'SHIP'))", "SUM((m IN ('AIR', 'REG AIR', 'SHIP'))::INT)"},
	{"in ints small range", "SUM(j IN (1, 5, 9, 17, -40, 100, 333, 212, 411, -499))", "SUM((j IN (1, 5, 9, 17, -40, 100, 333, 212, 411, -499))::INT)"},
	{"in ints few", "SUM(i IN (1, 50000, 777777))", "SUM((i IN (1, 50000, 777777))::INT)"},
	{"in ints wide", "SUM(i IN (1, 50000, 777777, 9, 123456, 654321, 31, 99999, 888, 4321, 43210, 5))", "SUM((i IN (1, 50000, 777777, 9, 123456, 654321, 31, 99999, 888, 4321, 43210, 5))::INT)"},
	{"case constants", "SUM(CASE WHEN j < -100 THEN 1 WHEN j < 0 THEN 2 WHEN j < 300 THEN 3 ELSE 4 END)", ""},
	{"case columns", "SUM(CASE WHEN j < 0 THEN i WHEN j < 300 THEN b ELSE 0 END)", ""},
	{"case decimals", "SUM(CASE WHEN j < 0 THEN p ELSE 0 END)", ""},
	{"case computed", "SUM(CASE WHEN j < 0 THEN p * 2 ELSE q + 1 END)", ""},
	{"case strings", "SUM(CASE m WHEN 'AIR' THEN 1 WHEN 'RAIL' THEN 2 ELSE 0 END)", ""},
	{"case text results", "SUM(LENGTH(CASE WHEN j < 0 THEN 'low' WHEN j < 300 THEN h ELSE s END))", "SUM(strlen(CASE WHEN j < 0 THEN 'low' WHEN j < 300 THEN h ELSE s END))"},
	{"if", "SUM(IF(j > 0, f, g))", ""},
	{"ifnull nullif coalesce", "SUM(IFNULL(z, 7)), SUM(NULLIF(j, 5)), SUM(COALESCE(z, i))", ""},
	{"is null", "SUM(z IS NULL)", "SUM((z IS NULL)::INT)"},
	{"concat", "SUM(LENGTH(CONCAT(s, '-', h)))", "SUM(strlen(CONCAT(s, '-', h)))"},
	{"concat ws", "SUM(LENGTH(CONCAT_WS(',', s, h, m)))", "SUM(strlen(CONCAT_WS(',', s, h, m)))"},
	{"concat short", "SUM(LENGTH(CONCAT(h, 'x')))", "SUM(strlen(CONCAT(h, 'x')))"},
	{"substring", "MAX(SUBSTRING(s, 3, 8))", ""},
	{"left right", "MAX(LEFT(s, 12)), MAX(RIGHT(s, 5))", ""},
	{"substring index", "MAX(SUBSTRING_INDEX(s, ' ', 2))", "MAX(split_part(s, ' ', 1) || ' ' || split_part(s, ' ', 2))"},
	{"trim", "MAX(TRIM(v))", ""},
	{"replace", "SUM(LENGTH(REPLACE(s, 'Customer', 'C')))", "SUM(strlen(REPLACE(s, 'Customer', 'C')))"},
	{"lower upper", "MAX(LOWER(s)), MAX(UPPER(h))", ""},
	{"length", "SUM(LENGTH(s)), SUM(CHAR_LENGTH(h))", "SUM(strlen(s)), SUM(length(h))"},
	{"lpad", "MAX(LPAD(v, 12, '*'))", ""},
	{"instr", "SUM(INSTR(s, 'spec'))", ""},
	{"reverse", "MAX(REVERSE(s))", ""},
	{"string equal", "SUM(h = 'abcd')", "SUM((h = 'abcd')::INT)"},
	{"string less", "SUM(h < 'abcd')", "SUM((h < 'abcd')::INT)"},
	{"string between", "SUM(s BETWEEN 'Customer 3' AND 'Customer 6')", "SUM((s BETWEEN 'Customer 3' AND 'Customer 6')::INT)"},
	{"strings compared", "SUM(h < m)", "SUM((h < m)::INT)"},
	{"decimal between", "SUM(p BETWEEN 1000 AND 50000.5)", "SUM((p BETWEEN 1000 AND 50000.5)::INT)"},
	{"int compare", "SUM(i < 500000 AND j > 0 OR b = 3)", "SUM((i < 500000 AND j > 0 OR b = 3)::INT)"},
	{"double compare", "SUM(f > 50 AND g < 0)", "SUM((f > 50 AND g < 0)::INT)"},
	{"date format", "MAX(DATE_FORMAT(d, '%Y-%m'))", "MAX(strftime(d, '%Y-%m'))"},
	{"datetime format", "MAX(DATE_FORMAT(t, '%Y-%m-%d %H:%i'))", "MAX(strftime(t, '%Y-%m-%d %H:%M'))"},
	{"date interval", "MAX(d + INTERVAL 10 DAY), MAX(d + INTERVAL 3 MONTH)", ""},
	{"datetime interval", "MAX(t + INTERVAL 90 MINUTE)", ""},
	{"datediff", "SUM(DATEDIFF(t, d))", "SUM(date_diff('day', d, t))"},
	{"year month", "SUM(YEAR(d)), SUM(MONTH(t))", ""},
	{"extract", "SUM(EXTRACT(HOUR FROM t)), SUM(EXTRACT(DAY FROM d))", ""},
	{"unix timestamp", "SUM(UNIX_TIMESTAMP(t))", "SUM(epoch(t))"},
	{"date of datetime", "MAX(DATE(t))", "MAX(t::DATE)"},
	{"last day weekday", "MAX(LAST_DAY(d)), SUM(WEEKDAY(d))", "MAX(LAST_DAY(d)), SUM(isodow(d) - 1)"},
	{"date compare", "SUM(t >= '2005-01-01' AND d < '1996-01-01')", "SUM((t >= '2005-01-01' AND d < '1996-01-01')::INT)"},
	{"json extract", "SUM(JSON_EXTRACT(js, '$.a'))", "SUM(JSON_EXTRACT(js, '$.a')::BIGINT)"},
	{"md5", "MAX(MD5(s))", ""},
	{"crc32", "SUM(CRC32(s))", "SUM(hash(s) % 100000)"},
	{"hex", "MAX(HEX(b + 3000000000))", "MAX(printf('%X', b + 3000000000))"},
	{"bits", "SUM((b & 255) ^ (i << 2)), SUM(BIT_COUNT(i))", "SUM(xor(b & 255, i::BIGINT << 2)), SUM(BIT_COUNT(i))"},
	{"arithmetic int", "SUM(i * 2 + j - 3)", ""},
	{"arithmetic decimal", "SUM(p * (1 - q))", ""},
	{"arithmetic double", "SUM(f * g + 1)", ""},
	{"sum alone", "SUM(i), SUM(p), SUM(f)", ""},
}
