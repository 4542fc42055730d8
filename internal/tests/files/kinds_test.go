package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// folderWith returns a folder with files.
func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func copied(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "storage", "files", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestKindsOfFiles queries JSON, Excel and SQLite files, their hidden columns, and files with options in
// their names.
func TestKindsOfFiles(t *testing.T) {
	dir := folderWith(t, map[string]string{
		"a.ndjson": `{"id":1,"tags":["x","y"],"at":{"city":"Ulm"}}` + "\n" + `{"id":2,"at":{"city":"Bonn"}}` + "\n",
		"b.ndjson": `{"id":3,"extra":"2024-05-06"}`,
		"c.txt":    "1|a\n2|b\n",
		"d.csv":    "filename,n\nown,1\n", "e.csv": "k\n1\n", "f.csv": "k\n1\n",
		"book.xlsx": copied(t, "book.xlsx"), "shop.sqlite": copied(t, "shop.sqlite"),
	})
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, "CREATE TABLE t (id INT, tags JSON, at JSON); CREATE TABLE filename (n INT)")
	for _, c := range []struct{ sql, want string }{
		{"SELECT id, tags->>'$[1]', at->>'$.city' FROM `a.ndjson`", "1,y,Ulm|2,NULL,Bonn"},
		{"SELECT * FROM `a.ndjson`", "1,[\"x\", \"y\"],Ulm|2,NULL,Bonn"},
		{"SELECT id FROM `a.ndjson` WHERE `at.city` = 'Bonn'", "2"},
		{"SELECT at.city, f.at.city, at FROM `a.ndjson` f WHERE at.city LIKE 'U%'", "Ulm,Ulm,{\"city\": \"Ulm\"}"},
		{"SELECT at.city FROM `a.ndjson` JOIN t at ON at.id < 0", "ERROR 1054 (42S22): Unknown column 'at.city'"}, // at is a table
		{"SELECT at.city, COUNT(*) FROM `a.ndjson` GROUP BY at.city HAVING at.city < 'C' ORDER BY at.city", "Bonn,1"},
		{"SELECT at FROM `a.ndjson?paths=no` WHERE id = 1", "{\"city\": \"Ulm\"}"},
		{"SELECT * FROM `b.ndjson`", "3,2024-05-06"},
		{"SELECT id, extra, filename LIKE '%b.ndjson', file_row_number FROM `?.ndjson` ORDER BY id", "1,NULL,0,1|2,NULL,0,2|3,2024-05-06,1,1"},
		{"SELECT id FROM `a.ndjson` WHERE file_row_number = 2 AND filename LIKE '%a.ndjson'", "2"},
		{"SELECT COUNT(*) FROM `a.ndjson` a JOIN `a.ndjson` b ON a.file_row_number = b.file_row_number", "2"},
		{"SELECT COUNT(*) FROM `a.ndjson` NATURAL JOIN `b.ndjson`", "0"}, // by id alone
		{"SELECT COUNT(*) FROM `e.csv` NATURAL JOIN `f.csv`", "1"},       // by k, not by the paths
		{"SELECT COUNT(*) FROM `e.csv` JOIN `f.csv` USING (k, file_row_number)", "1"},
		{"SELECT filename, n FROM `d.csv`", "own,1"},
		{"SELECT filename FROM `d.csv` JOIN `c.txt?delimiter=|&header=no` c", "own|own"},
		{"SELECT * FROM `c.txt?delimiter=|&header=no&columns=k,v&types=k:decimal(3,1)` WHERE k > 1", "2.0,b"},
		{"SELECT COUNT(*), SUM(score) > 1e299 FROM `book.xlsx`", "3,1"},
		{"SELECT o.id, v.twice FROM `shop.sqlite/orders` o JOIN `shop.sqlite/v` v ON v.twice = 2 * o.id WHERE o.amount > 9", "1,2|2,4"},
		{"SELECT COUNT(*) FROM information_schema.columns WHERE column_name = 'file_row_number'", "0"},
	} {
		rows := []string{}
		list, err := sqltest.TryRows(s, c.sql)
		if err != nil {
			if !strings.HasPrefix(c.want, "ERROR") || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.sql, err, c.want)
			}
			continue
		}
		for _, r := range list {
			rows = append(rows, strings.Join(r, ","))
		}
		if got := strings.Join(rows, "|"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
	sqltest.Run(t, s, "IMPORT INTO t FROM 'a.ndjson'")
	if got := sqltest.Rows(t, s, "SELECT SUM(id), MAX(at->>'$.city') FROM t"); got[0][0] != "3" || got[0][1] != "Ulm" {
		t.Errorf("imported %v", got)
	}
	sqltest.Run(t, s, "CREATE TABLE alike LIKE `a.ndjson`; INSERT INTO alike SELECT * FROM `a.ndjson`")
	if got := sqltest.Rows(t, s, "SHOW CREATE TABLE `a.ndjson`"); strings.Contains(got[0][1], "filename") {
		t.Errorf("SHOW CREATE TABLE shows %v", got)
	}
	sqltest.Run(t, s, "CREATE TABLE cities (id INT, tags JSON, `at.city` TEXT); IMPORT INTO cities FROM 'a.ndjson'; CREATE TABLE byplace (x INT, y JSON, z JSON); IMPORT INTO byplace FROM 'a.ndjson'")
	if got := sqltest.Rows(t, s, "SELECT MAX(`at.city`), (SELECT MAX(z->>'$.city') FROM byplace) FROM cities"); got[0][0] != "Ulm" || got[0][1] != "Ulm" {
		t.Errorf("imported %v", got)
	}
	names := sqltest.Rows(t, s, "DESCRIBE `a.ndjson`")
	if len(names) != 3 || names[2][0] != "at.city" || names[2][1] != "text" {
		t.Errorf("DESCRIBE shows %v", names)
	}
	sqltest.Run(t, s, "SELECT id, id % 2 AS odd, 'x' AS x FROM t INTO OUTFILE 'out.parquet?partition=odd'")
	if got := sqltest.Rows(t, s, "SELECT odd, id, x FROM `**/out.parquet` ORDER BY 1"); len(got) != 2 || strings.Join(got[1], ",") != "1,1,x" {
		t.Errorf("partitions %v", got)
	}
	if _, err := sqltest.TryRows(s, "SELECT 1 INTO OUTFILE 'x.xlsx'"); !errors.Is(err, sqlerr.NotSupportedYet) {
		t.Errorf("an Excel file was written: %v", err)
	}
}

// TestFencedKinds checks that readers of every kind obey Config.FileAccess.
func TestFencedKinds(t *testing.T) {
	outside := folderWith(t, map[string]string{"a.json": `{"a":1}`, "book.xlsx": copied(t, "book.xlsx"), "shop.sqlite": copied(t, "shop.sqlite")})
	s := sqltest.Open(t, gsql.Config{Dir: t.TempDir(), FileAccess: gsql.FilesBelow(t.TempDir())})
	for _, name := range []string{outside + "/a.json", outside + "/a.json?types=a:text", outside + "/book.xlsx", outside + "/shop.sqlite/orders", "-", "~/a.json", outside + "/*.json"} {
		refusedFile(t, s, "SELECT * FROM `"+name+"`", "shop", "People")
	}
	refusedFile(t, s, "SELECT 1 AS a, 2 AS b INTO OUTFILE '"+outside+"/x.json?partition=a'")
}
