package query

import (
	"slices"
	"strings"
	"testing"

	"gsql/planner/plantest"
)

func TestDocumentedHints(t *testing.T) {
	text := plantest.Section(t, "tuning.md", "Hints")
	for name := range algorithms {
		if !strings.Contains(text, "`"+name) {
			t.Errorf("hint %s is not documented", name)
		}
	}
	for _, name := range plantest.Documented(t, "tuning.md", "Hints") {
		plain := strings.TrimPrefix(name, "NO_")
		if algorithms[plain] == "" && !slices.Contains([]string{"LEADING", "STRAIGHT_JOIN", "CPU", "GPU"}, plain) {
			t.Errorf("hint %s is documented, but does not exist", name)
		}
	}
}
