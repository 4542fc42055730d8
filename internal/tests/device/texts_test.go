//go:build sim || cuda

package device_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
)

// fillTexts makes a table n of names, of which nearly all are distinct, and a table m of rows that refer
// to them.
func fillTexts(t *testing.T, s *gsql.Session, rows int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), 2))
	execute(t, s, "CREATE TABLE n (id INT NOT NULL, name VARCHAR(40), other VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL)")
	execute(t, s, "CREATE TABLE m (id INT, v INT NOT NULL)")
	var all, refer []string
	for i := range rows {
		name := fmt.Sprintf("'name %d of %d'", r.IntN(1_000_000), r.IntN(30))
		if i%9 == 0 {
			name = "NULL"
		}
		all = append(all, fmt.Sprintf("(%d,%s,'%c%d')", i, name, "aAbB"[r.IntN(4)], r.IntN(rows)))
		refer = append(refer, fmt.Sprintf("(%d,%d)", r.IntN(2*rows), i))
	}
	execute(t, s, "INSERT INTO n VALUES "+strings.Join(all, ","))
	execute(t, s, "INSERT INTO m VALUES "+strings.Join(refer, ","))
}

// TestFunctionsOfDistinctTexts compares queries with functions of texts that have no dictionary: the host
// computes their values.
func TestFunctionsOfDistinctTexts(t *testing.T) {
	s := deviceSession(t)
	fillTexts(t, s, 2000)
	for _, q := range []string{
		"SELECT COUNT(*) FROM n WHERE name LIKE '%77%'",
		"SELECT COUNT(*), COUNT(name) FROM n WHERE name NOT LIKE 'name 1%of_2%' OR name IS NULL",
		"SELECT id FROM n WHERE name > 'name 5' AND other < 'b3' AND id > 7",
		"SELECT COUNT(*) FROM n WHERE other = 'A17' OR other IN ('b3', 'B4') OR name = 'name 3 of 3'",
		"SELECT SUM(LENGTH(name)), MAX(LENGTH(other)), AVG(CHAR_LENGTH(name)) FROM n",
		"SELECT SUBSTRING(name, 6, 1), COUNT(*), MIN(id) FROM n GROUP BY SUBSTRING(name, 6, 1)",
		"SELECT UPPER(SUBSTRING(name, 6, 2)) p, SUM(m.v) FROM m JOIN n ON n.id = m.id WHERE SUBSTRING(name, 6, 1) IN ('3', '5') GROUP BY p",
		"SELECT m.v, n.name FROM m LEFT JOIN n ON n.id = m.id AND n.name LIKE '%1%' WHERE m.v < 500",
		"SELECT COUNT(*) FROM m LEFT JOIN n ON n.id = m.id WHERE COALESCE(n.name, 'name 1') LIKE 'name 1%'",
		"SELECT CASE WHEN name LIKE '%9%' THEN 1 ELSE 0 END c, COUNT(*) FROM n GROUP BY c",
	} {
		if !compare(t, s, q) {
			t.Errorf("%s has no pipelines", q)
		}
	}
	// A function that is not NULL of NULL, above a join that adds NULLs.
	compare(t, s, "SELECT COUNT(*), SUM(LENGTH(n.name)) FROM m LEFT JOIN n ON n.id = m.id WHERE n.name IS NULL OR LENGTH(n.name) > 14")
	const q = "SELECT COUNT(*), SUM(id) FROM n WHERE name LIKE '%5 of%'"
	for _, change := range []string{"SELECT 1", "UPDATE n SET name = '5 of 5' WHERE id < 100", "DELETE FROM n WHERE id % 3 = 0"} {
		execute(t, s, change)
		if !compare(t, s, q) {
			t.Errorf("%s has no pipelines", q)
		}
	}
	// The rows that are left: 2000, less a third.
	const columns = "SELECT COUNT(*) FROM information_schema.gsql_resident WHERE table_name = 'n' AND column_name = 'name' AND form = 'values of a function' AND table_rows = 1333"
	if got := mustAnswer(t, s, columns); !slices.Equal(got, []string{"1"}) {
		t.Errorf("%v functions of the table as it is are on the device, want 1", got)
	}
	if plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n"); !strings.Contains(plan, "resident") {
		t.Errorf("values of a function do not stay on the device:\n%s", plan)
	}
}

// TestFunctionsThatFail runs a query with a function that fails for rows that another filter drops.
func TestFunctionsThatFail(t *testing.T) {
	s := deviceSession(t)
	fillTexts(t, s, 300)
	const q = "SELECT COUNT(*) FROM n WHERE id < 0 AND JSON_EXTRACT(name, '$.a') = 1"
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, q)
	execute(t, s, "SET gsql_device = "+device)
	if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
