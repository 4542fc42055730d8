package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestExportsComeBack writes a table of every type in every format and reads it again,
// as a file where it lies and through IMPORT INTO.
func TestExportsComeBack(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, sqltest.EveryType)
	want := sqltest.Rows(t, s, "SELECT * FROM v ORDER BY i8")
	for _, format := range []string{"csv", "csv.gz", "csv.zst", "tsv", "tsv.gz", "parquet", "parquet.zst", "arrow", "json", "ndjson.gz"} {
		t.Run(format, func(t *testing.T) {
			sqltest.Run(t, s, fmt.Sprintf("SELECT * FROM v INTO OUTFILE 'all.%s'", format))
			if _, err := sqltest.TryRows(s, fmt.Sprintf("SELECT 1 INTO OUTFILE 'all.%s'", format)); err == nil {
				t.Error("an existing file was replaced")
			}
			sqltest.Run(t, s, "CREATE TABLE back LIKE v")
			defer sqltest.Run(t, s, "DROP TABLE back")
			sqltest.Run(t, s, fmt.Sprintf("IMPORT INTO back FROM 'all.%s'", format))
			if got := sqltest.Rows(t, s, "SELECT * FROM back ORDER BY i8"); !reflect.DeepEqual(got, want) {
				t.Errorf("imported\n%v\nwant\n%v", got, want)
			}
			if strings.Contains(format, "sv") || strings.Contains(format, "json") {
				return // the sniffer need not find the declared types
			}
			if got := sqltest.Rows(t, s, fmt.Sprintf("SELECT * FROM `all.%s` ORDER BY i8", format)); !reflect.DeepEqual(got, want) {
				t.Errorf("read in place\n%v\nwant\n%v", got, want)
			}
		})
	}
}

func TestLoadData(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tabs.txt", "1\tash\t2024-01-01\n2\t\\N\t\\N\n3\ta\\tb\t2024-12-31\n")
	write("quoted.csv", "id;name;day\n1;'x;y';2024-01-01\n2;NULL;NULL\n")
	write("bad.csv", "1,ok,2024-01-01\nx,bad,2024-01-01\n3,ok,2024-02-30\n4,ok,2024-01-04\n")
	const make = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10), day DATE)"
	for _, c := range []struct{ load, want string }{
		{"LOAD DATA INFILE 'tabs.txt' INTO TABLE t", "1 | ash | 2024-01-01\n2 | NULL | NULL\n3 | a\tb | 2024-12-31\n"},
		{"LOAD DATA LOCAL INFILE 'quoted.csv' INTO TABLE t FIELDS TERMINATED BY ';' ENCLOSED BY '\\'' IGNORE 1 LINES", "1 | x;y | 2024-01-01\n2 | NULL | NULL\n"},
		{"LOAD DATA INFILE 'tabs.txt' INTO TABLE t (@n, name, @d) SET id = @n * 10, day = '2000-01-01'", "10 | ash | 2000-01-01\n20 | NULL | 2000-01-01\n30 | a\tb | 2000-01-01\n"},
		{"LOAD DATA INFILE 'bad.csv' IGNORE INTO TABLE t FIELDS TERMINATED BY ','", "1 | ok | 2024-01-01\n4 | ok | 2024-01-04\n"},
	} {
		sqltest.Run(t, s, make)
		sqltest.Run(t, s, c.load)
		if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM t ORDER BY id")); got != c.want {
			t.Errorf("%s\n%swant\n%s", c.load, got, c.want)
		}
		if strings.Contains(c.load, "IGNORE INTO") && len(s.Warnings()) != 0 {
			t.Error("SELECT keeps the warnings of the load")
		}
		sqltest.Run(t, s, "DROP TABLE t")
	}
	sqltest.Run(t, s, make)
	sqltest.Run(t, s, "LOAD DATA INFILE 'bad.csv' IGNORE INTO TABLE t FIELDS TERMINATED BY ','")
	warnings := sqltest.Lines(sqltest.Rows(t, s, "SHOW WARNINGS"))
	for _, part := range []string{"bad.csv", "line 2", "line 3", "'x'", "2024-02-30"} {
		if !strings.Contains(warnings, part) {
			t.Errorf("%q is not in the warnings\n%s", part, warnings)
		}
	}
	write("again.txt", "4\tnew\t\\N\n5\tfive\t\\N\n5\tfive again\t\\N\n")
	sqltest.Run(t, s, "LOAD DATA INFILE 'again.txt' IGNORE INTO TABLE t")
	if got, want := sqltest.Lines(sqltest.Rows(t, s, "SELECT id, name FROM t ORDER BY id")), "1 | ok\n4 | ok\n5 | five\n"; got != want {
		t.Errorf("IGNORE gave\n%swant\n%s", got, want)
	}
	sqltest.Run(t, s, "LOAD DATA INFILE 'again.txt' REPLACE INTO TABLE t")
	if got, want := sqltest.Lines(sqltest.Rows(t, s, "SELECT id, name FROM t ORDER BY id")), "1 | ok\n4 | new\n5 | five again\n"; got != want {
		t.Errorf("REPLACE gave\n%swant\n%s", got, want)
	}
	if _, err := sqltest.TryRows(s, "LOAD DATA INFILE 'again.txt' INTO TABLE t"); !errors.Is(err, sqlerr.DupEntry) {
		t.Errorf("keys again: %v", err)
	}
	sqltest.Run(t, s, "TRUNCATE TABLE t")
	if _, err := sqltest.TryRows(s, "LOAD DATA INFILE 'bad.csv' INTO TABLE t FIELDS TERMINATED BY ','"); err == nil || !strings.Contains(err.Error(), "2") {
		t.Errorf("a bad line without IGNORE: %v", err)
	}
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "0" {
		t.Errorf("a failed load left %v rows", got)
	}
}

