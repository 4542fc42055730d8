package gsql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql"
	"gsql/internal/sqltest"
)

// TestLoadLocalTimes loads times as text, which are in the session's time zone.
func TestLoadLocalTimes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "1,2024-06-01 12:00:00\n", "b.csv": "id,t\n2,2024-06-01 12:00:00\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, "CREATE TABLE ts (id INT PRIMARY KEY, t TIMESTAMP NULL)")
	sqltest.Run(t, s, "CREATE VIEW v AS SELECT id, t, UNIX_TIMESTAMP(t) FROM ts")
	sqltest.Run(t, s, "SET time_zone = '+05:30'")
	sqltest.Run(t, s, "LOAD DATA INFILE 'a.csv' INTO TABLE ts FIELDS TERMINATED BY ','")
	sqltest.Run(t, s, "IMPORT INTO ts FROM 'b.csv'")
	for zone, shown := range map[string]string{"+05:30": "12:00:00", "+00:00": "06:30:00"} {
		sqltest.Run(t, s, "SET time_zone = '"+zone+"'")
		want := fmt.Sprintf("[[1 2024-06-01 %[1]s 1717223400] [2 2024-06-01 %[1]s 1717223400]]", shown)
		if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT * FROM v ORDER BY id")); got != want {
			t.Errorf("%s: %s, want %s", zone, got, want)
		}
	}
}

// TestInstantsLeave exports TIMESTAMPs as Arrow records and Parquet files, which store them in UTC,
// and as text, which is in the session's time zone.
func TestInstantsLeave(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, "SET time_zone = '+05:30'")
	sqltest.Run(t, s, "CREATE TABLE ts (t TIMESTAMP NULL DEFAULT '2024-01-01 05:30:00', d DATETIME)")
	sqltest.Run(t, s, "INSERT INTO ts VALUES ('2024-06-01 12:00:00', '2024-06-01 12:00:00'), (NULL, NULL)")
	sqltest.Run(t, s, "SELECT * FROM ts INTO OUTFILE 'x.parquet'")
	sqltest.Run(t, s, "SELECT * FROM ts INTO OUTFILE 'x.csv'")
	r, err := s.QueryArrow(t.Context(), "SELECT t, d FROM ts ORDER BY t DESC")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	for i, want := range []string{"2024-06-01T06:30:00Z", "2024-06-01T12:00:00Z"} {
		col := r.Record().Column(i).(*array.Timestamp)
		if got := col.Value(0).ToTime(arrow.Microsecond).Format(time.RFC3339); got != want || !col.IsNull(1) {
			t.Errorf("column %d: %s, want %s", i, got, want)
		}
	}
	for zone, want := range map[string]string{"+05:30": "12:00:00", "+00:00": "06:30:00"} {
		sqltest.Run(t, s, "SET time_zone = '"+zone+"'")
		shown := map[string]string{"+05:30": "2024-01-01 05:30:00", "+00:00": "2024-01-01 00:00:00"}[zone]
		if got := fmt.Sprint(sqltest.Rows(t, s, "SHOW CREATE TABLE ts")); !strings.Contains(got, "DEFAULT '"+shown+"'") {
			t.Errorf("%s: %s", zone, got)
		}
		got := fmt.Sprint(sqltest.Rows(t, s, "SELECT * FROM `x.parquet` WHERE t IS NOT NULL"))
		if want := "[[2024-06-01 " + want + ".000000 2024-06-01 12:00:00.000000]]"; got != want {
			t.Errorf("%s: %s, want %s", zone, got, want)
		}
	}
	if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT t FROM `x.csv` WHERE t IS NOT NULL")); got != "[[2024-06-01 12:00:00]]" {
		t.Error("csv:", got)
	}
}
