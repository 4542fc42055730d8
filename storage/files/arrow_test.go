package files

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/catalog"
	"gsql/sql/vec"
)

// TestArrowStream reads the stream format, compressed inside and outside, with a
// dictionary column and several record batches.
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
			if got := schemaText(tab); !strings.HasPrefix(got, "d:text i:int ") {
				t.Errorf("schema %s", got)
			}
			compareRows(t, "stream"+ext, rowsOf(t, tab, catalog.ScanSpec{Columns: []int{0, 1}, BatchSize: 7}), want)
			eachRow(t, tab, catalog.ScanSpec{Columns: []int{0}}, func(b *vec.Batch, _ int) {
				if b.Cols[0].Form != vec.View {
					t.Fatal("the dictionary column is not a view")
				}
			})
			if err := scanError(t, tab); err == nil || !strings.Contains(err.Error(), "'l'") {
				t.Errorf("a nested column: %v", err)
			}
		}
	}
}
