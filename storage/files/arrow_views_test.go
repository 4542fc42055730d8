package files

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
)

// encodedViewTable returns a table whose columns are a text view, and dictionaries of text views
// and of byte views, alone and within a list. Each dictionary has a value that is not inlined: the
// library's writer repeats the first one's number of buffers for the others.
func encodedViewTable(tb testing.TB) arrow.Table {
	tb.Helper()
	long := strings.Repeat("long text ", 5) // not inlined in a view
	views := func(b array.Builder, values ...string) arrow.Array {
		for _, s := range values {
			if err := b.AppendValueFromString(s); err != nil {
				tb.Fatal(err)
			}
		}
		return b.NewArray()
	}
	codes := func(values ...int8) arrow.Array {
		b := array.NewInt8Builder(memory.DefaultAllocator)
		for _, c := range values {
			if c < 0 {
				b.AppendNull()
			} else {
				b.Append(c)
			}
		}
		return b.NewArray()
	}
	textType := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.StringView}
	bytesType := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.BinaryView}
	plain := views(array.NewStringViewBuilder(memory.DefaultAllocator), "p", long+"q", "r", "")
	text := array.NewDictionaryArray(textType, codes(1, -1, 0, 1), views(array.NewStringViewBuilder(memory.DefaultAllocator), "x", long))
	bytes := array.NewDictionaryArray(bytesType, codes(0, 0, -1, 1), views(array.NewBinaryViewBuilder(memory.DefaultAllocator), "eA==", "bG9uZyBieXRlcyBvZiBhIHZpZXc="))
	inner := array.NewDictionaryArray(textType, codes(0, 1, -1), views(array.NewStringViewBuilder(memory.DefaultAllocator), "a", long+"b"))
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 2, 2, 2, 3}))
	list := array.NewListData(array.NewData(arrow.ListOf(textType), 4, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{inner.Data()}, 0, 0))
	sc := arrow.NewSchema([]arrow.Field{{Name: "p", Type: plain.DataType(), Nullable: true}, {Name: "t", Type: textType, Nullable: true},
		{Name: "b", Type: bytesType, Nullable: true}, {Name: "l", Type: list.DataType(), Nullable: true}}, nil)
	return array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{plain, text, bytes, list}, 4)})
}

// TestDictionariesOfViews reads dictionaries whose values are views, which have buffers of their
// own in a dictionary's batch and none in a record's.
func TestDictionariesOfViews(t *testing.T) {
	tab := encodedViewTable(t)
	long := strings.Repeat("long text ", 5)
	want := []string{`"p"|"` + long + `"|"x"|"[\"a\", \"` + long + `b\"]"|`, `"` + long + `q"|<null>|"x"|"[]"|`, `"r"|"x"|<null>|"[]"|`, `""|"` + long + `"|"long bytes of a view"|"[null]"|`}
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(tab.Schema()))
	for r := array.NewTableReader(tab, 3); r.Next(); {
		if err := w.Write(r.Record()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"file": writeArrow(t, tab, 3), "stream": tempFile(t, "x.arrow", stream.String())} {
		file := open(t, path, Options{})
		if got := schemaText(file); got != "p:text t:text b:blob l:json" {
			t.Errorf("%s: %s", name, got)
		}
		compareRows(t, name, rowsOf(t, file, catalog.ScanSpec{}), want)
	}
}

// TestPolarsFiles reads files that Polars wrote: a categorical column, which is a dictionary of
// views, and buffers compressed as LZ4 frames with checksums of their blocks.
func TestPolarsFiles(t *testing.T) {
	for _, c := range []struct {
		name, columns string
		rows          []string
	}{
		{"polars_cat.arrow", "c:text", []string{`"x"|`, `"y"|`, `"x"|`, "<null>|"}},
		{"polars_lz4.arrow", "i:double f:double s:text b:tinyint(1) l:json d:datetime(6)", []string{
			`"1"|"1.5"|"a"|"1"|"[1.0, 2.0]"|"2020-01-02 03:04:05.000000"|`,
			`"2"|"NaN"|""|"0"|"[]"|"1960-01-01 00:00:00.000000"|`,
			`<null>|<null>|<null>|<null>|"[3.0]"|<null>|`}},
	} {
		tab := open(t, "testdata/"+c.name, Options{})
		if got := schemaText(tab); got != c.columns {
			t.Errorf("%s: %s", c.name, got)
		}
		compareRows(t, c.name, rowsOf(t, tab, catalog.ScanSpec{}), c.rows)
	}
}
