package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// texts returns a table of n texts, every third one NULL, with bad at row at, and a further
// column.
func texts(n, at int, bad string, dict bool) arrow.Table {
	var typ arrow.DataType = arrow.BinaryTypes.String
	if dict {
		typ = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: typ}
	}
	sc := arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ, Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range n {
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		text := fmt.Sprintf("a text of some length %d", i%500)
		switch {
		case i == at:
			text = bad
		case i%3 == 0:
			b.Field(0).AppendNull()
			continue
		}
		if d, ok := b.Field(0).(*array.BinaryDictionaryBuilder); ok {
			if err := d.AppendString(text); err != nil {
				panic(err)
			}
			continue
		}
		b.Field(0).(*array.StringBuilder).Append(text)
	}
	return array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
}

// readColumns reads columns to the end or until an error.
func readColumns(tb testing.TB, t catalog.Table, cols ...int) error {
	tb.Helper()
	return drain(t, catalog.ScanSpec{Columns: cols})
}

// TestTextsThatAreNotUTF8 checks that text columns of Parquet and Arrow files with invalid UTF-8
// cause error 1366 when the row is read, whatever the encoding, and that other columns can be
// read.
func TestTextsThatAreNotUTF8(t *testing.T) {
	const n, at = 20000, 12344
	files := map[string]func(testing.TB, string) string{
		"dictionary page": func(tb testing.TB, bad string) string {
			return writeParquet(tb, texts(n, at, bad, false), 5000)
		},
		"arrow": func(tb testing.TB, bad string) string { return writeArrow(tb, texts(n, at, bad, false), 5000) },
		"arrow dictionary": func(tb testing.TB, bad string) string {
			return writeArrow(tb, texts(n, at, bad, true), 5000)
		},
	}
	for name, enc := range map[string]parquet.Encoding{
		"plain": parquet.Encodings.Plain, "delta length": parquet.Encodings.DeltaLengthByteArray, "delta": parquet.Encodings.DeltaByteArray,
	} {
		for _, v := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			size := int64(4096)
			if enc == parquet.Encodings.DeltaByteArray {
				size = 1 << 20 // the library's writer does not start anew in the second page
			}
			files[fmt.Sprint(name, " ", v)] = func(tb testing.TB, bad string) string {
				return writeParquet(tb, texts(n, at, bad, false), 5000, parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("s", enc), parquet.WithDataPageVersion(v), parquet.WithDataPageSize(size))
			}
		}
	}
	for name, write := range files {
		for bad, shown := range map[string]string{
			"abc\xff\xfe": `\xFF\xFE`, "\xc3": `\xC3`, "a text \x80 of some length": `\x80\x20\x6F\x66\x20\x73...`, strings.Repeat("x", 300) + "\xed\xa0\x80": `\xED\xA0\x80`,
		} {
			tab := open(t, write(t, bad), Options{})
			err := readColumns(t, tab, 0, 1)
			if e := (*sqlerr.Error)(nil); !errors.As(err, &e) || e.Code != sqlerr.TruncatedWrongValueForField {
				t.Errorf("%s, %q: %v", name, bad, err)
				continue
			}
			want := fmt.Sprintf("Incorrect string value: '%s' for column 's' at row %d of ", shown, at%5000+1)
			if !strings.HasPrefix(sqlerr.From(err).Msg, want) {
				t.Errorf("%s, %q: %v, want %s", name, bad, err, want)
			}
			if err := readColumns(t, tab, 1); err != nil {
				t.Errorf("%s, the other column: %v", name, err)
			}
		}
		for _, good := range []string{"Grüße", "日本語", "\u00e9\U0001f600", strings.Repeat("ä", 200)} {
			if err := readColumns(t, open(t, write(t, good), Options{}), 0); err != nil {
				t.Errorf("%s, %q: %v", name, good, err)
			}
		}
	}
}

// TestTextsAtTheEdgesOfValid checks that texts are validated individually if the bytes of a page,
// including lengths and neighbours, are valid UTF-8 as a whole: a lead byte that the next text or
// the next length completes, or a continuation byte that follows the previous text.
func TestTextsAtTheEdgesOfValid(t *testing.T) {
	long := strings.Repeat("x", 0x90) // its length is a continuation byte
	cases := map[string][]string{
		"good":                       {"é", "日本", long + "ü", "", "ü"},
		"a length completes a text":  {"é", "ab\xc3", long, "é"},
		"a text completes a text":    {"é", "ab\xc3", "\xa9", "é"},
		"three bytes in three texts": {"é", "\xe6", "\x97", "\xa5", "é"},
	}
	for name, all := range cases {
		for _, enc := range []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray} {
			b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil))
			b.Field(0).(*array.StringBuilder).AppendValues(all, nil)
			table := array.NewTableFromRecords(b.Schema(), []arrow.Record{b.NewRecord()})
			path := writeParquet(t, table, 100, parquet.WithDictionaryDefault(false), parquet.WithEncodingFor("s", enc))
			err := readColumns(t, open(t, path, Options{}), 0)
			if name == "good" {
				if err != nil {
					t.Errorf("%s, %v: %v", name, enc, err)
				}
				continue
			}
			if e := (*sqlerr.Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Msg, "at row 2 of ") {
				t.Errorf("%s, %v: %v", name, enc, err)
			}
		}
	}
}
