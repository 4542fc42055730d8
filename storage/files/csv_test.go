package files

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/csv"
)

func tempFile(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// schemaText formats the columns as name:type.
func schemaText(t catalog.Table) string {
	var s []string
	for _, c := range t.Schema().Visible() {
		s = append(s, c.Name+":"+c.Type.String())
	}
	return strings.Join(s, " ")
}

func TestSniff(t *testing.T) {
	for _, c := range []struct{ name, text, schema, first string }{
		{"types", "i,f,d,dt,t,b,s\n1,2.5,2024-02-29,2024-02-29 10:11:12,10:11:12,true,x\n-2,1e3,1999-12-31,1999-12-31,-01:00:00,FALSE,y\n",
			"i:bigint f:double d:date dt:datetime t:time b:tinyint(1) s:text", `"1"|"2.5"|"2024-02-29"|"2024-02-29 10:11:12"|"10:11:12"|"1"|"x"|`},
		{"fractions of seconds", "t\n2024-01-01T00:00:00.25Z\n", "t:datetime(6)", `"2024-01-01 00:00:00.250000"|`},
		{"semicolons and decimal commas", "a;b\n1,5;2\n2,5;3\n", "a:text b:bigint", `"1,5"|"2"|`},
		{"tabs", "a\tb\n1\tx\n", "a:bigint b:text", `"1"|"x"|`},
		{"pipes", "a|b|c\n1|2|3\n", "a:bigint b:bigint c:bigint", `"1"|"2"|"3"|`},
		{"no header", "1,x\n2,y\n", "c1:bigint c2:text", `"1"|"x"|`},
		{"all text with header", "name,city\nAnn,Rome\nBob,Oslo\n", "name:text city:text", `"Ann"|"Rome"|`},
		{"all text without header", "Ann,Rome\nBob,Rome\n", "c1:text c2:text", `"Ann"|"Rome"|`},
		{"zip codes", "zip,n\n00501,1\n10001,2\n", "zip:text n:bigint", `"00501"|"1"|`},
		{"phone numbers", "p\n+4930123\n+4930124\n", "p:text", `"+4930123"|`},
		{"zero is a number", "n\n0\n0.5\n", "n:double", `"0"|`},
		{"long integers", "n\n12345678901234567890\n1\n", "n:decimal(38,0)", `"12345678901234567890"|`},
		{"integers beyond 38 digits", "n\n123456789012345678901234567890123456789\n", "n:double", `"1.2345678901234568e38"|`},
		{"soft NULLs in numbers", "a,b\nNA,NA\n1,x\nN/A,y\n", "a:bigint b:text", `<null>|"NA"|`},
		{"NULL spellings", "a,b\nNULL,NULL\n\\N,\n3,\"\"\n", "a:bigint b:text", `<null>|<null>|`},
		{"quoted empty text is no NULL", "b,c\n\"\",1\nx,2\n", "b:text c:bigint", `""|"1"|`},
		{"byte order mark and CRLF", "\xef\xbb\xbfa,b\r\n1,x\r\n", "a:bigint b:text", `"1"|"x"|`},
		{"old Mac line ends", "a,b\r1,x\r2,y", "a:bigint b:text", `"1"|"x"|`},
		{"embedded newlines and quotes", "a,b\n1,\"x\n\"\"y\"\"\"\n", "a:bigint b:text", `"1"|"x\n\"y\""|`},
		{"single quotes", "a,b\n1,'x,y'\n2,'z'\n", "a:bigint b:text", `"1"|"x,y"|`},
		{"backslash escapes", "a,b\n1,\"x\\\",y\"\n2,\"z\\\"\"\n", "a:bigint b:text", `"1"|"x\",y"|`},
		{"backslash at the end is no escape", "a,b\n1,\"C:\\\"\n2,\"D:\\\"\n", "a:bigint b:text", `"1"|"C:\\"|`},
		{"repeated and empty names", "a,A,\n1,2,3\n", "a:bigint A_2:bigint c3:bigint", `"1"|"2"|"3"|`},
		{"numbers with spaces", "a,b\n 1, 2.5\n", "a:text b:text", `" 1"|" 2.5"|`},
		{"not dates", "d\n2023-02-29\n", "d:text", `"2023-02-29"|`},
		{"a header alone", "a,b\n", "a:text b:text", ""},
		{"no line end", "a\n1", "a:bigint", `"1"|`},
		{"blank lines", "a,b\n\n1,2\n\n\n3,4\n\n", "a:bigint b:bigint", `"1"|"2"|`},
		{"blank lines of one column are NULLs", "a\n1\n\n3\n", "a:bigint", `"1"|`},
		{"stray quotes", "a,b\n5\" pipe,1\n6\" pipe,2\n", "a:text b:bigint", `"5\" pipe"|"1"|`},
		{"infinities are text", "a\ninf\n-inf\n", "a:text", `"inf"|`},
	} {
		tab, err := Open(context.Background(), tempFile(t, "x.csv", c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := schemaText(tab); got != c.schema {
			t.Errorf("%s: got %s, want %s", c.name, got, c.schema)
		}
		rows := rowsOf(t, tab, catalog.ScanSpec{})
		if c.first == "" && len(rows) > 0 || c.first != "" && (len(rows) == 0 || rows[0] != c.first) {
			t.Errorf("%s: got %v, want %s", c.name, rows, c.first)
		}
	}
}

// randomCSV returns records of random fields with all kinds of special cases.
func randomCSV(r *rand.Rand, records, fields int) string {
	pieces := []string{"", "a", "1", "2.5", ",", "\"", "\n", "\r\n", " ", "é", "\"\"", "'", "word", ";"}
	var buf bytes.Buffer
	w := stdcsv.NewWriter(&buf)
	w.UseCRLF = r.IntN(2) == 0
	for range records {
		row := make([]string, fields)
		for i := range row {
			for range r.IntN(4) {
				row[i] += pieces[r.IntN(len(pieces))]
			}
		}
		if err := w.Write(row); err != nil {
			panic(err)
		}
	}
	w.Flush()
	return buf.String()
}

// TestAgainstEncodingCSV compares with the standard library, with chunk sizes that cut records
// and quotes at every position.
func TestAgainstEncodingCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	no, quote := false, byte('"')
	for round := range 60 {
		fields := 2 + r.IntN(3)
		text := randomCSV(r, 1+r.IntN(40), fields)
		reader := stdcsv.NewReader(strings.NewReader(text))
		records, err := reader.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		declared := map[string]types.Type{}
		for i := range fields {
			declared[fmt.Sprintf("c%d", i+1)] = types.T(types.String)
		}
		for _, chunk := range []int{1, 2, 7, 64, 1 << 20} {
			opt := Options{Options: csv.Options{Delimiter: ",", Quote: &quote, Escape: &quote, Header: &no, Types: declared, NullText: []string{"no such text"}, ChunkBytes: chunk}}
			var got [][]string
			eachRow(t, open(t, tempFile(t, "x.csv", text), opt), catalog.ScanSpec{BatchSize: 1 + r.IntN(5)}, func(b *vec.Batch, i int) {
				row := make([]string, fields)
				for j := range row {
					row[j] = strings.ReplaceAll(catalog.DatumAt(b.Cols[j], i).Str, "\r\n", "\n") // as encoding/csv does
				}
				got = append(got, row)
			})
			if !slices.EqualFunc(got, records, slices.Equal) {
				t.Fatalf("round %d, chunk %d of %q:\n got %q\nwant %q", round, chunk, text, got, records)
			}
		}
	}
}

// TestParallelReaders compares the results of several readers of tiny chunks, ordered by morsel,
// with those of a single reader of one chunk. The dialect has backslashes.
func TestParallelReaders(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "b", `\"`, `\\`, "\\\n", "\"\"", ",", "\n", "1"}
	var text strings.Builder
	for range 500 {
		text.WriteString("\"")
		for range r.IntN(6) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		fmt.Fprintf(&text, "\",%d\n", r.IntN(1000))
	}
	no, quote, back := false, byte('"'), byte('\\')
	for _, ext := range []string{"", ".gz", ".zst"} {
		path := compressed(t, tempFile(t, "x.csv", text.String()), ext)
		opt := Options{Options: csv.Options{Delimiter: ",", Quote: &quote, Escape: &back, Header: &no}}
		want := rowsOf(t, open(t, path, opt), catalog.ScanSpec{})
		if len(want) != 500 {
			t.Fatalf("%d rows", len(want))
		}
		opt.ChunkBytes = 50
		compareRows(t, "parallel"+ext, parallelRows(t, open(t, path, opt), 4, catalog.ScanSpec{Columns: []int{0, 1}, BatchSize: 3}), want)
	}
}

// parallelRows scans with the given number of readers and orders their batches by morsel.
func parallelRows(t *testing.T, tab catalog.Table, workers int, spec catalog.ScanSpec) []string {
	type piece struct {
		morsel int64
		rows   []string
	}
	src, err := tab.Scan(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var pieces []piece
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, _ := src.NewReader()
			defer r.Close()
			for {
				b, err := r.Next()
				if err != nil {
					t.Error(err)
				}
				if err != nil || b == nil {
					return
				}
				p := piece{morsel: b.Morsel}
				for i := range b.N {
					p.rows = append(p.rows, rowText(b, i))
				}
				mu.Lock()
				pieces = append(pieces, p)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	slices.SortFunc(pieces, func(a, b piece) int { return int(a.morsel - b.morsel) })
	var rows []string
	for _, p := range pieces {
		rows = append(rows, p.rows...)
	}
	return rows
}

// compressed writes a compressed copy of a file.
func compressed(t *testing.T, path, ext string) string {
	if ext == "" {
		return path
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return tempFile(t, filepath.Base(path)+ext, string(compressBytes(t, data, ext)))
}

func TestOptions(t *testing.T) {
	yes, no, none, back := true, false, byte(0), byte('\\')
	for _, c := range []struct {
		name, text string
		opt        Options
		schema     string
		rows       []string
	}{
		{"names", "1,2\n", Options{Options: csv.Options{Columns: []string{"x", "y"}}}, "x:bigint y:bigint", []string{`"1"|"2"|`}},
		{"names over a header", "a,b\n1,2\n", Options{Options: csv.Options{Columns: []string{"x", "y"}, Header: &yes}}, "x:bigint y:bigint", []string{`"1"|"2"|`}},
		{"header forced off", "a,b\n1,2\n", Options{Options: csv.Options{Header: &no}}, "c1:text c2:text", []string{`"a"|"b"|`, `"1"|"2"|`}},
		{"header forced on", "1,2\n3,4\n", Options{Options: csv.Options{Header: &yes}}, "1:bigint 2:bigint", []string{`"3"|"4"|`}},
		{"skipped lines", "made by x\n,,\na,b\n1,2\n", Options{Options: csv.Options{SkipLines: 2}}, "a:bigint b:bigint", []string{`"1"|"2"|`}},
		{"declared types", "a,m\n1,2.345\n2,-2.345\n", Options{Options: csv.Options{Types: map[string]types.Type{"A": types.T(types.String), "m": types.Dec(10, 2)}}},
			"a:text m:decimal(10,2)", []string{`"1"|"2.35"|`, `"2"|"-2.35"|`}},
		{"NULL text", "a,b\n-,x\n1,-\n", Options{Options: csv.Options{NullText: []string{"-"}}}, "a:bigint b:text", []string{`<null>|"x"|`, `"1"|<null>|`}},
		{"several bytes", "1||x|y<br>2||z<br>", Options{Options: csv.Options{Delimiter: "||", Lines: "<br>", Header: &no}}, "c1:bigint c2:text", []string{`"1"|"x|y"|`, `"2"|"z"|`}},
		{"MySQL's default", "1\ta\\\tb\\nc\n\\N\t\\N\n", Options{Options: csv.Options{Delimiter: "\t", Quote: &none, Escape: &back, Lines: "\n", Header: &no, NullText: []string{}}},
			"c1:bigint c2:text", []string{"\"1\"|\"a\\tb\\nc\"|", `<null>|<null>|`}},
		{"lines starting by", "xxx1,2\nnothing\nabcxxx3,4\n", Options{Options: csv.Options{LinePrefix: "xxx", Delimiter: ",", Header: &no}}, "c1:bigint c2:bigint", []string{`"1"|"2"|`, `"3"|"4"|`}},
		{"rounded seconds", "t\n2024-01-01 00:00:00.6\n", Options{Options: csv.Options{Types: map[string]types.Type{"t": types.T(types.Datetime)}}}, "t:datetime", []string{`"2024-01-01 00:00:01"|`}},
		{"seconds before 1970 are rounded up", "t\n1960-01-01 00:00:00.5\n", Options{Options: csv.Options{Types: map[string]types.Type{"t": types.T(types.Datetime)}}}, "t:datetime", []string{`"1960-01-01 00:00:01"|`}},
	} {
		tab := open(t, tempFile(t, "x.csv", c.text), c.opt)
		if got := schemaText(tab); got != c.schema {
			t.Errorf("%s: got %s, want %s", c.name, got, c.schema)
		}
		compareRows(t, c.name, rowsOf(t, tab, catalog.ScanSpec{}), c.rows)
	}
}

// scanError scans all columns and returns the error.
func scanError(t *testing.T, tab catalog.Table) error {
	t.Helper()
	var spec catalog.ScanSpec
	for i := range tab.Schema().Visible() {
		spec.Columns = append(spec.Columns, i)
	}
	src, err := tab.Scan(context.Background(), spec)
	if err != nil {
		return err
	}
	defer src.Close()
	r, _ := src.NewReader()
	for {
		b, err := r.Next()
		if err != nil || b == nil {
			return err
		}
	}
}

func TestBadLines(t *testing.T) {
	whole := types.T(types.Int8)
	for _, c := range []struct {
		name, text string
		opt        Options
		code       sqlerr.Code
		parts      []string
	}{
		{"value", "a,b\n1,x\n\n2,\"y\n\"\nfive,z\n", Options{Options: csv.Options{Types: map[string]types.Type{"a": whole}}}, sqlerr.TruncatedWrongValueForField, []string{"x.csv", "line 6", "'a'", "'five'"}},
		{"range", "a\n127\n128\n", Options{Options: csv.Options{Types: map[string]types.Type{"a": whole}}}, sqlerr.WarnDataOutOfRange, []string{"line 3", "'128'"}},
		{"too few", "a,b\n1,2\n3\n", Options{}, sqlerr.LoadDataBadLine, []string{"line 3", "1 field instead of 2", "'3'"}},
		{"too many", "a,b\n1,2\n3,4,5\n", Options{}, sqlerr.LoadDataExtraFields, []string{"line 3", "3 fields", "'3,4,5'"}},
		{"text behind a quote", "a,b\n1,\"x\"y\n1,\"z\"\n", Options{Options: csv.Options{Delimiter: ",", Quote: ptr(byte('"'))}}, sqlerr.TruncatedWrongValue, []string{"line 2", "'b'", "closing quote"}},
		{"open quote", "a,b\n1,x\n2,\"y\n", Options{Options: csv.Options{Delimiter: ",", Quote: ptr(byte('"'))}}, sqlerr.TruncatedWrongValue, []string{"line 3", "no end"}},
	} {
		for _, chunk := range []int{1, 1 << 20} {
			c.opt.ChunkBytes = chunk
			err := scanError(t, open(t, tempFile(t, "x.csv", c.text), c.opt))
			if !errors.Is(err, c.code) {
				t.Errorf("%s: got %v", c.name, err)
				continue
			}
			for _, p := range c.parts {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("%s: %v does not say %s", c.name, err, p)
				}
			}
			if sqlerr.From(err).Hint == "" {
				t.Errorf("%s: no hint", c.name)
			}
		}
	}
}

func ptr[T any](x T) *T { return &x }

func TestIgnoreErrors(t *testing.T) {
	text := "a,b\n1,x\nbad,y\n3\n4,z\n,w\n5,1,2\n6,v\n"
	for _, chunk := range []int{1, 9, 1 << 20} {
		opt := Options{Options: csv.Options{IgnoreErrors: true, Types: map[string]types.Type{"a": types.T(types.Int64)}, ChunkBytes: chunk}}
		tab := open(t, tempFile(t, "x.csv", text), opt)
		src, err := tab.Scan(context.Background(), catalog.ScanSpec{Columns: []int{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := src.NewReader()
		var rows []string
		for {
			b, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			for i := range b.N {
				rows = append(rows, rowText(b, i))
			}
		}
		compareRows(t, "kept rows", rows, []string{`"1"|"x"|`, `"4"|"z"|`, `<null>|"w"|`, `"6"|"v"|`})
		var lines []int64
		for _, x := range Rejected(src) {
			lines = append(lines, x.Line)
		}
		if !slices.Equal(lines, []int64{3, 4, 7}) || Rejected(src)[0].Text != "bad" || Rejected(src)[0].Column != "a" {
			t.Errorf("chunk %d: rejects %+v", chunk, Rejected(src))
		}
		opt.MaxErrors = 2
		if err := scanError(t, open(t, tempFile(t, "x.csv", text), opt)); err == nil || !strings.Contains(err.Error(), "line 7") {
			t.Errorf("the third bad line of at most two: %v", err)
		}
	}
}
