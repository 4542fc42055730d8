package memory_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// Statements that make much of few rows. {n} is a number of bytes; LIST is the text of a JSON array
// of about as many bytes.
var hostile = map[string][]string{
	"text": {
		"HEX(REPEAT('a', {n}))", "UNHEX(REPEAT('61', {n}))", "TO_BASE64(REPEAT('a', {n}))", "FROM_BASE64(REPEAT('YWFh', {n} DIV 4))", "LPAD('a', {n}, 'xyz')", "RPAD('a', {n} DIV 2, 'ä')",
		"CONCAT(REPEAT('a', {n}), REPEAT('b', {n}))", "CONCAT_WS(',', REPEAT('a', {n}), REPEAT('b', {n}), 'c')", "REPLACE(REPEAT('a', {n}), 'a', 'bcd')", "REPLACE(REPEAT('a', {n} DIV 100), 'a', REPEAT('b', 100))",
		"QUOTE(REPEAT('''', {n}))", "INSERT(REPEAT('a', {n}), 2, 0, REPEAT('b', {n}))", "UPPER(REPEAT('a', {n}))", "LOWER(REPEAT('Ä', {n} DIV 2))", "REVERSE(REPEAT('ab', {n} DIV 2))",
		"SUBSTRING_INDEX(REPEAT('a,', {n} DIV 2), ',', -3)", "MAKE_SET(7, REPEAT('a', {n}), REPEAT('b', {n}), 'x')", "EXPORT_SET(-1, REPEAT('a', {n} DIV 64), 'b', ',', 63)", "ELT(1, REPEAT('a', {n}), REPEAT('b', {n}))",
		"SOUNDEX(REPEAT('bc', {n} DIV 2))", "SHA2(REPEAT('c', {n}), 512)", "COMPRESS(REPEAT('a', {n}))", "COMPRESS(RANDOM_BYTES(1000))", "UNCOMPRESS(COMPRESS(REPEAT('a', {n})))", "AES_DECRYPT(AES_ENCRYPT(REPEAT('a', {n}), 'k'), 'k')",
		"WEIGHT_STRING(REPEAT('a', {n}))", "CONV(REPEAT('1', {n}), 10, 16)", "FORMAT(REPEAT('1', {n}), 2)", "DATE_FORMAT('2020-01-01', REPEAT('%W', {n} DIV 9))", "TIME_FORMAT('10:11:12', REPEAT('%r', {n} DIV 11))",
		"STR_TO_DATE(REPEAT('1', {n}), REPEAT('%d', {n} DIV 2))", "CAST(REPEAT('a', {n}) AS BINARY(20000000))", "CAST(REPEAT('1', {n}) AS DECIMAL(30, 3))", "CAST(REPEAT('1:', {n} DIV 2) AS TIME)",
		"CAST(REPEAT('a', {n}) AS BINARY) | CAST(REPEAT('b', {n}) AS BINARY)", "GREATEST(REPEAT('a', {n}), REPEAT('b', {n}))", "UUID_TO_BIN(REPEAT('a', {n}))", "(@x := REPEAT('a', {n}))",
	},
	"compared": {
		"REPEAT('a', {n}) = REPEAT('A', {n}) COLLATE utf8mb4_0900_ai_ci", "REPEAT('ä', {n} DIV 2) < REPEAT('Ä', {n} DIV 2) COLLATE utf8mb4_0900_as_ci", "STRCMP(REPEAT('a', {n}), REPEAT('A', {n}))",
		"REPEAT('a', {n}) IN (REPEAT('b', {n}), REPEAT('c', {n}))", "CASE REPEAT('a', {n}) WHEN REPEAT('b', {n}) THEN 1 END",
		"'abc' LIKE REPEAT('%_', {n} DIV 2)", "'abc' LIKE REPEAT('_', {n})", "'abc' LIKE REPEAT('%a', {n} DIV 2)", "'abc' LIKE REPEAT('a', {n})", "'abc' NOT LIKE REPEAT('|%_', {n} DIV 3) ESCAPE '|'",
		"REPEAT('aB', {n} DIV 2) LIKE '%a%c' COLLATE utf8mb4_0900_ai_ci", "'abc' LIKE REPEAT('_b', {n} DIV 2) COLLATE utf8mb4_0900_ai_ci",
		"'abc' REGEXP REPEAT('a', {n})", "'abc' REGEXP REPEAT('(a|b)*', {n} DIV 6)", "'abc' REGEXP '(a{1000}b{1000}){400}'", "REPEAT('a', {n}) REGEXP 'b$'",
		"REGEXP_REPLACE(REPEAT('a', {n}), 'aaaa', 'bcdefghi')", "REGEXP_REPLACE(REPEAT('a', {n} DIV 2), 'a+', '$0$0')", "REGEXP_REPLACE('aa', 'a', REPEAT('$0', {n} DIV 2))", "REGEXP_SUBSTR(REPEAT('a', {n}), 'a*')",
	},
	"json": {
		"JSON_PRETTY(LIST)", "JSON_LENGTH(LIST)", "JSON_LENGTH(CONCAT('[', REPEAT('{},', {n} DIV 3), '1]'))", "JSON_LENGTH(CONCAT('[', REPEAT('{\"a\":1},', {n} DIV 8), '1]'))", "JSON_LENGTH(CONCAT('[', REPEAT('\"\",', {n} DIV 3), '1]'))",
		"JSON_LENGTH(CONCAT('\"', REPEAT('\\\\\\\\', {n} DIV 2), '\"'))", "JSON_DEPTH(LIST)", "JSON_VALID(LIST)", "JSON_VALID(REPEAT('[', {n}))", "JSON_EXTRACT(LIST, '$**[0]')", "JSON_EXTRACT(LIST, '$[*]')", "JSON_EXTRACT(LIST, '$', '$', '$')",
		"JSON_EXTRACT(LIST, '$[last]')", "JSON_EXTRACT(CONCAT('{\"', REPEAT('k', {n} DIV 4), '\":', LIST, '}'), '$**.a')", "JSON_MERGE_PRESERVE(LIST, LIST)", "JSON_MERGE_PATCH(LIST, LIST)", "JSON_SET(LIST, '$[0]', 7)", "JSON_REMOVE(LIST, '$[0]')",
		"JSON_ARRAY_APPEND(LIST, '$', 7)", "JSON_ARRAY(REPEAT('a', {n}), REPEAT('b', {n}))", "JSON_OBJECT('k', REPEAT('a', {n}), REPEAT('b', {n}), 1)", "JSON_QUOTE(REPEAT('\"', {n}))", "JSON_UNQUOTE(CONCAT('\"', REPEAT('\\\\n', {n} DIV 2), '\"'))",
		"JSON_CONTAINS(LIST, '2')", "JSON_OVERLAPS(LIST, '[2]')", "2 MEMBER OF (LIST)", "JSON_SEARCH(CONCAT('[', REPEAT('\"a\",', {n} DIV 4), '1]'), 'all', 'a')", "JSON_SEARCH('[\"a\"]', 'all', REPEAT('%_', {n} DIV 2))",
		"JSON_KEYS(CONCAT('{\"', REPEAT('a', {n}), '\": 1}'))", "CAST(LIST AS JSON)", "CAST(CAST(LIST AS JSON) AS SIGNED)", "CAST(LIST AS JSON) = CAST('[1]' AS JSON)", "JSON_EXTRACT('[1]', CONCAT('$', REPEAT('**[0]', {n} DIV 5)))",
		"CAST(CONCAT('{\"b\":1', REPEAT(',\"a\":1', {n} DIV 6), '}') AS JSON)",
	},
	"rows": {
		"SELECT LENGTH(GROUP_CONCAT(REPEAT('a', {n} DIV 20))) FROM t", "SELECT LENGTH(GROUP_CONCAT(DISTINCT REPEAT(s, {n} DIV 100) ORDER BY i DESC SEPARATOR 'xx')) FROM t", "SELECT LENGTH(JSON_ARRAYAGG(REPEAT('a', {n} DIV 20))) FROM t",
		"SELECT LENGTH(JSON_OBJECTAGG(i, REPEAT('a', {n} DIV 20))) FROM t", "SELECT LENGTH(MAX(REPEAT(s, {n} DIV 5))) FROM t", "SELECT REPEAT('a', {n}), REPEAT('b', {n})", "SELECT REPEAT(s, {n} DIV 4) FROM t",
		"SELECT s LIKE CONCAT(s, REPEAT('%a', {n} DIV 2)) FROM t", "SELECT s REGEXP CONCAT(s, REPEAT('[a-z]', {n} DIV 5)) FROM t", "SELECT HEX(REPEAT(s, {n} DIV 4)) FROM t ORDER BY 1", "SELECT LENGTH(REPEAT('a', {n})) FROM information_schema.columns LIMIT 3",
	},
	"statements": {
		"SET @x = REPEAT('a', {n}); SET @y = CONCAT(@x, @x); SELECT LENGTH(@y)", "SET @x = REPEAT('a', {n}); PREPARE p FROM 'SELECT LENGTH(HEX(?))'; EXECUTE p USING @x",
		"SET @x = CONCAT('SELECT ', REPEAT('1,', {n} DIV 4), '1'); PREPARE p FROM @x; EXECUTE p", "SET @x = CONCAT('SELECT ', REPEAT('1+', {n} DIV 4), '1'); PREPARE p FROM @x; EXECUTE p",
		"SET @x = CONCAT('SELECT ', REPEAT('1,', 9000), '1'); PREPARE p FROM @x; EXECUTE p", "SET @x = CONCAT('SELECT 1 IN (', REPEAT('1,', 40000), '1)'); PREPARE p FROM @x; EXECUTE p",
		"SET @x = CONCAT('SELECT LENGTH(''', REPEAT('a', {n} DIV 6), ''')'); PREPARE p FROM @x; EXECUTE p", "SET @x = CONCAT('/*', REPEAT('a', {n} DIV 4), '*/ SELECT 1'); PREPARE p FROM @x; EXECUTE p", "SET @x = REPEAT('(', {n} DIV 2); PREPARE p FROM @x",
		"SET @x = CONCAT('INSERT INTO t (i) VALUES ', REPEAT('(1),', 60000), '(1)'); PREPARE p FROM @x; EXECUTE p", "EXPLAIN SELECT HEX(REPEAT('a', {n}))", "EXPLAIN ANALYZE SELECT HEX(REPEAT('a', {n}))",
		"SET @x = CONCAT('EXPLAIN SELECT ''', REPEAT('a', {n} DIV 6), ''', i FROM t'); PREPARE p FROM @x; EXECUTE p", "SET @x = CONCAT('CREATE VIEW z AS SELECT ''', REPEAT('a', {n} DIV 6), ''' AS a'); PREPARE p FROM @x; EXECUTE p; SHOW CREATE VIEW z; SELECT * FROM information_schema.views",
		"CREATE TABLE z AS SELECT REPEAT('a', {n}) AS a; SELECT LENGTH(HEX(a)) FROM z; UPDATE z SET a = REVERSE(a)", "CREATE TABLE z (a INT, b LONGTEXT AS (REPEAT('a', a)) STORED); INSERT INTO z (a) VALUES ({n}), ({n}), ({n})",
		"CREATE TABLE z (a INT, b LONGTEXT AS (REPEAT('a', a))); INSERT INTO z (a) SELECT {n} DIV 4 FROM t; SELECT COUNT(b) FROM z", "CREATE TABLE z (a INT, CHECK (LENGTH(HEX(REPEAT('a', a))) > 0)); INSERT INTO z (a) VALUES ({n}), ({n}), ({n})",
		"CREATE TABLE z (i INT); INSERT INTO z SELECT {n} DIV 4 FROM t; ALTER TABLE z ADD COLUMN b LONGTEXT AS (REPEAT('a', i)) STORED", "CREATE TABLE z (a INT DEFAULT (LENGTH(HEX(REPEAT('a', {n}))))); INSERT INTO z () VALUES (), (), ()",
		"CREATE TABLE z (j JSON); INSERT INTO z VALUES (LIST); SELECT JSON_LENGTH(j) FROM z", "CREATE TABLE z (a VARCHAR(100)); INSERT INTO z VALUES (REPEAT('a', {n}))", "SET sql_mode = REPEAT('ANSI,', {n} DIV 5)", "SET gsql_disable_rules = REPEAT('A,', {n} DIV 2)",
	},
}

