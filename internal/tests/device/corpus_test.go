//go:build sim

package device_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gsql"
	"gsql/internal/slt"
	"gsql/internal/sqltest"
	"gsql/sql/sqlmode"
)

// TestCorpus runs a sample of the sqllogictest corpus on the simulated device: about 8 queries of each file,
// after the statements before them. GSQL_CORPUS is another number; 0 stands for all records. What the device
// was planned to do it must do. Operators without a form for the device run on the CPU.
func TestCorpus(t *testing.T) {
	const corpus = "../../../../shared/slt"
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the sqllogictest corpus is not here: %v", err)
	}
	files, err := slt.Find([]string{corpus})
	if err != nil {
		t.Fatal(err)
	}
	most := 8
	if v := os.Getenv("GSQL_CORPUS"); v != "" {
		if most, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	queries, onDevice := 0, 0
	for _, file := range files {
		all, err := slt.Load(file, "mysql")
		if err != nil {
			t.Fatal(err)
		}
		records, n := sampled(all, most)
		if n == 0 {
			continue
		}
		name, _ := filepath.Rel(corpus, file)
		runs := runCorpus(t, name, records)
		t.Logf("%s: %d queries, %d operators or pipelines on the device", name, n, runs)
		queries, onDevice = queries+n, onDevice+runs
	}
	if onDevice < queries/2 {
		t.Errorf("%d queries have %d operators on the device", queries, onDevice)
	}
}

// statementsMost is how many statements a sample runs at most before its last query.
const statementsMost = 1500

// sampled returns a sample of about most queries at even distances, with the statements before the last of
// them, and the number of queries. most 0 stands for all records.
func sampled(records []slt.Record, most int) (out []slt.Record, n int) {
	queries := 0
	for i := range records {
		if r := &records[i]; r.IsQuery && !r.Skip && !r.Halt {
			queries++
		}
	}
	if most == 0 {
		return records, queries
	}
	step, seen, last, statements := max(queries/most, 1), 0, 0, 0
	for i := range records {
		r := &records[i]
		switch {
		case r.Skip || r.Halt:
			continue
		case !r.IsQuery:
			if statements++; statements > statementsMost {
				return out[:last], n
			}
		default:
			if seen++; (seen-1)%step != step/2 {
				continue
			}
			last = len(out) + 1
			n++
		}
		out = append(out, *r)
	}
	return out[:last], n
}

// runCorpus runs the records of a file, and returns how often the device ran something.
func runCorpus(t *testing.T, name string, records []slt.Record) (runs int) {
	t.Helper()
	mode := (sqlmode.Default &^ sqlmode.OnlyFullGroupBy).String()
	db, err := gsql.Open(gsql.Config{Workers: 2, Variables: map[string]string{"gsql_device": "sim", "gsql_gpu_memory_limit": "64MB", "sql_mode": mode}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, f := range slt.Run(context.Background(), db, name, records).Failures {
		t.Errorf("%s:%d: %v\n%.1500s", f.File, f.Line, f.Err, f.SQL)
	}
	s := db.NewSession()
	defer s.Close()
	for _, row := range sqltest.Rows(t, s, "SELECT OPERATOR, RUNS, FELL_BACK, LAST_REASON FROM information_schema.gsql_placement WHERE DEVICE <> ''") {
		n, err := strconv.Atoi(row[1])
		if err != nil || row[2] != "0" {
			t.Errorf("%s: %s of %s %s ran on the CPU: %s", name, row[2], row[1], row[0], row[3])
		}
		runs += n
	}
	return runs
}
