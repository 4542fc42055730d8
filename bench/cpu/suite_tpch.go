package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var tpchTables = []string{"customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"}

// tpch returns the 22 queries over loaded tables: scale factor 1, or 0.1 for the quick size.
func tpch(o *options) ([]query, error) {
	dir, ours := o.tpch, o.tpch == ""
	if ours {
		dir = filepath.Join(o.data, full(o, "tpch01", "tpch1"))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if ours {
		if _, err := os.Stat(filepath.Join(dir, "supplier.parquet")); err != nil {
			cmd := exec.Command("go", "-C", "../..", "run", "./cmd/gsql", "tpch", "--sf", full(o, "0.1", "1"), dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, out)
			}
		}
	}
	var out []query
	for i := 1; i <= 22; i++ {
		text, err := os.ReadFile(fmt.Sprintf("../../testdata/tpch/q%02d.sql", i))
		if err != nil {
			return nil, err
		}
		q := query{name: fmt.Sprintf("q%02d", i), sql: strings.TrimRight(strings.TrimSpace(string(text)), ";")}
		for _, t := range tpchTables {
			if regexp.MustCompile(`\b` + t + `\b`).MatchString(q.sql) {
				q.tables = append(q.tables, t+" "+filepath.Join(dir, t+".parquet"))
			}
		}
		out = append(out, q)
	}
	return out, nil
}
