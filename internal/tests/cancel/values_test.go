package cancel_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// onHuge are expressions over single values of 40 million characters: t and u are texts, ci is one of a
// collation that ignores case and accents, and j is JSON.
var onHuge = []string{
	"t LIKE '%a%b%c%x%y%'", "ci LIKE '%e%f%z%'", "t COLLATE utf8mb4_0900_ai_ci = u", "ci < CONCAT(ci, 'x')", "FIELD(ci, 'x', 'y')", "GREATEST(ci, t)", "FIND_IN_SET('x', ci)",
	"t REGEXP '(a|b|ab)*x(d|e)*$'", "t REGEXP 'i a.*q'", "u REGEXP ' x$'", "REGEXP_REPLACE(t, '[e-z]+', 'q')", "REGEXP_INSTR(t, 'q|x')", "REGEXP_SUBSTR(t, '(a|b)*q')",
	"CAST(j AS JSON)", "j->'$[3].a'", "j->>'$[30000].a'", "JSON_CONTAINS(j, j)", "JSON_VALID(j)", "JSON_TYPE(j)", "JSON_LENGTH(j, '$[4].a')", "JSON_SEARCH(j, 'one', 'y')", "JSON_SET(j, '$[3].a', t)", "JSON_MERGE_PATCH(j, j)",
	"JSON_DEPTH(j)", "JSON_REMOVE(j, '$[3].a')", "JSON_EXTRACT(j, '$**.b')", "JSON_OVERLAPS(j, j)",
	"REVERSE(t)", "UPPER(ci)", "REPLACE(t, 'a', 'bc')", "TRIM('a' FROM t)", "SUBSTRING_INDEX(t, ' ', -7)", "LOCATE('zq', t)", "SHA2(t, 512)", "MD5(t)", "HEX(t)", "COMPRESS(t)", "TO_BASE64(t)", "CRC32(t)", "INSERT(t, 7, 9, u)",
	"JSON_QUOTE(t)", "JSON_QUOTE(j)", "JSON_UNQUOTE(JSON_QUOTE(j))", "FROM_BASE64(TO_BASE64(t))", "FROM_BASE64(d)", "DATE_FORMAT('2024-01-02', f)", "TIME_FORMAT('10:11:12', f)", "STR_TO_DATE(t, f)",
	"CAST(d AS DOUBLE)", "d + 0", "CAST(d AS DECIMAL(30,2))", "CAST(d AS SIGNED)", "CAST(CONCAT('0.', d) AS DOUBLE)", "UNHEX(HEX(t))", "QUOTE(j)", "LPAD(t, 45000000, u)", "SOUNDEX(t)",
	"JSON_OBJECTAGG('a', j)", "JSON_OBJECTAGG(t, u)", "JSON_ARRAYAGG(t)", "MAX(ci)", "GROUP_CONCAT(t, u, ci)", "COUNT(DISTINCT ci, t)",
}

// TestCancelHugeValues cancels statements at random times while a single call works on huge values.
func TestCancelHugeValues(t *testing.T) {
	sqltest.NotForRaces(t)
	r := rand.New(rand.NewPCG(sqltest.Seed(t), 0))
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE h (t LONGTEXT, u LONGTEXT, ci LONGTEXT COLLATE utf8mb4_0900_ai_ci, j LONGTEXT, d LONGTEXT, f LONGTEXT)")
	sqltest.Run(t, s, `INSERT INTO h SELECT REPEAT('abcdefghi ', 4000000), CONCAT(REPEAT('abcdefghi ', 4000000), 'x'), REPEAT('Abcdéfghi ', 3600000), CONCAT('[', REPEAT('{"a": [1, 2, "x"]}, ', 1800000), '1]'), REPEAT('1234567890', 4000000), REPEAT('%Y-%m %W ', 4000000)`)
	sqltest.Run(t, s, fmt.Sprintf("SET gsql_workers = %d", workers))
	for _, e := range onHuge {
		for _, most := range []int64{100, 1500} {
			after := time.Duration(r.Int64N(most)) * time.Millisecond
			if _, err := endsSoonAfter(t, s, e, "SELECT LENGTH("+e+") FROM h", after, func() {}); err != nil && !errors.Is(err, sqlerr.QueryInterrupted) {
				t.Errorf("%s: %v", e, err)
			}
		}
	}
}

