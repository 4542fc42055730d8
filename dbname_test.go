package gsql_test

import (
	"database/sql"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestDatabaseNamesAreNoFiles checks that a name that looks like a file is refused.
func TestDatabaseNamesAreNoFiles(t *testing.T) {
	for _, name := range []string{
		"/tmp/x.db", "./x", "dir/x", `C:\data\x`, "..", ".", "~", "shop.db", "SHOP.DB", "a.gsql", "a.duckdb", "a.sqlite", "a.sqlite3", "file:shop", "FILE:shop?mode=memory", "file:///tmp/x",
	} {
		if db, err := gsql.Open(gsql.Config{Database: name}); sqltest.Code(err) != sqlerr.WrongDBName || db != nil {
			t.Errorf("Open(%q): %v", name, err)
		} else if e := sqlerr.From(err); !strings.Contains(e.Msg, "memory") || e.Hint == "" {
			t.Errorf("Open(%q) does not say what to do: %v, %s", name, err, e.Hint)
		}
		if _, err := gsql.ParseDSN(name); sqltest.Code(err) != sqlerr.WrongDBName {
			t.Errorf("ParseDSN(%q): %v", name, err)
		}
		if _, err := sql.Open("gsql", name); sqltest.Code(err) != sqlerr.WrongDBName {
			t.Errorf("sql.Open(%q): %v", name, err)
		}
		if _, err := (gsql.Driver{}).Open(name); sqltest.Code(err) != sqlerr.WrongDBName {
			t.Errorf("Driver.Open(%q): %v", name, err)
		}
	}
	if _, err := gsql.ParseDSN("dir%2Fshop"); sqltest.Code(err) != sqlerr.WrongDBName {
		t.Errorf("an escaped separator: %v", err)
	}
	for _, name := range []string{"", "shop", "my_shop", "shop-2", "v1.2", "größe", "db", "file"} {
		db, err := gsql.Open(gsql.Config{Database: name})
		if err != nil {
			t.Errorf("Open(%q): %v", name, err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
