package files_test

import (
	"fmt"
	"reflect"
	"testing"

	"gsql"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
)

// TestLoadedTexts loads Parquet files, whose texts are read into memory that is used again,
// into tables of several kinds: these have the texts of the table that the file was written from.
func TestLoadedTexts(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{Dir: t.TempDir(), Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE t AS WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 299) "+
		"SELECT id, CONCAT('text ', id * 7919 % 90001) AS s, NULLIF(CONCAT('d', id % 5), 'd3') AS d, CONCAT('%', id % 10, '_') AS p FROM (SELECT a.i * 300 + b.i AS id FROM n a, n b) x")
	sqltest.Run(t, s, "SELECT * FROM t ORDER BY id INTO OUTFILE 't.parquet'")
	const sums = "SELECT COUNT(*), SUM(CRC32(s)), SUM(CRC32(d)), SUM(CRC32(p)), MIN(s), MAX(s), MIN(d), COUNT(DISTINCT s), COUNT(DISTINCT p) FROM "
	want := sqltest.Rows(t, s, sums+"t")
	for name, load := range map[string]string{
		"as it is":  "CREATE TABLE %s AS SELECT * FROM `t.parquet`",
		"reordered": "CREATE TABLE %s AS SELECT p, s, id, d FROM `t.parquet`",
		"all kept":  "CREATE TABLE %s AS SELECT * FROM `t.parquet` WHERE s LIKE '%%' AND id >= 0",
		"computed":  "CREATE TABLE %s AS SELECT id, CONCAT(s, '') AS s, d, REPLACE(p, '#', '') AS p FROM `t.parquet`",
		"unique":    "CREATE TABLE %s (id INT PRIMARY KEY, s VARCHAR(40) UNIQUE, d VARCHAR(3), p CHAR(5)) AS SELECT * FROM `t.parquet`",
		"checked":   "CREATE TABLE %s (id INT, s VARCHAR(40), d VARCHAR(3), p VARCHAR(5), g VARCHAR(40) AS (REGEXP_REPLACE(s, p, s)) STORED, CHECK (s NOT LIKE CONCAT(p, 'x'))) AS SELECT id, s, d, p FROM `t.parquet`",
	} {
		t.Run(name, func(t *testing.T) {
			sqltest.Run(t, s, "DROP TABLE IF EXISTS b")
			sqltest.Run(t, s, fmt.Sprintf(load, "b"))
			if got := sqltest.Rows(t, s, sums+"b"); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			equal := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t JOIN b ON t.id = b.id WHERE t.s = b.s AND t.d <=> b.d AND t.p = b.p")
			if !reflect.DeepEqual(equal, [][]string{{"90000"}}) {
				t.Errorf("%v rows are equal", equal)
			}
		})
	}
}