// TestCancelPlanning cancels very large statements at random times: while they are parsed, bound, optimised
// or run.
func TestCancelPlanning(t *testing.T) {
	r := rand.New(rand.NewPCG(sqltest.Seed(t), 0))
	s := sqltest.Open(t, gsql.Config{})
	for _, sql := range []string{"CREATE TABLE few (f INT, g INT)", "INSERT INTO few VALUES (1, 1), (2, 1), (3, 2), (4, 3)", fmt.Sprintf("SET gsql_workers = %d", workers)} {
		sqltest.Run(t, s, sql)
	}
	times := func(n int, sep string, part func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = part(i)
		}
		return strings.Join(parts, sep)
	}
	for name, sql := range map[string]string{
		"items of IN":            "SELECT COUNT(*) FROM few WHERE f IN (" + times(10_000, ", ", func(i int) string { return fmt.Sprint(i) }) + ")",
		"expressions of IN":      "SELECT COUNT(*) FROM few WHERE f IN (" + times(10_000, ", ", func(i int) string { return fmt.Sprintf("g + %d", i) }) + ")",
		"members of a union":     times(1000, " UNION ", func(i int) string { return fmt.Sprintf("SELECT f + %d, g FROM few", i) }),
		"members of a union all": times(1000, " UNION ALL ", func(i int) string { return fmt.Sprintf("SELECT f + %d, g FROM few WHERE g > 1", i) }),
		"conjunction":            "SELECT COUNT(*) FROM few WHERE " + times(3000, " AND ", func(i int) string { return fmt.Sprintf("f + g <> %d", i) }),
		"disjunction":            "SELECT COUNT(*) FROM few WHERE " + times(3000, " OR ", func(i int) string { return fmt.Sprintf("(f = %d AND g = %d)", i, i%7) }),
		"cases":                  "SELECT CASE " + times(5000, " ", func(i int) string { return fmt.Sprintf("WHEN f = %d THEN g + %d", i, i) }) + " END FROM few",
		"columns":                "SELECT " + times(3000, ", ", func(i int) string { return fmt.Sprintf("f + %d AS c%d", i, i) }) + " FROM few ORDER BY 1",
		"aggregates":             "SELECT g, " + times(1000, ", ", func(i int) string { return fmt.Sprintf("SUM(f + %d)", i) }) + " FROM few GROUP BY g",
		"values":                 "SELECT COUNT(*) FROM (VALUES " + times(20_000, ", ", func(i int) string { return fmt.Sprintf("ROW(%d, 'x')", i) }) + ") v",
		"a chain of joins":       "SELECT COUNT(*) FROM few t0" + times(59, "", func(i int) string { return fmt.Sprintf(" JOIN few t%d ON t%d.f = t%d.g", i+1, i+1, i) }),
		"a star of joins":        "SELECT COUNT(*) FROM " + star(60),
		"a clique of joins":      "SELECT COUNT(*) FROM " + clique(20),
		"outer joins":            "SELECT COUNT(*) FROM few t0" + times(40, "", func(i int) string { return fmt.Sprintf(" LEFT JOIN few t%d ON t%d.f = t%d.g", i+1, i+1, i) }),
		"scalar subqueries":      "SELECT " + times(200, ", ", func(i int) string { return fmt.Sprintf("(SELECT MAX(g) FROM few x WHERE x.f = few.g + %d)", i) }) + " FROM few",
		"nested subqueries":      "SELECT COUNT(*) FROM few WHERE f " + times(50, "", func(int) string { return "IN (SELECT g FROM few WHERE f " }) + "> 0" + strings.Repeat(")", 50),
		"common table expressions": "WITH c0 AS (SELECT f, g FROM few)" + times(200, "", func(i int) string {
			return fmt.Sprintf(", c%d AS (SELECT f, COUNT(*) AS g FROM c%d GROUP BY f)", i+1, i)
		}) + " SELECT * FROM c40",
		"windows": "SELECT " + times(300, ", ", func(i int) string { return fmt.Sprintf("SUM(f) OVER (PARTITION BY g %% %d ORDER BY f + %d)", i+1, i) }) + " FROM few",
	} {
		for range 2 {
			after := time.Duration(r.Int64N(300)) * time.Millisecond
			if _, err := endsSoonAfter(t, s, name, sql, after, func() {}); err != nil && !errors.Is(err, sqlerr.QueryInterrupted) {
				t.Errorf("%s: %.300v", name, err)
			}
		}
	}
}
