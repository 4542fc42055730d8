package gsql_test

import (
	"context"
	"testing"

	"gsql"
	"gsql/internal/mem"
	"gsql/internal/slt"
)

// TestSuites runs the repository's sqllogictest suites under several configurations:
// the answers must not depend on any of them.
func TestSuites(t *testing.T) {
	for name, vars := range map[string]map[string]string{
		"default":    nil,
		"one worker": {"gsql_workers": "1"},
		"batch of 3": {"gsql_batch_size": "3"},
	} {
		t.Run(name, func(t *testing.T) { runSuites(t, gsql.Config{Variables: vars}, "testdata/slt") })
	}
}

func runSuites(t *testing.T, cfg gsql.Config, paths ...string) {
	t.Helper()
	mem.PoisonFreed()
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
