package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestLoadedNumbers loads numbers in every notation. MariaDB stores the same values and ends in the same
// errors: fractions are rounded, and what follows a number, does not begin with one or is out of range is
// an error in strict mode, and otherwise a warning with the nearest value.
func TestLoadedNumbers(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for _, c := range []struct {
		column, line string
		strict       sqlerr.Code
		stored       string // without strict mode, and with it if that is no error
	}{
		{"BIGINT", "1.5", 0, "2"}, {"BIGINT", "-1.5", 0, "-2"}, {"BIGINT", "1.49999999999999999999", 0, "1"}, {"BIGINT", "1e3", 0, "1000"}, {"BIGINT", " 1.5e1", 0, "15"},
		{"BIGINT", "+8", 0, "8"}, {"BIGINT", ".5", 0, "1"}, {"BIGINT", "9223372036854775807.4", 0, "9223372036854775807"}, {"BIGINT", "9223372036854775807.5", sqlerr.WarnDataOutOfRange, "9223372036854775807"},
		{"BIGINT", "1.5x", sqlerr.WarnDataTruncated, "2"}, {"BIGINT", "1 2", sqlerr.WarnDataTruncated, "1"}, {"BIGINT", "0x41", sqlerr.WarnDataTruncated, "0"}, {"BIGINT", "1e", sqlerr.WarnDataTruncated, "1"},
		{"BIGINT", "abc", sqlerr.TruncatedWrongValueForField, "0"}, {"BIGINT", "", sqlerr.TruncatedWrongValueForField, "0"}, {"BIGINT", "1e30", sqlerr.WarnDataOutOfRange, "9223372036854775807"},
		{"TINYINT", "1e3", sqlerr.WarnDataOutOfRange, "127"}, {"TINYINT UNSIGNED", "254.5", 0, "255"}, {"BOOL", "2", 0, "2"}, {"BIGINT UNSIGNED", "1844674407370955161.5e1", 0, "18446744073709551615"}, {"BIGINT UNSIGNED", "-0.5", sqlerr.WarnDataOutOfRange, "0"},
		{"DECIMAL(6,2)", "1e3", 0, "1000.00"}, {"DECIMAL(6,2)", "1.495", 0, "1.50"}, {"DECIMAL(6,2)", "1e4", sqlerr.WarnDataOutOfRange, "9999.99"}, {"DECIMAL(6,2)", "12abc", sqlerr.WarnDataTruncated, "12.00"},
		{"DOUBLE", "1.5x", sqlerr.WarnDataTruncated, "1.5"}, {"DOUBLE", "abc", sqlerr.TruncatedWrongValueForField, "0"},
	} {
		file := filepath.Join(dir, "line.txt")
		if err := os.WriteFile(file, []byte(c.line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []string{"STRICT_TRANS_TABLES", ""} {
			sqltest.Run(t, s, fmt.Sprintf("SET sql_mode = '%s'; DROP TABLE IF EXISTS n; CREATE TABLE n (a %s)", mode, c.column))
			_, _, err := s.Exec(t.Context(), "LOAD DATA INFILE 'line.txt' INTO TABLE n FIELDS TERMINATED BY ','")
			if mode != "" && c.strict != 0 {
				if sqltest.Code(err) != c.strict {
					t.Errorf("%q into %s: %v, want error %d", c.line, c.column, err, c.strict)
				}
				continue
			}
			if err != nil {
				t.Errorf("%q into %s, mode '%s': %v", c.line, c.column, mode, err)
				continue
			}
			warnings := sqltest.Lines(sqltest.Rows(t, s, "SHOW WARNINGS"))
			if code := fmt.Sprint(int(c.strict)); (c.strict != 0) != strings.Contains(warnings, code) {
				t.Errorf("%q into %s, mode '%s': warnings %q, want %s", c.line, c.column, mode, warnings, code)
			}
			if got := strings.TrimSpace(sqltest.Lines(sqltest.Rows(t, s, "SELECT a FROM n"))); got != c.stored {
				t.Errorf("%q into %s, mode '%s': %s, want %s", c.line, c.column, mode, got, c.stored)
			}
		}
	}
}
