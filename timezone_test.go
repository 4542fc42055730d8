package gsql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gsql"
)

// TestLoadLocalTimes loads texts of times, which are the session's.
func TestLoadLocalTimes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "1,2024-06-01 12:00:00\n", "b.csv": "id,t\n2,2024-06-01 12:00:00\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := session(t, gsql.Config{Dir: dir})
	run(t, s, "CREATE TABLE ts (id INT PRIMARY KEY, t TIMESTAMP NULL)")
	run(t, s, "CREATE VIEW v AS SELECT id, t, UNIX_TIMESTAMP(t) FROM ts")
	run(t, s, "SET time_zone = '+05:30'")
	run(t, s, "LOAD DATA INFILE 'a.csv' INTO TABLE ts FIELDS TERMINATED BY ','")
	run(t, s, "IMPORT INTO ts FROM 'b.csv'")
	for zone, shown := range map[string]string{"+05:30": "12:00:00", "+00:00": "06:30:00"} {
		run(t, s, "SET time_zone = '"+zone+"'")
		want := fmt.Sprintf("[[1 2024-06-01 %[1]s 1717223400] [2 2024-06-01 %[1]s 1717223400]]", shown)
		if got := fmt.Sprint(table(t, s, "SELECT * FROM v ORDER BY id")); got != want {
			t.Errorf("%s: %s, want %s", zone, got, want)
		}
	}
}
