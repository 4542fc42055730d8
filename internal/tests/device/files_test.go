//go:build sim || cuda

package device_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/internal/sqltest"
)

// TestFiles runs queries over files, also after the files have changed.
func TestFiles(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 3000)
	dir := t.TempDir()
	for i, change := range []string{"SELECT 1", "UPDATE f SET g = g + 1, c = 'other' WHERE id < 900", "DELETE FROM f WHERE id % 3 = 0"} {
		execute(t, s, "SET gsql_device = cpu")
		execute(t, s, change)
		for _, kind := range []string{"parquet", "csv"} {
			path := filepath.Join(dir, "f."+kind)
			if err := os.Remove(path); err != nil && i > 0 {
				t.Fatal(err)
			}
			sqltest.Run(t, s, fmt.Sprintf("SELECT id, k, g, p, x, d, c FROM f INTO OUTFILE '%s'", path))
			for _, q := range []string{
				"SELECT g, COUNT(*), SUM(p), MIN(d) FROM `%s` GROUP BY g",
				"SELECT c, SUM(k), AVG(x) FROM `%s` WHERE id > 100 GROUP BY c",
				"SELECT d.name, COUNT(*) FROM `%s` f JOIN d ON f.k = d.k WHERE f.c LIKE '%%1%%' GROUP BY d.name",
			} {
				if sql := fmt.Sprintf(q, path); !compare(t, s, sql) {
					t.Errorf("%s has no pipelines:\n%s", sql, strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n"))
				}
			}
		}
	}
}
