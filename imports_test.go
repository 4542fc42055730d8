package gsql_test

import (
	"os/exec"
	"strings"
	"testing"
)

// forbidden lists what the packages below a prefix must not import, by prefix: the
// rules of docs/architecture.md.
var forbidden = map[string][]string{
	"gsql/sql/":         {"gsql/planner", "gsql/exec", "gsql/storage", "gsql/gpu", "gsql/cmd"},
	"gsql/planner":      {"gsql/exec", "gsql/storage", "gsql/gpu", "gsql/cmd"},
	"gsql/exec":         {"gsql/storage", "gsql/gpu", "gsql/cmd", "gsql/planner/binder", "gsql/planner/rules"},
	"gsql/storage":      {"gsql/planner", "gsql/exec", "gsql/internal/dml", "gsql/gpu", "gsql/cmd"},
	"gsql/internal/dml": {"gsql/exec", "gsql/gpu", "gsql/cmd"},
	"gsql/gpu": {"gsql/storage", "gsql/cmd", "gsql/planner/binder", "gsql/planner/rules", "gsql/planner/implement",
		"gsql/planner/joinorder", "gsql/exec/agg", "gsql/exec/sort"},
	"gsql/gpu/column":       deviceCode,
	"gsql/gpu/cuda":         deviceCode,
	"gsql/gpu/engine":       deviceCode,
	"gsql/gpu/join":         deviceCode,
	"gsql/gpu/prim":         deviceCode,
	"gsql/gpu/sim":          deviceCode,
	"gsql/internal/mem":     {"gsql/planner", "gsql/exec", "gsql/storage", "gsql/cmd"},
	"gsql/internal/suggest": {"gsql/"},
	"gsql/sql/sqlerr":       {"gsql/"},
	"gsql/sql/types":        {"gsql/sql/vec", "gsql/sql/expr", "gsql/sql/eval"},
	"gsql/sql/expr":         {"gsql/sql/eval"},
}

// deviceCode is what the packages that work on devices must not import: operators, which
// gsql/gpu/operators makes of them.
var deviceCode = []string{"gsql/planner", "gsql/exec", "gsql/gpu/operators"}

func TestDependenciesPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "cuda,sim", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal("go list:", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for prefix, bad := range forbidden {
			if !strings.HasPrefix(words[0], prefix) {
				continue
			}
			for _, imported := range words[1:] {
				for _, b := range bad {
					if strings.HasPrefix(imported, b) && imported+"/" != b {
						t.Errorf("%s must not import %s", words[0], imported)
					}
				}
			}
		}
	}
}
