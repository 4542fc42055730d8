package files

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	pqfile "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// leafOf returns a leaf of a Parquet schema.
func leafOf(t *testing.T, name string, rep parquet.Repetition, l schema.LogicalType, typ parquet.Type, width int) schema.Node {
	t.Helper()
	n, err := schema.NewPrimitiveNodeLogical(name, rep, l, typ, width, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// writeLeaves returns a file of columns of byte arrays with the given number of row groups, made with
// the library's low-level writer. write writes column i of each row group.
func writeLeaves(t *testing.T, nodes schema.FieldList, write func(int, pqfile.ColumnChunkWriter), groups int, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := pqfile.NewParquetWriter(&buf, root, pqfile.WithWriterProps(parquet.NewWriterProperties(opts...)))
	for range groups {
		g := w.AppendRowGroup()
		for i := range nodes {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			write(i, c)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// editFooter replaces bytes in the footer and corrects its length.
func editFooter(t *testing.T, data, from, to []byte) []byte {
	t.Helper()
	length := int(binary.LittleEndian.Uint32(data[len(data)-8:]))
	start := len(data) - 8 - length
	footer := bytes.Replace(data[start:len(data)-8], from, to, 1)
	if len(footer) == length {
		if bytes.Equal(footer, data[start:len(data)-8]) && !bytes.Equal(from, to) {
			t.Fatal("the footer has nothing of the kind")
		}
	}
	out := append(bytes.Clone(data[:start]), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

func byteArrays(t *testing.T, c pqfile.ColumnChunkWriter, values ...string) {
	t.Helper()
	var err error
	switch w := c.(type) {
	case *pqfile.ByteArrayColumnChunkWriter:
		var out []parquet.ByteArray
		for _, v := range values {
			out = append(out, parquet.ByteArray(v))
		}
		_, err = w.WriteBatch(out, nil, nil)
	case *pqfile.FixedLenByteArrayColumnChunkWriter:
		var out []parquet.FixedLenByteArray
		for _, v := range values {
			out = append(out, parquet.FixedLenByteArray(v))
		}
		_, err = w.WriteBatch(out, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestParquetUnknownAnnotation reads the bytes of a column whose annotation is newer than this
// reader, and the column next to it.
func TestParquetUnknownAnnotation(t *testing.T) {
	req := parquet.Repetitions.Required
	nodes := schema.FieldList{leafOf(t, "g", req, schema.BSONLogicalType{}, parquet.Types.ByteArray, -1),
		leafOf(t, "s", req, schema.StringLogicalType{}, parquet.Types.ByteArray, -1)}
	data := writeLeaves(t, nodes, func(_ int, c pqfile.ColumnChunkWriter) { byteArrays(t, c, "a", "b") }, 1)
	for _, field := range []byte{16, 17, 18, 63} {
		// The union's field 13 becomes another one, whose number is in a separate byte.
		later := editFooter(t, data, []byte{0xdc, 0, 0}, []byte{0x0c, field << 1, 0, 0})
		tab := open(t, tempFile(t, "x.parquet", string(later)), Options{})
		if got := schemaText(tab); got != "g:blob s:text" {
			t.Errorf("field %d: %s", field, got)
		}
		compareRows(t, "unknown annotation", rowsOf(t, tab, catalog.ScanSpec{}), []string{`"a"|"a"|`, `"b"|"b"|`})
	}
}

// TestParquetForms reads UUIDs, intervals and columns of the null type.
func TestParquetForms(t *testing.T) {
	req := parquet.Repetitions.Required
	interval, err := schema.NewPrimitiveNodeConverted("i", req, parquet.Types.FixedLenByteArray, schema.ConvertedTypes.Interval, 12, 0, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	nodes := schema.FieldList{leafOf(t, "u", req, schema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16), interval}
	values := [][]string{
		{"\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00", strings.Repeat("\xff", 16)},
		{"\x01\x00\x00\x00\x02\x00\x00\x00\xac\x0d\x00\x00", strings.Repeat("\x00", 12)},
	}
	want := []string{`"550e8400-e29b-41d4-a716-446655440000"|"P1M2DT3.5S"|`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"|"P0M0DT0S"|`}
	for _, opts := range [][]parquet.WriterProperty{nil, {parquet.WithDictionaryDefault(false)}, {parquet.WithDataPageVersion(parquet.DataPageV2)}} {
		data := writeLeaves(t, nodes, func(i int, c pqfile.ColumnChunkWriter) { byteArrays(t, c, values[i]...) }, 1, opts...)
		compareRows(t, "forms", rowsOf(t, open(t, tempFile(t, "x.parquet", string(data)), Options{}), catalog.ScanSpec{}), want)
	}
	nulls, _, err := array.FromJSON(memory.DefaultAllocator, arrow.Null, strings.NewReader("[null, null]"))
	if err != nil {
		t.Fatal(err)
	}
	sc := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.Null, Nullable: true}}, nil)
	path := writeParquet(t, array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{nulls}, 2)}), 10)
	compareRows(t, "nulls", rowsOf(t, open(t, path, Options{}), catalog.ScanSpec{}), []string{"<null>|", "<null>|"})
}

// TestParquetWideDecimals reads decimals declared with more digits than DECIMAL has. This works
// as long as the values have no more.
func TestParquetWideDecimals(t *testing.T) {
	dt := &arrow.Decimal256Type{Precision: 60, Scale: 2}
	b := array.NewDecimal256Builder(memory.DefaultAllocator, dt)
	most, _ := new(big.Int).SetString(strings.Repeat("9", 38), 10)
	for _, x := range []*big.Int{big.NewInt(12345), big.NewInt(-5), most} {
		b.Append(decimal256.FromBigInt(x))
	}
	file := func(values arrow.Array) string {
		sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
		return writeParquet(t, array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{values}, int64(values.Len()))}), 10)
	}
	tab := open(t, file(b.NewArray()), Options{})
	if got := schemaText(tab); got != "d:decimal(38,2)" {
		t.Error(got)
	}
	compareRows(t, "decimals", rowsOf(t, tab, catalog.ScanSpec{}), []string{`"123.45"|`, `"-0.05"|`, `"` + strings.Repeat("9", 36) + `.99"|`})
	for _, x := range []*big.Int{new(big.Int).Add(most, big.NewInt(1)), new(big.Int).Mul(most, most)} {
		b.Append(decimal256.FromBigInt(x))
		path := file(b.NewArray())
		if err := readAll(path, Options{}); !errors.Is(err, sqlerr.WarnDataOutOfRange) || !strings.Contains(err.Error(), "'d'") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", x, err)
		}
	}
}

// TestParquetUnreadable counts the rows and reads the other columns of files with a column that
// cannot be read. The error must name that column.
func TestParquetUnreadable(t *testing.T) {
	req := parquet.Repetitions.Required
	text := schema.StringLogicalType{}
	nodes := schema.FieldList{leafOf(t, "a", req, text, parquet.Types.ByteArray, -1), leafOf(t, "b", req, text, parquet.Types.ByteArray, -1)}
	write := func(_ int, c pqfile.ColumnChunkWriter) { byteArrays(t, c, "x", "y") }
	const key = "0123456789012345"
	columns := parquet.ColumnPathToEncryptionPropsMap{"b": parquet.NewColumnEncryptionProperties("b", parquet.WithKey(key))}
	encrypted := func(opts ...parquet.EncryptOption) []byte {
		return writeLeaves(t, nodes, write, 1, parquet.WithEncryptionProperties(parquet.NewFileEncryptionProperties(key, opts...)))
	}
	plain := writeLeaves(t, nodes, write, 1, parquet.WithDictionaryDefault(false))
	meta := bytes.LastIndex(plain, []byte("\x01b\x15")) // the end of path_in_schema, then the codec
	lzo := bytes.Clone(plain)
	lzo[meta+3] = 3 << 1
	for _, c := range []struct {
		name string
		data []byte
		word string
	}{
		{"encrypted", encrypted(parquet.WithPlaintextFooter(), parquet.WithEncryptedColumns(columns)), "encrypted column 'b'"},
		{"lzo", lzo, "the compression LZO of column 'b'"},
	} {
		tab := open(t, tempFile(t, "x.parquet", string(c.data)), Options{})
		if s := tab.Stats(); s.Rows != 2 {
			t.Errorf("%s: %d rows", c.name, s.Rows)
		}
		if n := count(t, tab, 1, catalog.ScanSpec{}); n != 2 {
			t.Errorf("%s: %d rows counted", c.name, n)
		}
		compareRows(t, c.name, rowsOf(t, tab, catalog.ScanSpec{Columns: []int{0}}), []string{`"x"|`, `"y"|`})
		if err := scanError(t, tab); !errors.Is(err, sqlerr.NotSupportedYet) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := Open(context.Background(), tempFile(t, "x.parquet", string(encrypted())), Options{})
	if !errors.Is(err, sqlerr.NotSupportedYet) || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("an encrypted file: %v", err)
	}
}

// TestParquetShapes reads files without rows, with empty row groups, with repeated, empty or
// strange names, and with repeated fields without annotation.
func TestParquetShapes(t *testing.T) {
	req, text := parquet.Repetitions.Required, schema.StringLogicalType{}
	leaf := func(name string) schema.Node { return leafOf(t, name, req, text, parquet.Types.ByteArray, -1) }
	names := schema.FieldList{leaf("a"), leaf("A"), leaf(""), leaf("x y`\"\n"), leaf("\xff")}
	values := []string{"v"}
	write := func(_ int, c pqfile.ColumnChunkWriter) { byteArrays(t, c, values...) }
	tab := open(t, tempFile(t, "x.parquet", string(writeLeaves(t, names, write, 2))), Options{})
	if got := schemaText(tab); got != "a:text A_2:text c3:text x y`\"\n:text \ufffd:text" {
		t.Errorf("%q", got)
	}
	compareRows(t, "names", rowsOf(t, tab, catalog.ScanSpec{}), []string{`"v"|"v"|"v"|"v"|"v"|`, `"v"|"v"|"v"|"v"|"v"|`})
	for groups := range 3 {
		values = nil
		tab := open(t, tempFile(t, "x.parquet", string(writeLeaves(t, names, write, groups))), Options{})
		if n := count(t, tab, 2, catalog.ScanSpec{Columns: []int{0, 3}}); n != 0 || tab.Stats().Rows != 0 {
			t.Errorf("%d empty row groups: %d rows", groups, n)
		}
	}
	repeated := schema.FieldList{leafOf(t, "r", parquet.Repetitions.Repeated, text, parquet.Types.ByteArray, -1)}
	data := writeLeaves(t, repeated, func(_ int, c pqfile.ColumnChunkWriter) {
		w := c.(*pqfile.ByteArrayColumnChunkWriter)
		if _, err := w.WriteBatch([]parquet.ByteArray{[]byte("a"), []byte("b"), []byte("c")}, []int16{1, 1, 0, 1}, []int16{0, 1, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}, 1)
	tab = open(t, tempFile(t, "x.parquet", string(data)), Options{})
	compareRows(t, "repeated", rowsOf(t, tab, catalog.ScanSpec{}), []string{`"[\"a\", \"b\"]"|`, `"[]"|`, `"[\"c\"]"|`})
}

// TestParquetShortChunks reads files whose chunks are declared shorter than they are by the size
// of the dictionary page's header, as an old writer did.
func TestParquetShortChunks(t *testing.T) {
	nodes := schema.FieldList{leafOf(t, "a", parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1)}
	write := func(_ int, c pqfile.ColumnChunkWriter) { byteArrays(t, c, "x", "y", "x") }
	for creator, fits := range map[string]bool{"parquet-mr": true, "parquet-mr version 1.2.8": true, "parquet-mr version 1.10.0": false, "other": false} {
		data := writeLeaves(t, nodes, write, 1, parquet.WithCreatedBy(creator))
		f, err := pqfile.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		// The two sizes are adjacent: that of the unpacked pages, which is the same, and that of
		// the chunk.
		size := func(n int64) []byte { return append([]byte{0x16}, binary.AppendVarint(nil, n)...) }
		column, err := f.MetaData().RowGroup(0).ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		whole := column.TotalCompressedSize()
		short := editFooter(t, data, append(size(whole), size(whole)...), append(size(whole), size(whole-14)...))
		path := tempFile(t, "x.parquet", string(short))
		if err := readAll(path, Options{}); (err == nil) != fits {
			t.Errorf("%s: %v", creator, err)
		}
		if fits {
			compareRows(t, creator, rowsOf(t, open(t, path, Options{}), catalog.ScanSpec{}), []string{`"x"|`, `"y"|`, `"x"|`})
		}
	}
}
