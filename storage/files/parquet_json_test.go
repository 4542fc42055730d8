package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// jsonFile returns a file with an optional JSON column j, in which "" stands for NULL, beside a
// text column t of the same texts.
func jsonFile(t *testing.T, texts []string, opts ...parquet.WriterProperty) string {
	t.Helper()
	nodes := schema.FieldList{leafOf(t, "j", parquet.Repetitions.Optional, schema.JSONLogicalType{}, parquet.Types.ByteArray, -1),
		leafOf(t, "t", parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1)}
	data := writeLeaves(t, nodes, func(i int, c pqfile.ColumnChunkWriter) {
		if i == 1 {
			byteArrays(t, c, texts...)
			return
		}
		var values []parquet.ByteArray
		levels := make([]int16, len(texts))
		for i, text := range texts {
			if text != "" {
				values, levels[i] = append(values, parquet.ByteArray(text)), 1
			}
		}
		if _, err := c.(*pqfile.ByteArrayColumnChunkWriter).WriteBatch(values, levels, nil); err != nil {
			t.Fatal(err)
		}
	}, 1, opts...)
	return tempFile(t, "x.parquet", string(data))
}

var jsonEncodings = map[string][]parquet.WriterProperty{
	"dictionary": {parquet.WithDataPageSize(100)},
	"fallback":   {parquet.WithDictionaryPageSizeLimit(20), parquet.WithDataPageSize(60)},
	"plain":      {parquet.WithDictionaryDefault(false)},
	"delta":      {parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("j", parquet.Encodings.DeltaByteArray)},
	"v2":         {parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(parquet.DataPageV2)},
}

// TestParquetJSON reads a JSON column, whose texts may have any form, in MySQL's normal form: keys
// in order of length and bytes, a space after commas and colons, the last of equal keys.
func TestParquetJSON(t *testing.T) {
	texts := []string{`{"b":1,  "aa":2,"a":[1,2 ]}`, "", `[1,2]`, `{"a": [1, 2], "b": 1, "aa": 2}`, `"\u00e9"`, " 1.50 ", "true", `{"k":1,"k":2}`, "", `{}`}
	want := []string{`{"a": [1, 2], "b": 1, "aa": 2}`, "<null>", `[1, 2]`, `{"a": [1, 2], "b": 1, "aa": 2}`, `"é"`, "1.5", "true", `{"k": 2}`, "<null>", "{}"}
	for name, opts := range jsonEncodings {
		tab := open(t, jsonFile(t, texts, opts...), Options{})
		if got := schemaText(tab); got != "j:json t:text" {
			t.Errorf("%s: %s", name, got)
		}
		if got := plainTexts(t, tab); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if s := tab.Stats().Columns[0]; s.Min != nil || s.Max != nil {
			t.Errorf("%s: the bounds are those of other texts: %v to %v", name, s.Min, s.Max)
		}
	}
}

// TestParquetNotJSON reads a JSON column with a text that is not JSON. The error names the column
// and the row, and the other column can be read.
func TestParquetNotJSON(t *testing.T) {
	for bad, code := range map[string]sqlerr.Code{`{"a":`: sqlerr.InvalidJSONText, "plain": sqlerr.InvalidJSONText, "\xff": sqlerr.TruncatedWrongValueForField,
		strings.Repeat("[", 120) + strings.Repeat("]", 120): sqlerr.JSONTooDeep} {
		for name, opts := range jsonEncodings {
			tab := open(t, jsonFile(t, []string{"1", "", "2", bad, "3"}, opts...), Options{})
			err := readColumns(t, tab, 0)
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Msg, "for column 'j' at row 4 of row group 1 of '") || !strings.Contains(e.Hint, "other columns") {
				t.Errorf("%s, %q: %v", name, bad, err)
			}
			if bad == "\xff" {
				continue
			}
			compareRows(t, fmt.Sprint(name, ", the text"), rowsOf(t, tab, catalog.ScanSpec{Columns: []int{1}}), []string{`"1"|`, `""|`, `"2"|`, fmt.Sprintf("%q|", bad), `"3"|`})
		}
	}
}
