package signature

import (
	"slices"
	"strings"
	"testing"

	_ "gsql" // registers the functions
	"gsql/sql/expr"
)

// TestOf checks that the page has the signature of every function, and some signatures as MySQL's manual has them.
func TestOf(t *testing.T) {
	for _, f := range expr.Functions() {
		if len(Of(f)) == 0 {
			t.Errorf("docs/sql.md has no signature of %s", f)
		}
		for _, form := range Of(f) {
			if !strings.HasPrefix(form, strings.ToUpper(f)+"(") || strings.Contains(form, "`") {
				t.Errorf("%s: %q", f, form)
			}
		}
	}
	for name, want := range map[string][]string{"round": {"ROUND(x[, digits])"}, "Date_Add": {"DATE_ADD(d, INTERVAL n unit)"}, "sum": {"SUM(x)"}, "nonsense": nil} {
		if got := Of(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
