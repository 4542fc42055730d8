package summary

import (
	"context"
	"strings"
	"testing"

	"gsql"
	"gsql/sql/catalog"
)

// TestQuery finds the query that a statement summarises.
func TestQuery(t *testing.T) {
	for text, want := range map[string]string{
		"SUMMARIZE t;": "SELECT * FROM t", "summarize `a b.csv`": "SELECT * FROM `a b.csv`", "SUMMARIZE`x.csv`": "SELECT * FROM `x.csv`", "SUMMARIZE t WHERE a > 1": "SELECT * FROM t WHERE a > 1",
		"SUMMARIZE\nSELECT 1 AS a ;": "SELECT 1 AS a", "SUMMARIZE (SELECT 1)": "(SELECT 1)", "SUMMARIZE with x as (select 1) table x": "with x as (select 1) table x",
		"SUMMARIZED t": "", "SELECT 1": "", "SUMMARIZE selected": "SELECT * FROM selected",
	} {
		if got, ok := Query(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
	if got, ok := Query(" summarize ;"); got != "" || !ok {
		t.Errorf("SUMMARIZE of nothing: %q, %v", got, ok)
	}
}

// TestSummary compares a summary with one computed by hand: ranks of quartiles, ranges of a histogram.
func TestSummary(t *testing.T) {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	ctx := context.Background()
	const make = "CREATE TABLE t (n INT, d DATE, s VARCHAR(50), j JSON, none INT); INSERT INTO t VALUES " +
		"(1, '2024-01-01', 'b', '1', NULL), (2, '2024-01-02', 'a', '2', NULL), (3, '2024-01-03', 'b', NULL, NULL), (4, NULL, REPEAT('z', 50), '[]', NULL), (NULL, '2024-01-09', '', NULL, NULL)"
	for _, sql := range strings.Split(make, "; ") {
		if _, _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ query, want string }{
		{"SELECT * FROM t", "n|int|1|4|1|1|2|3|4|2.5|1.29099|█ █  █ █\n" + // variance 5/3
			"d|date|1|4|2024-01-01|2024-01-01|2024-01-02|2024-01-03|2024-01-09|NULL|NULL|███    █\n" +
			"s|varchar(50)|0|4||NULL|NULL|NULL|" + strings.Repeat("z", 29) + "…|NULL|NULL|NULL\n" +
			"j|json|2|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n" +
			"none|int|5|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"},
		{"SELECT n AS a, n AS a FROM t WHERE n = 2", "a|int|0|1|2|2|2|2|2|2|NULL|NULL\na|int|0|1|2|2|2|2|2|2|NULL|NULL\n"},
		{"SELECT 'it''s' AS x FROM t WHERE FALSE", "x|text|0|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"},
	} {
		sql, err := Statement(ctx, s, c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		d := &describer{ctx: ctx, s: s}
		rows, err := d.all(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var got strings.Builder
		for _, row := range rows {
			for i, v := range row {
				if i > 0 {
					got.WriteByte('|')
				}
				got.WriteString(textOf(v))
			}
			got.WriteByte('\n')
		}
		if got.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", c.query, got.String(), c.want)
		}
	}
	if _, err := Statement(ctx, s, "SELECT * FROM nothing"); err == nil {
		t.Error("a table that does not exist was summarised")
	}
}

func textOf(d catalog.Datum) string {
	if d.Null {
		return "NULL"
	}
	return d.Text()
}