const list = "CONCAT('[', REPEAT('1,', {n} DIV 2), '1]')"

// TestHostileStatements runs statements that make huge texts and values under small limits. In a
// process of its own, the peak of its memory grows by at most 1.5 times the limit and 30 MB.
func TestHostileStatements(t *testing.T) {
	sqltest.NotForRaces(t)
	if limit := alone(t, "GSQL_TEST_HOSTILE", []string{"32", "64"}); limit != "" {
		mb, err := strconv.ParseInt(limit, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		runHostile(t, mb<<20)
	}
}

// alone runs the test in a process of its own for each of the values, which it finds in a variable of
// its environment. In such a process it returns the value, and otherwise nothing.
func alone(t *testing.T, variable string, values []string) string {
	t.Helper()
	if value := os.Getenv(variable); value != "" {
		return value
	}
	if resetPeak() != nil {
		t.Skip("this system does not tell the peak of a process's memory anew")
	}
	for _, value := range values {
		c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), variable+"="+value, "GOGC=", "GOMEMLIMIT=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s=%s: %v\n%s", variable, value, err, out)
		}
	}
	return ""
}

// mostGrowth is the most by which a process may grow under a limit.
func mostGrowth(limit int64) int64 { return limit*3/2 + 30<<20 }

// runHostile runs the statements with texts of a fifth and of half the limit.
func runHostile(t *testing.T, limit int64) {
	worst, number := int64(0), 0
	for kind, all := range hostile {
		for i, text := range all {
			if os.Getenv("GSQL_FOR") == "" && i%5 > 0 {
				continue // a fifth of them; make random runs all
			}
			switch kind {
			case "text", "compared", "json":
				text = "SELECT LENGTH(" + text + ")"
			}
			text = strings.ReplaceAll(text, "LIST", list)
			for _, part := range []int64{5, 2} {
				text := strings.ReplaceAll(text, "{n}", fmt.Sprint(limit/part))
				most := mostGrowth(limit)
				grown := peakOf(t, limit, text)
				for try := 1; grown > most && try < 3; try++ { // the garbage collector may have been late
					grown = min(grown, peakOf(t, limit, text))
				}
				worst, number = max(worst, grown), number+1
				if grown > most {
					t.Errorf("%.150s: the process grew by %d MB under a limit of %d MB", text, grown>>20, limit>>20)
				}
			}
		}
	}
	t.Logf("%d statements under %d MB: the process grew by at most %d MB", number, limit>>20, worst>>20)
}

