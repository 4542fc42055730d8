package files

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestArrowStream reads the stream format, compressed inside and outside, with a dictionary
// column and several record batches.
func TestArrowStream(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dict, Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int32},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	r := rand.New(rand.NewPCG(1, 1))
	var want []string
	var recs []arrow.Record
	for i := range 100 {
		word := fmt.Sprint("w", r.IntN(5))
		if i%9 == 0 {
			b.Field(0).AppendNull()
			want = append(want, fmt.Sprintf("<null>|%q|", fmt.Sprint(i)))
		} else {
			if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(word); err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprintf("%q|%q|", word, fmt.Sprint(i)))
		}
		b.Field(1).(*array.Int32Builder).Append(int32(i))
		b.Field(2).AppendNull()
	}
	recs = append(recs, b.NewRecord())
	for _, opt := range [][]ipc.Option{{}, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
		var buf bytes.Buffer
		w := ipc.NewWriter(&buf, append(opt, ipc.WithSchema(sc))...)
		for from := int64(0); from < 100; from += 30 {
			if err := w.Write(recs[0].NewSlice(from, min(from+30, 100))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{"", ".gz"} {
			tab := open(t, compressed(t, tempFile(t, "x.arrow", buf.String()), ext), Options{})
			if got := schemaText(tab); got != "d:text i:int l:json" {
				t.Errorf("schema %s", got)
			}
			compareRows(t, "stream"+ext, rowsOf(t, tab, catalog.ScanSpec{Columns: []int{0, 1}, BatchSize: 7}), want)
			eachRow(t, tab, catalog.ScanSpec{Columns: []int{0}}, func(b *vec.Batch, _ int) {
				if b.Cols[0].Form != vec.View {
					t.Fatal("the dictionary column is not a view")
				}
			})
		}
	}
}

// writeArrow writes a table to a file with record batches of the given number of rows.
func writeArrow(tb testing.TB, tab arrow.Table, rows int64) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "x.arrow")
	h, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer h.Close()
	w, err := ipc.NewFileWriter(h, ipc.WithSchema(tab.Schema()))
	if err != nil {
		tb.Fatal(err)
	}
	for r := array.NewTableReader(tab, rows); r.Next(); {
		if err := w.Write(r.Record()); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestArrowNested reads lists, maps and structures as JSON, over several record batches.
func TestArrowNested(t *testing.T) {
	for _, c := range nestedCases {
		for _, rows := range []int64{1, 2, 100} {
			tab := open(t, writeArrow(t, nestedTable(t, c.dt, c.json), rows), Options{})
			if got := schemaText(tab); got != "x:json" {
				t.Errorf("%s is %s", c.dt, got)
			}
			if got := plainTexts(t, tab); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s: %q, want %q", c.dt, got, c.want)
			}
		}
	}
	fixed := arrow.FixedSizeListOf(2, arrow.BinaryTypes.String)
	tab := open(t, writeArrow(t, nestedTable(t, fixed, `[["a", "b"], null, ["c", null]]`), 2), Options{})
	if got := plainTexts(t, tab); strings.Join(got, "|") != `["a", "b"]|<null>|["c", null]` {
		t.Errorf("%q", got)
	}
	wide := arrow.ListOf(&arrow.Decimal256Type{Precision: 60, Scale: 2})
	tab = open(t, writeArrow(t, nestedTable(t, wide, `[["1.25"]]`), 2), Options{})
	if n := count(t, tab, 1, catalog.ScanSpec{}); n != 1 {
		t.Errorf("%d rows beside wide decimals", n)
	}
	if err := scanError(t, tab); !errors.Is(err, sqlerr.NotSupportedYet) || !strings.Contains(err.Error(), "'x'") {
		t.Errorf("wide decimals: %v", err)
	}
}

// TestArrowViews reads views of texts and bytes. Short values are stored in the views.
func TestArrowViews(t *testing.T) {
	long := strings.Repeat("long text ", 5)
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView} {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		for range 3 {
			switch b := b.(type) {
			case *array.StringViewBuilder:
				b.AppendStringValues([]string{"short", long, "", ""}, []bool{true, true, true, false})
			case *array.BinaryViewBuilder:
				b.AppendStringValues([]string{"short", long, "", ""}, []bool{true, true, true, false})
			}
		}
		sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: true}}, nil)
		rec := array.NewRecord(sc, []arrow.Array{b.NewArray()}, 12)
		tab := open(t, writeArrow(t, array.NewTableFromRecords(sc, []arrow.Record{rec}), 5), Options{})
		want := strings.Repeat("|short|"+long+"||<null>", 3)[1:]
		if got := plainTexts(t, tab); strings.Join(got, "|") != want {
			t.Errorf("%s: %q", dt, got)
		}
	}
}
