package tpch_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestFolder compares the 22 queries with the stored answers on a database in a folder, which is opened anew
// for each, in little memory and in much.
func TestFolder(t *testing.T) {
	cfg := gsql.Config{Path: t.TempDir()}
	onFolder(t, cfg, func(s *gsql.Session) { sqltest.Run(t, s, "CALL gsql_tpch(0.01)") })
	for q := 1; q <= 22; q++ {
		cfg.MemoryLimit = int64(q%2) * 24 << 20
		name := fmt.Sprintf("q%02d", q)
		text, err := os.ReadFile(sqltest.Testdata("tpch/" + name + ".sql"))
		if err != nil {
			t.Fatal(err)
		}
		onFolder(t, cfg, func(s *gsql.Session) {
			got, want := sqltest.Rows(t, s, string(text)), sqltest.CSV(t, sqltest.Testdata("tpch/answers/"+name+".csv"))
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s, memory limit %d:\n%v\nwant\n%v", name, cfg.MemoryLimit, got, want)
			}
		})
	}
}

// onFolder opens a database for f, and closes it.
func onFolder(t *testing.T, cfg gsql.Config, f func(s *gsql.Session)) {
	t.Helper()
	db, err := gsql.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	f(s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
