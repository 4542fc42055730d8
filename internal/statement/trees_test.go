package statement_test

import (
	"path/filepath"
	"testing"

	"gsql/internal/database"
	"gsql/internal/plancache"
	"gsql/internal/slt"
	"gsql/internal/statement"
)

// TestTreesStayAsParsed runs every statement of the suites and compares its syntax tree
// before and after: trees that are kept must not change.
func TestTreesStayAsParsed(t *testing.T) {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := slt.Find([]string{filepath.Join(dir, "testdata/slt")})
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, file := range files {
		records, err := slt.Load(file, "mysql")
		if err != nil {
			t.Fatal(err)
		}
		db, err := database.Open(database.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		c := statement.Connect(db, &plancache.Plans{}, &plancache.Texts{})
		for _, rec := range records {
			if rec.Skip || rec.Halt {
				continue
			}
			before, after, ok := c.RunTree(rec.SQL)
			if before != after {
				t.Errorf("%s:%d: the tree was\n%s\nand became\n%s", file, rec.Line, before, after)
			}
			if ok {
				kept++
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if kept < 500 {
		t.Errorf("only %d trees were compared", kept)
	}
}
