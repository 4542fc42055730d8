package files

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"

	"gsql/sql/sqlerr"
)

// runtimeWords must not occur in errors about a damaged file.
var runtimeWords = []string{"runtime", "panic", "goroutine", "reflect", "nil pointer", "slice bounds", "index out of range", "makeslice", "arrow/ipc", "interface conversion",
	"flatbuf", "xerrors", "%!"}

// mutants returns the files that the test damages, by name; the extension determines how they are
// read.
func mutants(t *testing.T) map[string][]byte {
	out := map[string][]byte{}
	add := func(name, ext string, data []byte) { out[name+ext] = data }
	from := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	r := rand.New(rand.NewPCG(31, 32))
	varied := func(opts ...parquet.WriterProperty) []byte {
		return from(writeParquet(t, variedTable(r, 60, true, r.IntN(2) == 0), 40, append([]parquet.WriterProperty{parquet.WithVersion(parquet.V2_LATEST)}, opts...)...))
	}
	perColumn := func(enc parquet.Encoding, cols ...string) []byte {
		p := []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}
		for _, c := range cols {
			p = append(p, parquet.WithEncodingFor(c, enc))
		}
		return varied(p...)
	}
	add("dictionary", ".parquet", varied())
	add("fallback", ".parquet", varied(parquet.WithDictionaryPageSizeLimit(100), parquet.WithDataPageSize(200)))
	add("plain", ".parquet", varied(parquet.WithDictionaryDefault(false)))
	add("v2", ".parquet", varied(parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Snappy)))
	add("gzip", ".parquet", varied(parquet.WithCompression(compress.Codecs.Gzip)))
	add("zstd", ".parquet", varied(parquet.WithCompression(compress.Codecs.Zstd)))
	add("brotli", ".parquet", varied(parquet.WithCompression(compress.Codecs.Brotli)))
	add("delta", ".parquet", perColumn(parquet.Encodings.DeltaBinaryPacked, "i32", "i64", "us", "date", "u32"))
	add("delta-strings", ".parquet", perColumn(parquet.Encodings.DeltaByteArray, "s"))
	add("delta-lengths", ".parquet", perColumn(parquet.Encodings.DeltaLengthByteArray, "s"))
	add("nested", ".parquet", from(writeParquet(t, deepTable(t), 3)))
	add("nested-v2", ".parquet", from(writeParquet(t, deepTable(t), 3, parquet.WithDataPageVersion(parquet.DataPageV2))))
	add("lz4", ".parquet", from("testdata/lz4_raw.parquet"))
	for i, c := range arrowCases() {
		add(fmt.Sprint("arrow-", i), ".arrow", from(writeArrow(t, arrowCase(t, c.dt, c.json), 4)))
	}
	add("checksums", ".arrow", from("testdata/polars_lz4.arrow"))
	for _, name := range []string{"variant", "variant_deep"} {
		add(name, ".parquet", from("testdata/"+name+".parquet"))
	}
	add("every-type", ".parquet", small(t, "x.parquet"))
	add("every-type", ".arrow", small(t, "x.arrow"))
	for name, opts := range map[string][]ipc.Option{"plain": {}, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		for _, tab := range []arrow.Table{variedTable(r, 30, true, true), deepTable(t), dictionaryTable(t), viewTable(t), encodedViewTable(t)} {
			var stream bytes.Buffer
			file, err := os.Create(filepath.Join(t.TempDir(), "x"))
			if err != nil {
				t.Fatal(err)
			}
			opts := append(opts, ipc.WithSchema(tab.Schema()))
			sw := ipc.NewWriter(&stream, opts...)
			fw, err := ipc.NewFileWriter(file, opts...)
			if err != nil {
				t.Fatal(err)
			}
			rows := array.NewTableReader(tab, 20)
			for rows.Next() {
				if err := errors.Join(sw.Write(rows.Record()), fw.Write(rows.Record())); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(sw.Close(), fw.Close()); err != nil {
				t.Fatal(err)
			}
			add(fmt.Sprint(name, "-", tab.NumCols(), "-stream"), ".arrow", stream.Bytes())
			add(fmt.Sprint(name, "-", tab.NumCols(), "-file"), ".arrow", from(file.Name()))
			file.Close()
		}
	}
	add("book", ".xlsx", from("testdata/book.xlsx"))
	add("one", ".sqlite", from("testdata/one.sqlite"))
	add("nested", ".json", []byte(`[{"a":1,"b":{"c":[1,2,{"d":"\u00e4"}]}}, {"a":null,"b":"x"},{"e":true}]`))
	add("nested", ".ndjson.gz", compressBytes(t, []byte(strings.Repeat("{\"a\":1.5,\"b\":[{}]}\n", 50)), ".gz"))
	for _, ext := range []string{".csv", ".csv.gz", ".csv.zst"} {
		add("every-type", ext, small(t, "x"+ext))
	}
	return out
}