// peakOf runs a text in a new database and returns by how much the process's memory grew. An error must
// be one that a user can understand.
func peakOf(t *testing.T, limit int64, text string) int64 {
	t.Helper()
	db, err := gsql.Open(gsql.Config{MemoryLimit: limit, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	sqltest.Run(t, s, "CREATE TABLE t (i INT, s TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'bc'), (3, NULL), (4, 'd'), (5, 'e'); SET group_concat_max_len = 1000000000")
	return growth(t, text, func() error { _, _, err := s.Exec(context.Background(), text); return err })
}

// growth runs a text and returns by how much the process's memory grew.
func growth(t *testing.T, text string, run func() error) int64 {
	t.Helper()
	for range 3 { // pools and cleanups keep memory beyond one collection
		debug.FreeOSMemory()
	}
	before := memoryNow(t, "VmRSS:")
	if err := resetPeak(); err != nil {
		t.Fatal(err)
	}
	if code := sqltest.Code(run()); code == sqlerr.InternalError || code == sqlerr.UnknownError {
		t.Errorf("%.150s: error %d", text, code)
	}
	return memoryNow(t, "VmHWM:") - before
}

// resetPeak makes the system measure the peak of the process's memory from now on.
func resetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// memoryNow returns an entry of the process's status in bytes.
func memoryNow(t *testing.T, name string) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name)
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
