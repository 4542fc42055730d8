package sysvar

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedVariables checks that docs/sql.md and the list of variables agree on the names
// and defaults of variables that affect gsql.
func TestDocumentedVariables(t *testing.T) {
	docs, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(docs), "\n## Variables\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, v := range append(engine(), behaviour()...) {
		if !strings.Contains(text, "`"+v.Name+"`") {
			t.Errorf("%s is not documented", v.Name)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([^|]*)\\|").FindAllStringSubmatch(text, -1)
	if len(rows) < 10 {
		t.Fatalf("only %d variables found", len(rows))
	}
	for _, m := range rows {
		value, ok := Default(m[1])
		if documented := strings.NewReplacer("`", "", " ", "").Replace(m[2]); !ok || documented != value {
			t.Errorf("%s is documented with the default %q, has %q (exists: %v)", m[1], documented, value, ok)
		}
	}
}
