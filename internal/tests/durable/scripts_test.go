package durable_test

import (
	"testing"

	"gsql/storage/vfs/crashfs"
)

// scripts are statements after which a database was not recovered as it was.
var scripts = map[string][]string{
	"a column is added after all rows are deleted": {
		"CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)", "DELETE FROM t", "ALTER TABLE t ADD COLUMN b INT", "INSERT INTO t VALUES (3, 4)",
	},
}

// TestScripts opens databases whose process has died after a script, and after the checkpoint that
// opening and closing make.
func TestScripts(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			fs := crashfs.New()
			w, err := open(fs, settings{})
			must(t, err)
			s := w.session()
			for _, sql := range script {
				must(t, s.exec(sql))
			}
			want, err := w.look()
			must(t, err)
			point := fs.Point()
			must(t, w.db.Close())
			fs = point.Crash(crashfs.Killed, 0)
			for range 3 {
				w, err := open(fs, settings{})
				must(t, err)
				got, err := w.look()
				must(t, err)
				if got.text != want.text {
					t.Errorf("recovered\n%s\nwant\n%s", got.text, want.text)
				}
				must(t, w.db.Close())
			}
		})
	}
}
