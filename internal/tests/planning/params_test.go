package planning_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqltest"
	"gsql/planner/logical"
	"gsql/sql/catalog"
)

// asked returns what a query says: its columns and rows, or its error.
func asked(t *testing.T, s *gsql.Session, text string, args []any) string {
	t.Helper()
	rows, err := s.Query(context.Background(), text, args...)
	if err != nil {
		return err.Error()
	}
	out := ""
	for _, c := range rows.Columns {
		out += fmt.Sprint(c, " ")
	}
	for {
		b, err := rows.NextBatch()
		if err != nil {
			return out + err.Error()
		}
		if b == nil {
			break
		}
		for i := range b.N {
			for _, c := range b.Cols {
				out += catalog.DatumAt(c, i).Text() + " "
			}
			out += "\n"
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

var paramsSchema = []string{
	"CREATE TABLE t (id INT PRIMARY KEY, g INT, u INT UNSIGNED, w BIGINT UNSIGNED, s VARCHAR(20), c VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, d DATE, m DECIMAL(10,2), f DOUBLE, e ENUM('a','b','10'), ts TIMESTAMP NULL, n INT NOT NULL)",
	`INSERT INTO t WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM k WHERE i < 300)
	 SELECT i, IF(i % 7 = 0, NULL, i % 10), i * 3, i * 5, CONCAT('s', i % 20), CONCAT(IF(i % 2, 'A', 'a'), i % 5), DATE '2020-01-01' + INTERVAL i DAY, i / 4, i / 8, ELT(i % 3 + 1, 'a', 'b', '10'), TIMESTAMP '2020-01-01 00:00:00' + INTERVAL i HOUR, i % 4 FROM k`,
	"CREATE TABLE o (id INT PRIMARY KEY, tid INT, v VARCHAR(10))",
	"INSERT INTO o SELECT id + 1000, id % 50, CONCAT('v', id % 3) FROM t",
}

// TestPlansWithParameters runs each query with all of its arguments repeatedly, and compares with
// the same query run once on a connection of its own.
func TestPlansWithParameters(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range paramsSchema {
		sqltest.Run(t, s, text)
	}
	numbers := []any{5, int64(-1), 0, uint64(7), uint64(1 << 63), 2.5, "5", "s5", "", "x", nil, true, []byte("s5"), []byte(nil), 300, 1 << 40, time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC), "2020-03-01", "2020-13-01", "2020-03-01 05:00:00", "2020-3-1", "0000-00-00", -5, 1<<60 + 1, "2020-01-02 03:00:00"}
	one := []string{
		"SELECT * FROM t WHERE id = ?", "SELECT id FROM t WHERE ? = id", "SELECT id FROM t WHERE id > ? AND id < 20", "SELECT id FROM t WHERE u = ?", "SELECT id FROM t WHERE u > ? AND u < 40",
		"SELECT id FROM t WHERE w < ? AND w < 100", "SELECT id FROM t WHERE s = ? ORDER BY id", "SELECT id FROM t WHERE c = ? ORDER BY id", "SELECT id FROM t WHERE d = ?", "SELECT id FROM t WHERE d >= ? AND id < 70",
		"SELECT id FROM t WHERE m = ?", "SELECT id FROM t WHERE f = ?", "SELECT id FROM t WHERE e = ? AND id < 30", "SELECT id FROM t WHERE ts = ?", "SELECT id FROM t WHERE g <=> ? AND id < 40",
		"SELECT id FROM t WHERE NOT (g = ?) AND id < 30", "SELECT id, g = ? FROM t WHERE id < 12", "SELECT ?, id FROM t WHERE id < 3", "SELECT id + ? FROM t WHERE id < 3", "SELECT id FROM t WHERE id + ? = 8",
		"SELECT id FROM t WHERE s LIKE ? AND id < 60", "SELECT id FROM t WHERE c LIKE ? AND id < 60", "SELECT id FROM t WHERE id IN (1, ?, 3)", "SELECT id FROM t WHERE g IN (?) AND id < 60", "SELECT id FROM t WHERE n = ? AND id < 20",
		"SELECT id FROM t WHERE id < 10 LIMIT ?", "SELECT id FROM t ORDER BY id LIMIT 3 OFFSET ?", "SELECT id FROM t WHERE id < 5 ORDER BY ?", "SELECT COUNT(*), g = ? FROM t GROUP BY 2 ORDER BY 2",
		"SELECT MAX(id) FROM t WHERE id = ?", "SELECT COUNT(*) FROM t HAVING COUNT(*) > ?", "SELECT o.v, t.s FROM t JOIN o ON o.tid = t.id WHERE t.id = ? ORDER BY o.id",
		"SELECT t.id FROM t LEFT JOIN o ON o.tid = t.id AND o.tid = ? WHERE t.id < 12 ORDER BY 1, o.id", "SELECT t.id FROM t LEFT JOIN o ON o.tid = t.id WHERE o.tid = ? ORDER BY o.id",
		"SELECT id FROM t WHERE id IN (SELECT tid FROM o WHERE v = ?) AND id < 9 ORDER BY id", "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM o WHERE o.tid = t.id AND o.id = ?)",
		"SELECT id, (SELECT COUNT(*) FROM o WHERE o.tid < t.id AND o.tid <> ?) FROM t WHERE id < 5", "SELECT ? IN (SELECT tid FROM o)", "SELECT x.id FROM (SELECT id FROM t WHERE id = ?) x",
		"WITH q AS (SELECT id, g FROM t WHERE g = ?) SELECT COUNT(*) FROM q a JOIN q b USING (id)", "SELECT id FROM t WHERE CASE WHEN id = ? THEN 1 ELSE id = 2 END",
		"SELECT IF(id > ?, 'y', 'n') FROM t WHERE id < 8", "SELECT id, ROW_NUMBER() OVER (PARTITION BY g = ? ORDER BY id) FROM t WHERE id < 12 ORDER BY id", "SELECT SUM(g = ?) FROM t", "SELECT id FROM t WHERE (id, g) = (5, ?)",
		"SELECT id FROM t WHERE id = ? UNION SELECT 7 ORDER BY 1", "SELECT id FROM t WHERE d BETWEEN ? AND '2020-02-01' AND id < 80", "SELECT id FROM t WHERE id = (SELECT MAX(id) FROM t WHERE id <= ?)",
		"SELECT a.id FROM t a JOIN t b ON a.id = b.id WHERE a.id = ?", "SELECT COALESCE(g, ?) FROM t WHERE id < 9", "SELECT id FROM t WHERE id > ? AND id > 290", "SELECT id FROM t WHERE ISNULL(?) AND id < 3",
	}
	r := rand.New(rand.NewPCG(sqltest.Seed(t), 0))
	check := asking(t, s)
	for _, text := range one {
		for range 3 {
			for _, i := range r.Perm(len(numbers)) {
				check(text, numbers[i])
			}
		}
	}
	two := []string{
		"SELECT id FROM t WHERE d BETWEEN ? AND ?", "SELECT id FROM t WHERE m > ? AND f < ? AND id < 40", "SELECT id FROM t WHERE w IN (?, ?) AND u IN (3, 9, 15)", "SELECT id FROM t WHERE ts > ? AND ts <= ? AND id < 100", "SELECT id FROM t WHERE d IN (?, ?)",
		"SELECT id FROM t WHERE id BETWEEN ? AND ?", "SELECT id FROM t WHERE id = ? AND id = ?", "SELECT id FROM t WHERE id = ? OR g = ? ORDER BY id LIMIT 9", "SELECT id FROM t WHERE id IN (?, ?)", "SELECT g > ? FROM t GROUP BY g > ?",
		"SELECT id FROM t WHERE id > ? AND id < ? AND g = 3", "SELECT id FROM t WHERE id > ? ORDER BY id LIMIT ?", "SELECT id FROM t WHERE s BETWEEN ? AND ? AND id < 30", "SELECT ? = ?, ? < 3", "SELECT id = ? FROM t WHERE id < 4 ORDER BY id = ?",
		"SELECT a.id, b.id FROM t a JOIN o b ON b.tid = a.id WHERE a.id = ? AND b.id > ? ORDER BY 2",
	}
	for _, text := range two {
		for range 60 {
			args := []any{numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]}
			if r.IntN(2) == 0 {
				args = []any{r.IntN(320), r.IntN(320)}
			}
			if text == "SELECT ? = ?, ? < 3" {
				args = append(args, 2)
			}
			check(text, args...)
		}
	}
}

// asking compares what s says with what a new connection says.
func asking(t *testing.T, s *gsql.Session) func(text string, args ...any) {
	return func(text string, args ...any) {
		t.Helper()
		other := s.DB().NewSession()
		defer other.Close()
		if got, want := asked(t, s, text, args), asked(t, other, text, args); got != want {
			t.Errorf("%s with %#v gives\n%s\nwant\n%s", text, args, got, want)
		}
		if len(args) > 1 { // what warns may be found not to matter, by a plan for the very values
			return
		}
		if got, want := fmt.Sprint(s.Warnings()), fmt.Sprint(other.Warnings()); got != want {
			t.Errorf("%s with %#v warns\n%s\nwant\n%s", text, args, got, want)
		}
	}
}

// TestPlansWithParametersServeAgain compares the lists of output columns, which all executions of
// one plan share, to find out whether the last two executions had the same plan.
func TestPlansWithParametersServeAgain(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range paramsSchema {
		sqltest.Run(t, s, text)
	}
	sqltest.Run(t, s, "CREATE TABLE skew (a INT, b INT)")
	sqltest.Run(t, s, "INSERT INTO skew WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM k WHERE i < 899) SELECT x.i * 900 + y.i, 0 FROM k x, k y WHERE x.i < 200")
	for _, tt := range []struct {
		text string
		args [][]any // of one execution after the other
		kept bool
	}{
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{1}, {2}, {3}, {77}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{1}, {2}, {3}, {"77"}}, false}, // another type
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{1}, {2}, {3}, {nil}}, false},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{nil}, {nil}, {nil}, {nil}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.s LIKE ?", [][]any{{"s%"}, {"s1%"}, {"s2%"}, {"%7"}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.g IN (?, 2)", [][]any{{1}, {2}, {3}, {4}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.d = ?", [][]any{{"2020-02-01"}, {"2020-02-01"}, {"2020-02-01"}, {"2020-02-01"}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.d = ?", [][]any{{"2020-02-01"}, {"2020-02-02"}, {"2020-02-03"}, {"2020-02-04"}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.d = ?", [][]any{{"2020-02-01"}, {"2020-02-02"}, {"2020-02-03"}, {"2020-02-04 05:00:00"}}, false}, // compared as another type
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.ts > ?", [][]any{{"2020-01-01"}, {"2020-01-02"}, {"2020-01-03"}, {"2020-01-04 05:00:00"}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.m > ?", [][]any{{1}, {2}, {3}, {-77}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.f = ?", [][]any{{1}, {2}, {3}, {77}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.f = ?", [][]any{{1}, {2}, {3}, {1<<60 + 1}}, false}, // no DOUBLE
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.w = ?", [][]any{{1}, {2}, {3}, {77}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.w = ?", [][]any{{1}, {2}, {3}, {-1}}, false}, // not UNSIGNED
		{"SELECT o.id + ? FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{1, 1}, {1, 2}, {1, 3}, {1, 4}}, true},
		{"SELECT o.id + ? FROM t JOIN o ON o.tid = t.id WHERE t.id = ?", [][]any{{1, 1}, {2, 2}, {3, 3}, {4, 4}}, false},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id > ? LIMIT ?", [][]any{{1, 5}, {2, 5}, {3, 5}, {4, 5}}, true},
		{"SELECT o.id FROM t JOIN o ON o.tid = t.id WHERE t.id > ? LIMIT ?", [][]any{{1, 5}, {2, 5}, {3, 5}, {4, 0}}, false},
		{"SELECT o.id FROM skew JOIN o ON o.tid = skew.a WHERE skew.a < ?", [][]any{{500}, {400}, {300}, {10}}, true},
		{"SELECT o.id FROM skew JOIN o ON o.tid = skew.a WHERE skew.a < ?", [][]any{{500}, {400}, {300}, {100000}}, false}, // too many rows
		{"SELECT o.id FROM skew JOIN o ON o.tid = skew.a WHERE skew.a < ?", [][]any{{500}, {100000}, {100000}, {300}, {400}, {500}}, true},
	} {
		other := s.DB().NewSession()
		var last, now *logical.Column
		for _, args := range tt.args {
			rows, err := other.Query(context.Background(), tt.text, args...)
			if err != nil {
				t.Fatal(err)
			}
			last, now = now, &inside.Plan(rows).Cols[0]
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if kept := last != nil && last == now; kept != tt.kept {
			t.Errorf("%s with %v: plan kept: %v, want %v", tt.text, tt.args, kept, tt.kept)
		}
		other.Close()
	}
}

// TestPlansWithParametersGiveWay changes what plans depend on between executions of queries,
// sent with arguments and as EXECUTE ... USING.
func TestPlansWithParametersGiveWay(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	other := s.DB().NewSession()
	defer other.Close()
	sqltest.Run(t, s, "CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2), (3, 4), (5, NULL)")
	sqltest.Run(t, s, "PREPARE q FROM 'SELECT * FROM t WHERE a >= ? AND b <> ?'; PREPARE p FROM 'SELECT a || ? FROM t WHERE a = ?'; PREPARE l FROM 'SELECT a FROM t WHERE a > ? ORDER BY a LIMIT ?'")
	for _, step := range []struct{ do, ask, want string }{
		{"SET @a = 1, @b = 0", "EXECUTE q USING @a, @b", "1,2,3,4"},
		{"SET @a = 2, @b = 0", "EXECUTE q USING @a, @b", "3,4"},
		{"SET @a = '2', @b = 0.0", "EXECUTE q USING @a, @b", "3,4"},
		{"SET @a = NULL", "EXECUTE q USING @a, @b", ""},
		{"SET @a = 1.5e0, @b = 2", "EXECUTE q USING @a, @b", "3,4"},
		{"SET @a = 1", "EXECUTE q USING @a, @b", "3,4"},
		{"other: INSERT INTO t VALUES (7, 8)", "EXECUTE q USING @a, @b", "3,4,7,8"},
		{"other: ALTER TABLE t ADD COLUMN c INT DEFAULT 5", "EXECUTE q USING @a, @b", "3,4,5,7,8,5"},
		{"other: ALTER TABLE t MODIFY COLUMN a VARCHAR(5)", "EXECUTE q USING @a, @b", "3,4,5,7,8,5"},
		{"SET @a = '5'", "EXECUTE q USING @a, @b", "7,8,5"},
		{"other: ALTER TABLE t MODIFY COLUMN a INT", "EXECUTE q USING @a, @b", "7,8,5"},
		{"START TRANSACTION", "EXECUTE q USING @a, @b", "7,8,5"},
		{"INSERT INTO t VALUES (9, 9, 9)", "EXECUTE q USING @a, @b", "7,8,5,9,9,9"},
		{"ROLLBACK", "EXECUTE q USING @a, @b", "7,8,5"},
		{"SET sql_mode = 'PIPES_AS_CONCAT'", "EXECUTE p USING @b, @a", "1"}, // p was prepared when || was OR
		{"PREPARE p FROM 'SELECT a || ? FROM t WHERE a = ?'", "EXECUTE p USING @b, @a", "52"},
		{"SET sql_mode = ''", "EXECUTE p USING @b, @a", "52"},
		{"SET @n = 2, @a = 0", "EXECUTE l USING @a, @n", "1,3"},
		{"SET @n = 0", "EXECUTE l USING @a, @n", ""},
		{"SET @n = 1, @a = 3", "EXECUTE l USING @a, @n", "5"},
		{"SET sql_select_limit = 0", "SELECT 1 FROM t LIMIT 1", "1"},
		{"SET sql_select_limit = DEFAULT", "EXECUTE l USING @a, @n", "5"},
		{"CREATE TEMPORARY TABLE t (a INT)", "EXECUTE l USING @a, @n", ""},
		{"DROP TEMPORARY TABLE t", "EXECUTE l USING @a, @n", "5"},
		{"CREATE DATABASE d; CREATE TABLE d.t (a INT); INSERT INTO d.t VALUES (70); USE d", "EXECUTE l USING @a, @n", "70"},
		{"USE gsql", "EXECUTE l USING @a, @n", "5"},
	} {
		by, do := s, step.do
		if len(do) > 7 && do[:7] == "other: " {
			by, do = other, do[7:]
		}
		sqltest.Run(t, by, do)
		for range 5 {
			if answer := sqltest.Values(sqltest.Rows(t, s, step.ask)); answer != step.want {
				t.Errorf("after %s: %s gives %s, want %s", step.do, step.ask, answer, step.want)
			}
		}
	}
	if _, err := sqltest.TryRows(s, "EXECUTE l USING @a"); err == nil {
		t.Error("a parameter too few is no error")
	}
}

// TestPlansWithParametersAtOnce has connections run the same queries with other arguments.
func TestPlansWithParametersAtOnce(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range paramsSchema {
		sqltest.Run(t, s, text)
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			c := s.DB().NewSession()
			defer c.Close()
			for i := range 60 {
				id := (i*7+w)%290 + 1
				rows, err := sqltest.TryRows(c, "SELECT t.id, COUNT(o.id) FROM t LEFT JOIN o ON o.tid = t.id WHERE t.id BETWEEN ? AND ? GROUP BY t.id", id, id+1)
				if err != nil || len(rows) != 2 || rows[0][0] != fmt.Sprint(id) || rows[1][0] != fmt.Sprint(id+1) {
					t.Errorf("from %d: %v, %v", id, rows, err)
				}
				if i%20 == 9 && w == 0 {
					if _, _, err := c.Exec(context.Background(), "INSERT INTO o VALUES (?, 9999, 'x')", i); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}
