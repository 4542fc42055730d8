package sqltest

import (
	"context"
	"testing"

	"gsql"
	"gsql/exec"
	"gsql/internal/mem"
	"gsql/internal/slt"
)

// Suites runs the sqllogictest files below folders of testdata under a configuration. Freed memory is
// overwritten, and columns that plans call never NULL are verified.
func Suites(t *testing.T, cfg gsql.Config, folders ...string) {
	t.Helper()
	mem.PoisonFreed()
	exec.VerifyNotNull()
	var paths []string
	for _, folder := range folders {
		paths = append(paths, Testdata(folder))
	}
	files, err := slt.Find(paths)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %v: %v", paths, err)
	}
	slt.RunFiles(context.Background(), files, slt.Options{Engine: "mysql", Parallel: 2, Config: cfg}, func(r slt.Report) {
		if r.Err != nil {
			t.Error(r.Err)
		}
		for _, f := range r.Failures {
			t.Errorf("%s:%d: %v\n%.2000s", f.File, f.Line, f.Err, f.SQL)
		}
		t.Logf("%s: %d passed, %d failed, %d skipped", r.File, r.Passed, r.Failed, r.Skipped)
	})
}
