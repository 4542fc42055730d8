package forms

import (
	"testing"

	"gsql/planner/plantest"
)

// TestStatistics checks which columns are refused besides those of tables.Statistics.
func TestStatistics(t *testing.T) {
	cat := plantest.MustDefine("table known rows=10\n a int\ntable unknown\n a int\n")
	for _, tt := range []struct {
		table   string
		ordinal int
		why     string
	}{
		{"known", 0, ""}, {"known", -1, "numbers of rows are not for the device"}, {"unknown", 0, "the number of rows of unknown is not known"},
	} {
		why := ""
		if _, err := (statistics{}).Column(cat.Lookup(tt.table), tt.ordinal); err != nil {
			why = err.Error()
		}
		if why != tt.why {
			t.Errorf("%s, column %d: %q, want %q", tt.table, tt.ordinal, why, tt.why)
		}
	}
}
