package block

import (
	"slices"
	"strings"
	"testing"

	"gsql/planner/plantest"
	"gsql/sql/expr"
)

// sameNames checks that docs/sql.md and the code name the same functions.
func sameNames(t *testing.T, what string, documented, want []string) {
	t.Helper()
	slices.Sort(want)
	for _, name := range documented {
		if !slices.Contains(want, name) {
			t.Errorf("%s %s is documented, but does not exist", what, name)
		}
	}
	for _, name := range want {
		if !slices.Contains(documented, name) {
			t.Errorf("%s %s is not documented", what, name)
		}
	}
}

func TestDocumentedAggregates(t *testing.T) {
	want := []string{"ANY_VALUE"}
	for name := range aggregates {
		want = append(want, strings.ToUpper(name))
	}
	sameNames(t, "aggregate", plantest.Documented(t, "sql.md", "Aggregates"), want)
}

func TestDocumentedWindowFunctions(t *testing.T) {
	var want []string
	for name := range windowFunctions {
		want = append(want, strings.ToUpper(name))
	}
	for name, fn := range aggregates {
		if !fn.Gathers() && fn != expr.Median {
			want = append(want, strings.ToUpper(name))
		}
	}
	sameNames(t, "window function", plantest.Documented(t, "sql.md", "Window functions"), want)
}
