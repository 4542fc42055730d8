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
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

func TestArrowRoundTripsEveryType(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, sqltest.EveryType)
	want := sqltest.Rows(t, s, "SELECT * FROM v ORDER BY i8")
	schema, recs := sqltest.Records(t, s, "SELECT * FROM v ORDER BY i8")
	if err := s.DB().RegisterArrow("w", schema, recs); err != nil {
		t.Fatal(err)
	}
	if got := sqltest.Rows(t, s, "SELECT * FROM w ORDER BY i8"); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	sqltest.Run(t, s, "CREATE TABLE z AS SELECT * FROM w")
	if got := sqltest.Rows(t, s, "SELECT * FROM z ORDER BY i8"); !reflect.DeepEqual(got, want) {
		t.Errorf("copied\n%v\nwant\n%v", got, want)
	}
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM w JOIN v ON w.u64 = v.u64 AND w.n = v.n AND w.tx = v.tx AND w.dt6 = v.dt6 AND w.tm = v.tm"); got[0][0] != "2" {
		t.Errorf("join with the original: %v", got)
	}
	again, recs := sqltest.Records(t, s, "SELECT * FROM z")
	if !again.Equal(schema) {
		t.Errorf("schema\n%v\nwant\n%v", again, schema)
	}
	if n := recs[0].NumRows(); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestRegisterArrow(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
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
	got := sqltest.Rows(t, s, "SELECT city, COUNT(*), MIN(id), MAX(seen) FROM cities GROUP BY city ORDER BY city")
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
	if _, err := sqltest.TryRows(s, "SELECT * FROM cities"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("after dropping: %v", err)
	}
	nested := arrow.NewSchema([]arrow.Field{{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String)}}, nil)
	if err := s.DB().RegisterArrow("x", nested, []arrow.Record{}); !errors.Is(err, sqlerr.NotSupportedYet) || !strings.Contains(err.Error(), "tags") {
		t.Errorf("nested column: %v", err)
	}
}

func TestQueryArrowEndsEarly(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE n (a INT); INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8)")
	r, err := s.QueryArrow(context.Background(), "SELECT x.a FROM n x, n y, n z, n w, n v, n u")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() || r.Record().NumRows() == 0 {
		t.Fatal("no rows", r.Err())
	}
	r.Release()
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM n"); got[0][0] != "8" {
		t.Errorf("the session gives %v", got)
	}
	if _, err := s.QueryArrow(context.Background(), "SET @a = 1"); err == nil {
		t.Error("SET gives no records")
	}
}

// Arrow's texts must be UTF-8, which its builders do not check.
func TestArrowTextsThatAreNotUTF8(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	record := func(values ...string) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for _, v := range values {
			b.Field(0).(*array.StringBuilder).Append(v)
		}
		return b.NewRecord()
	}
	good := record("a", "ä", "")
	const want = `ERROR 1366 (HY000): Incorrect string value: '\xC3' for column 'x' at row 5`
	for _, rec := range []arrow.Record{record("b", "c\xc3"), record("b", "\xc3", "\xa4"), record("b", "\xc3", "ä").NewSlice(0, 2)} {
		if err := s.DB().RegisterArrow("r", schema, []arrow.Record{good, rec}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("RegisterArrow: %v", err)
		}
		sqltest.Run(t, s, "DROP TABLE IF EXISTS w")
		sqltest.Run(t, s, "CREATE TABLE w (x TEXT)")
		a, err := s.NewAppender(ctx, "w")
		if err != nil {
			t.Fatal(err)
		}
		if err = a.AppendRecord(good); err == nil {
			err = a.AppendRecord(rec)
		}
		if err == nil {
			_, err = a.Close(ctx)
		}
		if err == nil || !strings.Contains(err.Error(), `Incorrect string value: '\xC3`) || sqltest.Code(err) != 1366 {
			t.Errorf("AppendRecord: %v", err)
		}
		a.Abort()
	}
	if err := s.DB().RegisterArrow("r", schema, []arrow.Record{good, record("b", "c\xc3").NewSlice(0, 1)}); err != nil {
		t.Errorf("what a slice leaves out: %v", err)
	}
}

// TestRefusedRecordsAreNotRetained registers records of which the last one is refused.
func TestRefusedRecordsAreNotRetained(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	pool := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer pool.AssertSize(t, 0)
	record := func(name string) arrow.Record {
		schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.PrimitiveTypes.Int64}}, nil)
		b := array.NewRecordBuilder(pool, schema)
		defer b.Release()
		b.Field(0).(*array.Int64Builder).Append(1)
		return b.NewRecord()
	}
	first, other := record("a"), record("b")
	err := s.DB().RegisterArrow("w", first.Schema(), []arrow.Record{first, other})
	if !errors.Is(err, sqlerr.WrongArguments) {
		t.Errorf("a record of another schema: %v", err)
	}
	first.Release()
	other.Release()
}