// deepTable returns a table with lists, maps and structures.
func deepTable(t *testing.T) arrow.Table {
	ints := arrow.ListOf(arrow.PrimitiveTypes.Int32)
	point := arrow.StructOf(arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, arrow.Field{Name: "l", Type: arrow.ListOf(ints), Nullable: true})
	return nestedTable(t, arrow.StructOf(arrow.Field{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, point), Nullable: true}, arrow.Field{Name: "i", Type: ints, Nullable: true}),
		`[{"m": [{"key": "a", "value": {"y": 1.5, "l": [[1], [], null, [2, null]]}}, {"key": "b", "value": null}], "i": [1, 2, 3]}, null, {"m": [], "i": null},
		  {"m": null, "i": [7]}, {"m": [{"key": "long", "value": {"y": null, "l": []}}], "i": []}]`)
}

// dictionaryTable returns a table of two columns, one of them with a dictionary.
func dictionaryTable(t *testing.T) arrow.Table {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dict, Nullable: true}, {Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range 30 {
		if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("w", i%4)); err != nil {
			t.Fatal(err)
		}
		b.Field(1).(*array.Int32Builder).Append(int32(i))
	}
	return array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
}

// viewTable returns a table of three columns, two of them views.
func viewTable(t *testing.T) arrow.Table {
	sc := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.BinaryView, Nullable: true},
		{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range 30 {
		text := strings.Repeat("text ", i%5)
		b.Field(0).(*array.StringViewBuilder).Append(text)
		b.Field(1).(*array.BinaryViewBuilder).AppendString(text)
		b.Field(2).(*array.Int32Builder).Append(int32(i))
	}
	return array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
}

// TestMutants damages files of every type, encoding and compression: each one must either be read
// or result in an error of gsql's that names the file and does not mention Go, quickly and with
// little memory.
func TestMutants(t *testing.T) {
	const maxTime, maxMemory = 20 * time.Second, 400 << 20
	each := 150
	if testing.Short() {
		each = 20
	}
	dir := t.TempDir()
	files := mutants(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		_, ext, _ := strings.Cut(name, ".")
		path := filepath.Join(dir, "x."+ext)
		if err := readWhole(t, path, data); err != nil {
			t.Errorf("%s, whole: %v", name, err)
		}
		for k := range each {
			r := rand.New(rand.NewPCG(uint64(k), 77))
			bad := mutate(r, data)
			start := time.Now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := readWhole(t, path, bad)
			runtime.ReadMemStats(&after)
			if d := time.Since(start); d > maxTime {
				t.Errorf("%s, mutant %d: took %v", name, k, d)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > maxMemory {
				t.Errorf("%s, mutant %d: took %d MB (%v)", name, k, used>>20, err)
			}
			if err != nil {
				checkDamage(t, fmt.Sprintf("%s, mutant %d", name, k), path, err)
			}
		}
	}
}

func readWhole(t *testing.T, path string, data []byte) error {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return readAll(path, Options{})
}

// checkDamage checks the error for a damaged file.
func checkDamage(t *testing.T, what, path string, err error) {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code == sqlerr.InternalError || !strings.Contains(e.Msg, filepath.Base(path)) || e.Hint == "" {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, w := range runtimeWords {
		if strings.Contains(e.Error()+e.Hint, w) {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
}

// mutate flips bits, overwrites bytes and numbers, cuts, repeats or drops pieces.
func mutate(r *rand.Rand, data []byte) []byte {
	bad := bytes.Clone(data)
	at := func() int {
		if r.IntN(2) == 0 { // most errors are in footers
			return len(bad) - 1 - r.IntN(min(len(bad), 2000))
		}
		return r.IntN(len(bad))
	}
	for range 1 + r.IntN(3) {
		switch r.IntN(8) {
		case 0:
			bad = bad[:max(1, at())]
		case 1:
			i := at()
			bad = append(bad[:i:i], bad[min(len(bad), i+1+r.IntN(16)):]...)
		case 2:
			i := at()
			bad = append(append(bad[:i:i], bytes.Repeat([]byte{byte(r.Uint32())}, 1+r.IntN(16))...), bad[i:]...)
		case 3:
			for i := at(); i < len(bad) && r.IntN(6) > 0; i++ {
				bad[i] = 0xff
			}
		case 4:
			bad[at()] = byte(r.Uint32())
		default:
			bad[at()] ^= 1 << r.IntN(8)
		}
	}
	return bad
}
