package plantest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Section returns the text of a section of a page in docs, such as "sql.md", without its heading. It fails the test if
// there is no such section.
func Section(t *testing.T, page, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), "\n## "+name+"\n")
	if !ok {
		t.Fatalf("docs/%s has no section %s", page, name)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	return part
}

// moduleRoot returns the nearest folder, from the working directory upwards, that has a go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod around the test")
		}
		dir = up
	}
}

var documentedName = regexp.MustCompile("`([A-Z_]+)(\\([^`]*)?`")

// Documented returns the names in back-quotes, before parentheses, in the first column of a section's table, sorted.
func Documented(t *testing.T, page, section string) []string {
	t.Helper()
	names := map[string]bool{}
	for _, line := range strings.Split(Section(t, page, section), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range documentedName.FindAllStringSubmatch(first, -1) {
			names[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
