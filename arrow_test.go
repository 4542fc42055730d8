package gsql_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
	"gsql/sql/sqlerr"
)

// everyType has a column of every type and rows of extremes, NULLs and odd text.
const everyType = `CREATE TABLE v (i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, u8 TINYINT UNSIGNED, u16 SMALLINT UNSIGNED,
	u32 INT UNSIGNED, u64 BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(38,10), m DECIMAL(5,2), s VARCHAR(20), tx TEXT, x VARBINARY(8),
	bl BLOB, dt DATE, dt6 DATETIME(6), ts TIMESTAMP(6), tm TIME(6), yes BOOL, j JSON);
INSERT INTO v VALUES
	(-128, -32768, -2147483648, -9223372036854775808, 0, 0, 0, 0, -1.5, -1e300, -9999999999999999999999999999.9999999999, -999.99, '', '', '', '',
	 '1000-01-01', '1000-01-01 00:00:00.000001', '1970-01-01 00:00:01.001', '-838:59:59', FALSE, '{"a": 1}'),
	(127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615, 1.5, 1e300, 9999999999999999999999999999.9999999999, 999.99,
	 'naïve', '日本語', X'00FF', X'FF00', '9999-12-31', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07.999', '838:59:59', TRUE, '[]'),
	(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`

// records reads a query as retained Arrow records.
func records(t *testing.T, s *gsql.Session, text string) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	r, err := s.QueryArrow(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer r.Release()
	var out []arrow.Record
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		t.Cleanup(rec.Release)
		out = append(out, rec)
	}
	if r.Err() != nil {
		t.Fatalf("%s: %v", text, r.Err())
	}
	return r.Schema(), out
}

func TestArrowRoundTripsEveryType(t *testing.T) {
	s := session(t, gsql.Config{})
	run(t, s, everyType)
	want := table(t, s, "SELECT * FROM v ORDER BY i8")
	schema, recs := records(t, s, "SELECT * FROM v ORDER BY i8")
	if err := s.DB().RegisterArrow("w", schema, recs); err != nil {
		t.Fatal(err)
	}
	if got := table(t, s, "SELECT * FROM w ORDER BY i8"); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	run(t, s, "CREATE TABLE z AS SELECT * FROM w")
	if got := table(t, s, "SELECT * FROM z ORDER BY i8"); !reflect.DeepEqual(got, want) {
		t.Errorf("copied\n%v\nwant\n%v", got, want)
	}
	if got := table(t, s, "SELECT COUNT(*) FROM w JOIN v ON w.u64 = v.u64 AND w.n = v.n AND w.tx = v.tx AND w.dt6 = v.dt6 AND w.tm = v.tm"); got[0][0] != "2" {
		t.Errorf("join with the original: %v", got)
	}
	again, recs := records(t, s, "SELECT * FROM z")
	if !again.Equal(schema) {
		t.Errorf("schema\n%v\nwant\n%v", again, schema)
	}
	if n := recs[0].NumRows(); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestRegisterArrow(t *testing.T) {
	s := session(t, gsql.Config{})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "city", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "seen", Type: &arrow.TimestampType{Unit: arrow.Millisecond}, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var recs []arrow.Record
	for i := range 3 {
		for j := range 1000 {
			n := i*1000 + j
			b.Field(0).(*array.Int64Builder).Append(int64(n))
			city := b.Field(1).(*array.BinaryDictionaryBuilder)
			if n%5 == 0 {
				city.AppendNull()
			} else if err := city.AppendString(fmt.Sprintf("city %d", n%3)); err != nil {
				t.Fatal(err)
			}
			b.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(n * 1000))
		}
		rec := b.NewRecord()
		defer rec.Release()
		recs = append(recs, rec)
	}
	if err := s.DB().RegisterArrow("Cities", schema, recs); err != nil {
		t.Fatal(err)
	}
	got := table(t, s, "SELECT city, COUNT(*), MIN(id), MAX(seen) FROM cities GROUP BY city ORDER BY city")
	// 600 NULLs (multiples of 5), and of each residue modulo 3 four fifths of 1,000.
	want := [][]string{
		{"NULL", "600", "0", "1970-01-01 00:49:55.000000"}, {"city 0", "800", "3", "1970-01-01 00:49:57.000000"},
		{"city 1", "800", "1", "1970-01-01 00:49:58.000000"}, {"city 2", "800", "2", "1970-01-01 00:49:59.000000"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	for _, text := range []string{"INSERT INTO cities VALUES (1, 'x', NULL)", "DELETE FROM cities", "UPDATE cities SET id = 1", "TRUNCATE TABLE cities"} {
		if _, _, err := s.Exec(context.Background(), text); err == nil {
			t.Errorf("%s: registered records cannot change", text)
		}
	}
	if err := s.DB().RegisterArrow("cities", nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tryTable(s, "SELECT * FROM cities"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("after dropping: %v", err)
	}
	nested := arrow.NewSchema([]arrow.Field{{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String)}}, nil)
	if err := s.DB().RegisterArrow("x", nested, []arrow.Record{}); !errors.Is(err, sqlerr.NotSupportedYet) || !strings.Contains(err.Error(), "tags") {
		t.Errorf("nested column: %v", err)
	}
}

func TestQueryArrowEndsEarly(t *testing.T) {
	s := session(t, gsql.Config{})
	run(t, s, "CREATE TABLE n (a INT); INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8)")
	r, err := s.QueryArrow(context.Background(), "SELECT x.a FROM n x, n y, n z, n w, n v, n u")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() || r.Record().NumRows() == 0 {
		t.Fatal("no rows", r.Err())
	}
	r.Release()
	if got := table(t, s, "SELECT COUNT(*) FROM n"); got[0][0] != "8" {
		t.Errorf("the session gives %v", got)
	}
	if _, err := s.QueryArrow(context.Background(), "SET @a = 1"); err == nil {
		t.Error("SET gives no records")
	}
}
