package sqlmode_test

import (
	"testing"

	"gsql/sql/sqlmode"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ list, want, wrong string }{
		{"", "", ""},
		{"ansi_quotes,PIPES_AS_CONCAT", "PIPES_AS_CONCAT,ANSI_QUOTES", ""},
		{"ANSI", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI", ""},
		{"TRADITIONAL", "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION", ""},
		{"STRICT_TRANS_TABLES,", "STRICT_TRANS_TABLES", ""},
		{"2097156", "ANSI_QUOTES,STRICT_TRANS_TABLES", ""},
		{"STRICT", "", "STRICT"},
		{"ANSI_QUOTES,NO_AUTO_CREATE_USER", "", "NO_AUTO_CREATE_USER"}, // removed in MySQL 8
		{"16", "", "16"},
	} {
		m, wrong := sqlmode.Parse(c.list)
		if m.String() != c.want || wrong != c.wrong {
			t.Errorf("%q: %q, %q; want %q, %q", c.list, m, wrong, c.want, c.wrong)
		}
		if again, _ := sqlmode.Parse(m.String()); again != m {
			t.Errorf("%q reads back as %q", m, again)
		}
	}
}
