package files

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/csv"
)

// everyType is a table with a column of every type.
var everyType = []catalog.Column{
	{Name: "b", Type: types.T(types.Bool)}, {Name: "i8", Type: types.T(types.Int8)}, {Name: "i16", Type: types.T(types.Int16)},
	{Name: "i32", Type: types.T(types.Int32)}, {Name: "i64", Type: types.T(types.Int64)}, {Name: "u8", Type: types.T(types.Uint8)},
	{Name: "u16", Type: types.T(types.Uint16)}, {Name: "u32", Type: types.T(types.Uint32)}, {Name: "u64", Type: types.T(types.Uint64)},
	{Name: "f32", Type: types.T(types.Float32)}, {Name: "f64", Type: types.T(types.Float64)}, {Name: "d9", Type: types.Dec(9, 2)},
	{Name: "d38", Type: types.Dec(38, 10)}, {Name: "s", Type: types.T(types.String)}, {Name: "low", Type: types.T(types.String)},
	{Name: "date", Type: types.T(types.Date)}, {Name: "dt", Type: types.Type{ID: types.Datetime, Prec: 6}},
	{Name: "ts", Type: types.Type{ID: types.Timestamp, Prec: 6}}, {Name: "t", Type: types.Type{ID: types.Time, Prec: 6}},
	{Name: "nn", Type: types.T(types.Int64), NotNull: true},
}

