package files

import (
	"strings"
	"testing"
)

// TestParquetVariants reads variants as JSON. The files were written by hyparquet-writer, in
// JavaScript, and by DuckDB; the texts are the values that these programs were given, in MySQL's
// normal form.
func TestParquetVariants(t *testing.T) {
	long := `"long text of more than sixty-three bytes, so that it is not a short string of the format"`
	for name, want := range map[string][]string{
		"variant": {"1", `"x"`, "null", `{"a": 1, "b": [true, false, null, 1.5, ` + long + `]}`, "[1, [2, {}]]", "-5", "10000000000.0", "123456789012345",
			`"2001-09-09 01:46:40.000000"`, `"AQID"`, "3.14", "true", `""`, "[]", "{}"},
		"variant_shredded": {`{"x": 1, "y": "a"}`, `{"x": "no", "z": 3}`, "5", "null", `{"y": "b"}`},
		"variant_deep":     {`{"n": {"q": [1.0, 2.0]}, "x": 1.0, "y": "a"}`, `{"n": {"q": [3.0]}, "x": 2.0, "y": "b"}`, `{"x": 3.0}`, "null"},
		"variant_duckdb":   {"42", `{"a": 1, "b": [1, 2]}`, "null"},
	} {
		tab := open(t, "testdata/"+name+".parquet", Options{})
		if got := schemaText(tab); got != "i:int v:json" {
			t.Errorf("%s: %s", name, got)
		}
		if got := textsOf(t, tab, 1); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s:\n%s, want\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
