package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/sqlerr"
)

// nested returns a stream whose schema has all elements that refer to other parts of it.
func nested(tb testing.TB) []byte {
	tb.Helper()
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: i8}, arrow.Field{Name: "b", Type: arrow.ListOf(text), Nullable: true})
	meta := arrow.NewMetadata([]string{"k", "l"}, []string{"v", "w"})
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Metadata: meta},
		{Name: "s", Type: inner, Nullable: true},
		{Name: "m", Type: arrow.MapOf(text, inner), Nullable: true},
		{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: i8, Nullable: true}, {Name: "y", Type: text, Nullable: true}}, []arrow.UnionTypeCode{3, 5})},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: i8, ValueType: text}, Nullable: true},
	}, &meta)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range 4 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		for _, f := range b.Fields()[1:] {
			f.AppendNull()
		}
	}
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(sc))
	if err := w.Write(b.NewRecord()); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// TestDamagedArrow overwrites words throughout files, including lengths, offsets and tables, with
// misleading numbers. This must not end the process, nor take much time or memory.
func TestDamagedArrow(t *testing.T) {
	const step = 97 // in words; FuzzArrow tries the others
	for name, data := range map[string][]byte{"file": small(t, "x.arrow"), "stream": nested(t)} {
		path := tempFile(t, "x.arrow", string(data))
		if err := readAll(path, Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		words := len(data) / 4
		for i := 0; i < words; i += step {
			old := binary.LittleEndian.Uint32(data[4*i:])
			for _, x := range []uint32{0, 1, 0x7fffffff, 0x80000000, -uint32(4 * i), old + 4, old << 8, old ^ 1<<20, old ^ 0xff000000} {
				bad := bytes.Clone(data)
				binary.LittleEndian.PutUint32(bad[4*i:], x)
				if err := os.WriteFile(path, bad, 0o600); err != nil {
					t.Fatal(err)
				}
				started := time.Now()
				var e *sqlerr.Error
				if err := readAll(path, Options{}); err != nil && !errors.As(err, &e) {
					t.Errorf("%s, %#x at %d: %v", name, x, 4*i, err)
				}
				if d := time.Since(started); d > time.Minute {
					t.Errorf("%s, %#x at %d: reading took %v", name, x, 4*i, d)
				}
			}
		}
	}
}

func FuzzArrow(f *testing.F) {
	f.Add(small(f, "x.arrow"))
	f.Add(nested(f))
	path := filepath.Join(f.TempDir(), "x.arrow")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var e *sqlerr.Error
		if err := readAll(path, Options{}); err != nil && !errors.As(err, &e) {
			t.Fatalf("not an error of ours: %v", err)
		}
	})
}
