package binder

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gsql/sql/expr"
)

func docs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documented gives the names before parentheses that stand in back-quotes in the first
// column of a section's table.
func documented(t *testing.T, section string) []string {
	t.Helper()
	_, part, ok := strings.Cut(docs(t), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("docs/sql.md has no section %s", section)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	names := map[string]bool{}
	for _, line := range strings.Split(part, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range regexp.MustCompile("`([A-Z_]+)(\\([^`]*)?`").FindAllStringSubmatch(first, -1) {
			names[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func sameNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(want)
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s %s is documented, but does not exist", what, name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s %s is not documented", what, name)
		}
	}
}

func TestDocumentedAggregates(t *testing.T) {
	want := []string{"ANY_VALUE"}
	for name := range aggregates {
		want = append(want, strings.ToUpper(name))
	}
	sameNames(t, "aggregate", documented(t, "Aggregates"), want)
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
	sameNames(t, "window function", documented(t, "Window functions"), want)
}

func TestDocumentedHints(t *testing.T) {
	_, text, _ := strings.Cut(docs(t), "\n## Hints\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for name := range algorithms {
		if !strings.Contains(text, "`"+name) {
			t.Errorf("hint %s is not documented", name)
		}
	}
	for _, name := range documented(t, "Hints") {
		plain := strings.TrimPrefix(name, "NO_")
		if algorithms[plain] == "" && !slices.Contains([]string{"LEADING", "STRAIGHT_JOIN", "CPU", "GPU"}, plain) {
			t.Errorf("hint %s is documented, but does not exist", name)
		}
	}
}
