package forms

import (
	"testing"

	"gsql/gpu/lower"
	"gsql/planner/plantest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// TestStatistics checks which columns are refused besides those of tables.Statistics.
func TestStatistics(t *testing.T) {
	cat := plantest.MustDefine("table stored rows=10\n a int\ntable other rows=10\n a int\n")
	s := statistics{stored: func(t catalog.Table) bool { return t.Name() == "stored" }}
	for _, tt := range []struct {
		table   string
		ordinal int
		why     string
	}{
		{"stored", 0, ""}, {"stored", -1, "numbers of rows are not for the device"}, {"other", 0, "other is not a stored table"},
	} {
		why := ""
		if _, err := s.Column(cat.Lookup(tt.table), tt.ordinal); err != nil {
			why = err.Error()
		}
		if tt.ordinal == 0 {
			_, err := s.Derived(cat.Lookup(tt.table), lower.Derived{Expr: &expr.Call{Fn: expr.FuncLength}})
			if (err == nil) != (tt.why == "") || err != nil && err.Error() != tt.why {
				t.Errorf("%s, a function: %v, want %q", tt.table, err, tt.why)
			}
		}
		if why != tt.why {
			t.Errorf("%s, column %d: %q, want %q", tt.table, tt.ordinal, why, tt.why)
		}
	}
}
