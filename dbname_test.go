package gsql_test

import (
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestDatabaseNamesAreNoFolders checks that the name of a database that looks like a folder's is
// refused, and that a data source name with one names the folder.
func TestDatabaseNamesAreNoFolders(t *testing.T) {
	for name, path := range map[string]string{
		"/tmp/x.db": "/tmp/x.db", "./x": "./x", "dir/x": "dir/x", `C:\data\x`: `C:\data\x`, "..": "..", "shop.db": "shop.db", "SHOP.DB": "SHOP.DB",
		"a.gsql": "a.gsql", "file:shop": "shop", "FILE:shop?workers=2": "shop", "file:///tmp/x": "/tmp/x", "dir%2Fshop": "dir/shop",
	} {
		if plain, _, _ := strings.Cut(name, "?"); !strings.Contains(name, "%") {
			if db, err := gsql.Open(gsql.Config{Database: plain}); sqltest.Code(err) != sqlerr.WrongDBName || db != nil {
				t.Errorf("Open(%q): %v", plain, err)
			} else if e := sqlerr.From(err); !strings.Contains(e.Hint, "Config.Path") {
				t.Errorf("Open(%q) does not say what to do: %v, %s", plain, err, e.Hint)
			}
		}
		cfg, err := gsql.ParseDSN(name)
		if err != nil || cfg.Path != path || cfg.Database != "" {
			t.Errorf("ParseDSN(%q) = %+v, %v", name, cfg, err)
			continue
		}
		if again, err := gsql.ParseDSN(cfg.FormatDSN()); err != nil || again.Path != path {
			t.Errorf("%q becomes %q, which is %+v, %v", name, cfg.FormatDSN(), again, err)
		}
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