// TestDirectoriesAsColumns queries and imports files in directories named key=value.
func TestDirectoriesAsColumns(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for i, name := range []string{"y=2023/m=01", "y=2023/m=02", "y=2024/m=01"} {
		if err := os.MkdirAll(filepath.Join(dir, "d", name), 0o700); err != nil {
			t.Fatal(err)
		}
		sqltest.Run(t, s, fmt.Sprintf("SELECT a + %d AS a, b FROM (VALUES ROW(1, 'x'), ROW(2, 'y'), ROW(3, 'x')) v (a, b) INTO OUTFILE 'd/%s/a.parquet'", 10*i, name))
	}
	sqltest.Run(t, s, "CREATE TABLE named (y INT, b TEXT, a INT, m INT)")
	sqltest.Run(t, s, "CREATE TABLE plain (c INT, d TEXT)")
	for _, c := range []struct{ sql, want string }{
		{"SELECT y, m, COUNT(*), SUM(a) FROM `d/**/*.parquet` GROUP BY y, m ORDER BY y, m", "[[2023 1 3 6] [2023 2 3 36] [2024 1 3 66]]"},
		{"SELECT SUM(a) FROM `d/*/*/*.parquet` WHERE m = 1 AND b = 'x'", "[[48]]"},
		{"SELECT COUNT(*) FROM `d/**/*.parquet` WHERE y = 2023", "[[6]]"},
		{"SELECT MAX(p.a) FROM `d/**/*.parquet` p JOIN `d/**/*.parquet` q ON p.y = q.y AND p.a = q.a + 1 WHERE q.m < 2", "[[23]]"},
		{"SELECT COUNT(*) FROM named", "[[0]]"},
		{"IMPORT INTO named FROM 'd/**/*.parquet'", ""},
		{"SELECT y, SUM(a), SUM(m) FROM named GROUP BY y ORDER BY y", "[[2023 42 9] [2024 66 3]]"},
		{"IMPORT INTO plain FROM 'd/**/*.parquet'", ""},
		{"SELECT SUM(c), COUNT(d) FROM plain", "[[108 9]]"},
	} {
		if c.want == "" {
			sqltest.Run(t, s, c.sql)
		} else if got := fmt.Sprint(sqltest.Rows(t, s, c.sql)); got != c.want {
			t.Errorf("%s: %s, want %s", c.sql, got, c.want)
		}
	}
}