// randomBatch returns n rows; about one value in nulls is NULL (none if 0).
func randomBatch(r *rand.Rand, cols []catalog.Column, n, nulls int) *vec.Batch {
	b := &vec.Batch{N: n}
	for _, c := range cols {
		v := vec.NewFlat(c.Type, n)
		for i := range n {
			if nulls > 0 && !c.NotNull && r.IntN(nulls) == 0 {
				v.SetNull(i)
				continue
			}
			randomValue(r, c, v, i)
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

func randomValue(r *rand.Rand, c catalog.Column, v *vec.Vector, i int) {
	switch c.Type.Kind() {
	case types.KindF64:
		v.F64[i] = float64(float32(r.NormFloat64() * 1e6))
	case types.KindDec:
		v.Dec[i] = decimal128.FromI64(r.Int64N(2e9) - 1e9)
		if c.Type.Prec == 9 {
			v.Dec[i] = decimal128.FromI64(r.Int64N(2e8) - 1e8)
		}
	case types.KindStr:
		words := []string{"", "a", "NULL", `\N`, "déjà vu", "comma, quote \" and\nnewline", " padded ", `back\slash`, "00501", "NA"}
		v.Str[i] = words[r.IntN(len(words))]
		if c.Name == "s" {
			v.Str[i] += fmt.Sprint(r.IntN(1e6))
		}
	default:
		v.I64[i] = randomInt(r, c.Type)
	}
}

func randomInt(r *rand.Rand, t types.Type) int64 {
	switch t.ID {
	case types.Bool:
		return r.Int64N(2)
	case types.Date:
		return r.Int64N(40000) - 20000
	case types.Datetime, types.Timestamp:
		return r.Int64N(4e15) - 2e15
	case types.Time:
		return r.Int64N(types.Day)
	case types.Uint64:
		return int64(r.Uint64())
	}
	x := int64(r.Uint64()) >> (64 - t.Bits())
	if t.IsUnsigned() {
		return x & (1<<t.Bits() - 1)
	}
	return x
}

func writeFile(tb testing.TB, path string, cols []catalog.Column, opt WriteOptions, batches ...*vec.Batch) {
	tb.Helper()
	w, err := NewWriter(path, cols, opt)
	if err != nil {
		tb.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// rowsOf returns all rows as text, with NULL distinct from the text NULL.
func rowsOf(tb testing.TB, t catalog.Table, spec catalog.ScanSpec) []string {
	tb.Helper()
	var rows []string
	eachRow(tb, t, spec, func(b *vec.Batch, i int) { rows = append(rows, rowText(b, i)) })
	return rows
}

func rowText(b *vec.Batch, i int) string {
	var line strings.Builder
	for _, c := range b.Cols {
		d := catalog.DatumAt(c, i)
		if d.Null {
			line.WriteString("<null>|")
			continue
		}
		fmt.Fprintf(&line, "%q|", d.Text())
	}
	return line.String()
}

func open(tb testing.TB, path string, opt Options) catalog.Table {
	tb.Helper()
	t, err := Open(context.Background(), path, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	declared := map[string]types.Type{}
	for _, c := range everyType {
		declared[c.Name] = c.Type
	}
	for _, ext := range []string{".csv", ".csv.gz", ".tsv.zst", ".parquet", ".parquet.gz", ".arrow", ".json", ".ndjson.zst"} {
		for _, nulls := range []int{0, 3, 1} {
			path := filepath.Join(t.TempDir(), "x"+ext)
			var batches []*vec.Batch
			var want []string
			for _, n := range []int{1, 2048, 700} {
				b := randomBatch(r, everyType, n, nulls)
				batches = append(batches, b)
				for i := range n {
					want = append(want, rowText(b, i))
				}
			}
			writeFile(t, path, everyType, WriteOptions{}, batches...)
			opt := Options{}
			if strings.Contains(ext, "sv") || strings.Contains(ext, "json") {
				opt.Types = declared
			}
			tab := open(t, path, opt)
			for i, c := range tab.Schema().Visible() {
				if c.Name != everyType[i].Name || c.Type != everyType[i].Type {
					t.Errorf("%s: column %s %s, want %s %s", ext, c.Name, c.Type, everyType[i].Name, everyType[i].Type)
				}
			}
			for _, size := range []int{0, 3, 1000} {
				got := rowsOf(t, tab, catalog.ScanSpec{BatchSize: size})
				compareRows(t, fmt.Sprintf("%s nulls %d batch %d", ext, nulls, size), got, want)
			}
		}
	}
}

func compareRows(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d\n got %s\nwant %s", what, i, got[i], want[i])
		}
	}
}

func TestWriterLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	cols := []catalog.Column{{Name: "s", Type: types.T(types.String)}}
	none := byte(0)
	w, err := NewWriter(path, cols, WriteOptions{WriteOptions: csv.WriteOptions{Quote: &none}})
	if err != nil {
		t.Fatal(err)
	}
	v := vec.NewFlat(cols[0].Type, 1)
	v.Str[0] = "a,b"
	if err := w.Write(&vec.Batch{Cols: []*vec.Vector{v}, N: 1}); !errors.Is(err, sqlerr.ErrorOnWrite) {
		t.Errorf("a separator in a field: %v", err)
	}
	if err := w.Close(); !errors.Is(err, sqlerr.ErrorOnWrite) {
		t.Errorf("Close after a failure: %v", err)
	}
	w, _ = NewWriter(path, cols, WriteOptions{})
	w.Abort()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	writeFile(t, path, cols, WriteOptions{})
	if _, err := NewWriter(path, cols, WriteOptions{}); !errors.Is(err, sqlerr.FileExists) {
		t.Errorf("an existing file: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "s\n" {
		t.Errorf("an empty table is written as %q", got)
	}
}

// TestLateNameConflict creates the target while the file is being written.
func TestLateNameConflict(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.parquet")
	w, err := NewWriter(path, everyType[:1], WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, sqlerr.FileExists) {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "mine" {
		t.Error("the other's file was replaced")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestOutfileForms(t *testing.T) {
	cols := []catalog.Column{{Name: "i", Type: types.T(types.Int64)}, {Name: "s", Type: types.T(types.String)}}
	b := &vec.Batch{N: 2, Cols: []*vec.Vector{vec.NewFlat(cols[0].Type, 2), vec.NewFlat(cols[1].Type, 2)}}
	b.Cols[0].I64[0], b.Cols[1].Str[0] = 7, "x\ty\"\\\nz"
	b.Cols[0].SetNull(1)
	b.Cols[1].SetNull(1)
	no, none, back, quote := false, byte(0), byte('\\'), byte('"')
	for _, c := range []struct {
		name string
		opt  WriteOptions
		want string
	}{
		{"MySQL's default", WriteOptions{WriteOptions: csv.WriteOptions{Delimiter: "\t", Quote: &none, Escape: &back, Header: &no}}, "7\tx\\\ty\"\\\\\\nz\n\\N\t\\N\n"},
		{"enclosed", WriteOptions{WriteOptions: csv.WriteOptions{Quote: &quote, Enclose: csv.EncloseAll, Escape: &back, Header: &no}}, "\"7\",\"x\ty\\\"\\\\\\nz\"\n\\N,\\N\n"},
		{"optionally enclosed", WriteOptions{WriteOptions: csv.WriteOptions{Quote: &quote, Enclose: csv.EncloseText, Escape: &back, Header: &no}}, "7,\"x\ty\\\"\\\\\\nz\"\n\\N,\\N\n"},
		{"plain csv", WriteOptions{}, "i,s\n7,\"x\ty\"\"\\\nz\"\n,\n"},
		{"lines", WriteOptions{WriteOptions: csv.WriteOptions{Delimiter: ";", Lines: "\r\n", LinePrefix: ">", Header: &no}}, ">7;\"x\ty\"\"\\\nz\"\r\n>;\r\n"},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		writeFile(t, path, cols, c.opt, b)
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		opt := Options{Options: csv.Options{Delimiter: c.opt.Delimiter, Quote: c.opt.Quote, Escape: c.opt.Escape, Lines: c.opt.Lines, LinePrefix: c.opt.LinePrefix,
			Types: map[string]types.Type{"c1": cols[0].Type, "c2": cols[1].Type}, Header: c.opt.Header}}
		if c.opt.Delimiter == "" {
			opt.Delimiter = ","
		}
		got := rowsOf(t, open(t, path, opt), catalog.ScanSpec{})
		compareRows(t, c.name, got, []string{rowText(b, 0), rowText(b, 1)})
	}
}
