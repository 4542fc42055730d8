package memory_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestRulesCount: texts that generated columns and CHECK compute count, until the rows are stored.
func TestRulesCount(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	used := func() int64 { return inside.Of(s.DB()).MemoryUsed() }
	sqltest.Run(t, s, "SET gsql_memory_limit = '16MB'")
	for _, c := range []struct{ table, insert string }{
		{"a INT, b LONGTEXT AS (REPEAT('x', a)) VIRTUAL", "INSERT INTO z (a) VALUES (%d), (%[1]d), (%[1]d)"},
		{"a INT, b LONGTEXT AS (REPEAT('x', a)) STORED", "INSERT INTO z (a) SELECT %d UNION ALL SELECT %[1]d UNION ALL SELECT %[1]d"},
		{"a INT PRIMARY KEY, b LONGTEXT AS (REPEAT('x', a)) STORED", "INSERT INTO z (a) VALUES (%d), (%[1]d + 1), (%[1]d + 2) ON DUPLICATE KEY UPDATE a = 0"},
		{"a INT, CHECK (LENGTH(HEX(REPEAT('x', a))) >= 0)", "INSERT INTO z (a) VALUES (%d), (%[1]d), (%[1]d)"},
	} {
		sqltest.Run(t, s, "CREATE TABLE z ("+c.table+")")
		empty := used()
		outOfMemory(t, s, fmt.Sprintf(c.insert, 20_000_000))
		if n := used(); n != empty {
			t.Errorf("%s: %d bytes are held after an error, %d before", c.table, n, empty)
		}
		sqltest.Run(t, s, fmt.Sprintf(c.insert, 1_200_000))
		if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM z")[0][0]; got != "3" {
			t.Errorf("%s: %s rows", c.table, got)
		}
		sqltest.Run(t, s, "DROP TABLE z")
	}
	// Many rows of 20 KB are more than the limit, but no more are computed at a time than fit.
	sqltest.Run(t, s, "CREATE TABLE z (a INT, b TEXT AS (REPEAT('x', a)) STORED)")
	for range 4 {
		sqltest.Run(t, s, "INSERT INTO z (a) "+sqltest.Series(1, 600)+" SELECT 20000 FROM r")
	}
	sqltest.Run(t, s, "CREATE TABLE y AS SELECT a FROM z; ALTER TABLE y ADD COLUMN b LONGTEXT AS (REPEAT('y', a DIV 20)) STORED")
	if got := sqltest.Rows(t, s, "SELECT COUNT(*), SUM(LENGTH(z.b)) FROM z"); fmt.Sprint(got[0]) != "[2400 48000000]" {
		t.Error(got)
	}
	sqltest.Run(t, s, "DROP TABLE y; DROP TABLE z")
}

// TestAlterCounts: a column that ALTER TABLE computes counts.
func TestAlterCounts(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "SET gsql_memory_limit = '16MB'; CREATE TABLE y AS SELECT 8000000 AS a UNION ALL SELECT 8000000 UNION ALL SELECT 8000000")
	before := inside.Of(s.DB()).MemoryUsed()
	outOfMemory(t, s, "ALTER TABLE y ADD COLUMN b LONGTEXT AS (REPEAT('y', a)) STORED")
	if n := inside.Of(s.DB()).MemoryUsed(); n != before {
		t.Errorf("%d bytes are held after an error, %d before", n, before)
	}
	sqltest.Run(t, s, "ALTER TABLE y ADD COLUMN b LONGTEXT AS (REPEAT('y', a DIV 10)) STORED")
}

// TestStatementsCount: long statements count until they have run, and prepared ones until they are
// deallocated.
func TestStatementsCount(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	list := func(n int) string { return "SELECT 1 IN (" + strings.Repeat("2,", n) + "1)" }
	sqltest.Run(t, s, "SET gsql_memory_limit = '16MB'")
	outOfMemory(t, s, list(100_000))
	if got := sqltest.Rows(t, s, list(10_000))[0][0]; got != "1" {
		t.Errorf("1 IN (2, ..., 1) is %s", got)
	}
	if n := inside.Of(s.DB()).MemoryUsed(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
	text := "SELECT '" + strings.Repeat("x", 1<<20) + "'"
	for range 3 { // instead of each other
		sqltest.Run(t, s, "SET @x = ?", text)
		sqltest.Run(t, s, "PREPARE p FROM @x; SET @x = NULL")
	}
	if n := inside.Of(s.DB()).MemoryUsed(); n != int64(len(text)) {
		t.Errorf("%d bytes are held for a statement of %d", n, len(text))
	}
	sqltest.Run(t, s, "DEALLOCATE PREPARE p")
	if n := inside.Of(s.DB()).MemoryUsed(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
	if _, _, err := s.Exec(context.Background(), "SET gsql_disable_rules = REPEAT('a', 100000)"); sqltest.Code(err) != sqlerr.WrongValueForVar {
		t.Error(err)
	}
}

// TestRegisteredRecordsCount: records that a program registers are its own, but sampled rows and
// converted dictionaries count.
func TestRegisteredRecordsCount(t *testing.T) {
	const n = 1 << 20
	values := array.NewInt64Builder(memory.DefaultAllocator)
	codes := array.NewInt32Builder(memory.DefaultAllocator)
	for i := range n {
		values.Append(int64(i))
		codes.Append(int32(n - 1 - i))
	}
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ}, {Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	ints := codes.NewInt32Array()
	rec := array.NewRecord(schema, []arrow.Array{array.NewDictionaryArray(typ, ints, values.NewInt64Array()), ints}, n)
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	if err := s.DB().RegisterArrow("r", schema, []arrow.Record{rec}); err != nil {
		t.Fatal(err)
	}
	used := func() int64 { return inside.Of(s.DB()).MemoryUsed() }
	if used() != 0 {
		t.Errorf("%d bytes are held for the program's records", used())
	}
	const sum = "SELECT SUM(d) FROM r"
	if got := sqltest.Rows(t, s, sum)[0][0]; got != fmt.Sprint(n/2*(n-1)) {
		t.Error(got)
	}
	if used() != 0 {
		t.Errorf("%d bytes are held after a query", used())
	}
	sqltest.Run(t, s, "SET gsql_memory_limit = '8MB'")
	if _, err := sqltest.TryRows(s, sum); !errors.Is(err, sqlerr.OutOfMemory) || !strings.Contains(err.Error(), "dictionary") {
		t.Errorf("%v, want that a dictionary does not fit", err)
	}
	sqltest.Rows(t, s, "SELECT COUNT(*) FROM r WHERE i % 7 = 3 AND i < 100")
	if used() < 2048*8 {
		t.Errorf("%d bytes are held for the sampled rows of a column", used())
	}
	if err := s.DB().RegisterArrow("r", schema, nil); err != nil {
		t.Fatal(err)
	}
	for i := 0; used() != 0; i++ {
		if i == 100 {
			t.Fatalf("%d bytes are held for a table that is gone", used())
		}
		sqltest.Rows(t, s, "SELECT 1")
		runtime.GC()
	}
}