// TestLoadCharacterSets loads bytes beyond ASCII by the character set that the statement names.
func TestLoadCharacterSets(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for name, text := range map[string]string{"l.txt": "caf\xe9\t1\n", "l.csv": "s;n\ncaf\xe9;2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sqltest.Run(t, s, "CREATE TABLE t (s VARCHAR(9), n INT)")
	sqltest.Run(t, s, "LOAD DATA INFILE 'l.txt' INTO TABLE t CHARACTER SET latin1")
	sqltest.Run(t, s, "IMPORT INTO t FROM 'l.csv' WITH character_set='LATIN1'")
	if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT s, n, CHAR_LENGTH(s) FROM t ORDER BY n")); got != "[[café 1 4] [café 2 4]]" {
		t.Error(got)
	}
	for _, sql := range []string{"LOAD DATA INFILE 'l.txt' INTO TABLE t CHARACTER SET gbk", "LOAD DATA INFILE 'l.txt' INTO TABLE t WITH thread=2"} {
		if _, _, err := s.Exec(context.Background(), sql); !errors.Is(err, sqlerr.NotSupportedYet) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestTextsOfFilesAreCopied runs queries that keep texts of files, whose memory is given back
// and made nonsense while they run, and compares with tables.
func TestTextsOfFilesAreCopied(t *testing.T) {
	mem.PoisonFreed()
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, `CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		SELECT a.i * 1000 + b.i AS id, CONCAT('a text of more than fifteen bytes ', MOD(a.i * 7 + b.i, 300)) AS name,
		CONCAT('x', MOD(a.i * b.i, 1013)) AS code, CONCAT_WS('/', a.i, b.i, 'some more to fill the chunks of the file') AS path
		FROM n a JOIN n b ON b.i <= 60 WHERE a.i <= 300`)
	sqltest.Run(t, s, "SELECT * FROM t INTO OUTFILE 't.csv'")
	sqltest.Run(t, s, "SELECT * FROM t INTO OUTFILE 't.parquet'")
	for _, query := range []string{
		"SELECT name, COUNT(*), MIN(path), MAX(code), COUNT(DISTINCT code) FROM %s GROUP BY name ORDER BY name",
		"SELECT code, GROUP_CONCAT(path ORDER BY path) FROM %s WHERE id < 60000 GROUP BY code ORDER BY code",
		"SELECT path, name FROM %s ORDER BY path DESC LIMIT 300",
		"SELECT SUM(CRC32(CONCAT(path, prev))) FROM (SELECT path, LAG(path) OVER (PARTITION BY code ORDER BY path) AS prev FROM %s) x",
		"SELECT COUNT(*), SUM(CRC32(path)), MAX(name) FROM (SELECT DISTINCT path, name FROM %s) x",
		"SELECT a.name, MIN(b.path), MAX(a.path) FROM %[1]s a JOIN %[1]s b ON a.path = b.path AND a.code <> b.name GROUP BY a.name ORDER BY 1 LIMIT 50",
		"SELECT COUNT(*), MIN(path) FROM %[1]s WHERE path IN (SELECT MAX(path) FROM %[1]s GROUP BY name)",
		"WITH w AS (SELECT name, code, path FROM %s WHERE MOD(id, 3) = 0) SELECT COUNT(*), MIN(a.path), MAX(b.path) FROM w a JOIN w b ON a.path = b.path",
		"SELECT name, path FROM %[1]s WHERE id < 3000 UNION SELECT code, path FROM %[1]s WHERE id > 250000 ORDER BY 1, 2 LIMIT 500",
	} {
		want := sqltest.Lines(sqltest.Rows(t, s, fmt.Sprintf(query, "t")))
		for _, file := range []string{"`t.csv`", "`t.parquet`"} {
			if got := sqltest.Lines(sqltest.Rows(t, s, fmt.Sprintf(query, file))); got != want {
				t.Errorf("%s\nof %s is\n%.1000s\nnot\n%.1000s", query, file, got, want)
			}
		}
	}
	const check = "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('/', id, name, code, path))), MIN(path), MAX(path), MIN(name), COUNT(DISTINCT code) FROM %s"
	want := sqltest.Lines(sqltest.Rows(t, s, fmt.Sprintf(check, "t")))
	for i, load := range []string{
		"CREATE TABLE l%d AS SELECT * FROM `t.%s`",
		"CREATE TABLE l%d AS SELECT * FROM `t.%s` WHERE path <> name",
		"CREATE TABLE l%d (id BIGINT, name VARCHAR(60), code VARCHAR(9), path VARCHAR(99) UNIQUE); IMPORT INTO l%[1]d FROM 't.%s'",
		"CREATE TABLE l%d (id INT PRIMARY KEY, name TEXT, code VARCHAR(9), path VARCHAR(99)); INSERT INTO l%[1]d SELECT * FROM `t.%s`",
		"CREATE TABLE l%d (id INT, name TEXT, code TEXT, path TEXT, more TEXT AS (REPLACE(path, 'a', 'b')), CHECK (name REGEXP '^a')); INSERT INTO l%[1]d (id, name, code, path) SELECT id, name, code, path FROM `t.%s`",
	} {
		for k, format := range []string{"csv", "parquet"} {
			for _, statement := range strings.Split(fmt.Sprintf(load, 2*i+k, format), "; ") {
				sqltest.Run(t, s, statement)
			}
			if got := sqltest.Lines(sqltest.Rows(t, s, fmt.Sprintf(check, fmt.Sprintf("l%d", 2*i+k)))); got != want {
				t.Errorf("%s of %s has\n%s\nnot\n%s", load, format, got, want)
			}
		}
	}
}

// TestDescribeDates shows how a file's dates are read, and imports them.
func TestDescribeDates(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte("id,day\n1,13/06/2019\n2,01/02/2020\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sqltest.Rows(t, s, "DESCRIBE `d.csv`")); !strings.Contains(got, "[day date YES  NULL dates as day/month/year]") {
		t.Error(got)
	}
	sqltest.Run(t, s, "CREATE TABLE t (id INT, day DATE)")
	sqltest.Run(t, s, "IMPORT INTO t FROM 'd.csv'")
	sqltest.Run(t, s, "CREATE TABLE u AS SELECT * FROM `d.csv`")
	for _, name := range []string{"t", "u"} {
		if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT day FROM "+name+" WHERE id = 2")); got != "[[2020-02-01]]" {
			t.Errorf("%s: %s", name, got)
		}
		if got := fmt.Sprint(sqltest.Rows(t, s, "DESCRIBE "+name)); strings.Contains(got, "dates as") {
			t.Error(got)
		}
	}
}
