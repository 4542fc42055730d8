package files

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// TestSheets reads a file that excelize wrote.
func TestSheets(t *testing.T) {
	for _, c := range []struct{ name, schema, rows string }{
		{"testdata/book.xlsx", "id:bigint name:text born:date seen:datetime at:time score:double ok:tinyint(1) mixed:text empty:text",
			`"1"|"Ann & <Bob>"|"1990-05-17"|"2024-02-29 13:45:30"|"07:08:09"|"1.5"|"1"|"12"|<null>| ` +
				`"2"|"Zoë"|"1900-01-01"|"1999-12-31 23:59:59"|"00:00:00"|"-2"|"0"|"x"|<null>| ` +
				`"3"|"rich text"|"9999-12-31"|<null>|<null>|"1e300"|<null>|"true"|<null>|`},
		{"testdata/book.xlsx?sheet=no header", "A:text B:bigint C:double D:text", `<null>|"10"|"0.25"|<null>| <null>|"20"|"45000"|"d"|`},
		{"testdata/book.xlsx?sheet=Dates", "d:datetime", `"2024-02-29 18:00:00"| "2024-02-29 00:00:00"|`},
		{"testdata/book.xlsx?sheet=Dates&header=no", "A:text", `"d"| "2024-02-29 18:00:00"| "2024-02-29"|`},
		{"testdata/book.xlsx?types=id:varchar(5),score:decimal(10,1)&skip=0", "id:varchar(5) name:text born:date seen:datetime at:time score:decimal(10,1) ok:tinyint(1) mixed:text empty:text", ""},
	} {
		tab := open(t, c.name, Options{})
		if got := schemaText(tab); got != c.schema {
			t.Errorf("%s: %s, want %s", c.name, got, c.schema)
		}
		if c.rows == "" {
			continue
		}
		if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != c.rows {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.rows)
		}
	}
	_, err := Open(context.Background(), "testdata/book.xlsx?sheet=x", Options{})
	if e := (*sqlerr.Error)(nil); !errors.As(err, &e) || e.Code != sqlerr.WrongArguments || !strings.Contains(e.Hint, "'People', 'No header', 'Dates'") {
		t.Errorf("a sheet that does not exist: %v", err)
	}
	score := "testdata/book.xlsx?types=score:decimal(10,1)"
	if err := readAll(score, Options{}); !errors.Is(err, sqlerr.WarnDataOutOfRange) || !strings.Contains(err.Error(), "row 5, column 'score'") {
		t.Errorf("1e300 as a decimal: %v", err)
	}
}

// replaced returns a copy of the book in which edit has changed a part.
func replaced(t *testing.T, part string, edit func([]byte) []byte) string {
	t.Helper()
	in, err := zip.OpenReader("testdata/book.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		r, _ := f.Open()
		data, _ := io.ReadAll(r)
		if f.Name == part {
			data = edit(data)
		}
		o, _ := w.Create(f.Name)
		_, _ = o.Write(data)
	}
	w.Close()
	return tempFile(t, "x.xlsx", out.String())
}

// TestDamagedSheets reads sheets that are cut short, refer to nothing, nest deeply or unpack to much:
// none reads as fewer rows.
func TestDamagedSheets(t *testing.T) {
	data := func(s string) func([]byte) []byte {
		return func([]byte) []byte { return []byte(s) }
	}
	sheet := func(cells string) string {
		return `<worksheet><sheetData><row r="1">` + cells + `</row></sheetData></worksheet>`
	}
	for name, path := range map[string]string{
		"cut short":        replaced(t, "xl/worksheets/sheet1.xml", func(b []byte) []byte { return b[:len(b)*2/3] }),
		"cut between rows": replaced(t, "xl/worksheets/sheet1.xml", func(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("<row"))] }),
		"no text":          replaced(t, "xl/worksheets/sheet1.xml", data(sheet(`<c r="A1" t="s"><v>99</v></c>`))),
		"text -1":          replaced(t, "xl/worksheets/sheet1.xml", data(sheet(`<c r="A1" t="s"><v>-1</v></c>`))),
		"no number":        replaced(t, "xl/worksheets/sheet1.xml", data(sheet(`<c r="A1"><v>x</v></c>`))),
		"far away":         replaced(t, "xl/worksheets/sheet1.xml", data(sheet(`<c r="ZZZZZZ1"><v>1</v></c>`))),
		"deep":             replaced(t, "xl/worksheets/sheet1.xml", data(strings.Repeat("<a>", 1<<20))),
		"long":             replaced(t, "xl/worksheets/sheet1.xml", data(sheet(`<c r="A1" t="str"><v>`+strings.Repeat("x", 17<<20)+`</v></c>`))),
		"no workbook":      replaced(t, "xl/workbook.xml", data("<x/>")),
		"no zip":           tempFile(t, "x.xlsx", "PK nothing"),
	} {
		if err := readAll(path, Options{}); !errors.Is(err, sqlerr.FileCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	texts := replaced(t, "xl/sharedStrings.xml", data("<sst>"+strings.Repeat("<si><t>"+strings.Repeat("x", 1000)+"</t></si>", 20<<10)+"</sst>"))
	account := mem.NewRoot("test", 16<<20)
	if _, err := Open(context.Background(), texts, Options{Mem: account}); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("20 MB of texts: %v", err)
	}
	if n := account.Used(); n != 0 {
		t.Errorf("%d bytes remain charged", n)
	}
}

// TestGiantRows reads small files with giant rows: texts of an Excel file, which are compressed, and values that a view of SQLite
// computes. The memory limit refuses them before they are read, and they are read where there is enough.
func TestGiantRows(t *testing.T) {
	cells := func(n, size int) string {
		text := strings.Repeat("x", size)
		var b strings.Builder
		b.WriteString(`<worksheet><sheetData><row r="1">`)
		for range n {
			b.WriteString(`<c t="str"><v>` + text + `</v></c>`)
		}
		b.WriteString(`</row></sheetData></worksheet>`)
		return b.String()
	}
	database := func(statements ...string) string {
		path := filepath.Join(t.TempDir(), "x.sqlite")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	const part = "xl/worksheets/sheet1.xml"
	many := replaced(t, part, func([]byte) []byte { return []byte(cells(32, 128<<10)) })
	one := replaced(t, part, func([]byte) []byte { return []byte(cells(1, 2<<20)) })
	view := database("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1), (2)", "CREATE VIEW v AS SELECT a, printf('%.*c', 3000000, 'x') AS b FROM t")
	stored := database("CREATE TABLE t (a INT, b TEXT)", "INSERT INTO t VALUES (1, printf('%.*c', 3000000, 'x')), (2, 'y')")
	for name, c := range map[string]struct {
		path     string
		columns  []int
		few, all int64
	}{
		"many cells":              {many, []int{0}, 2 << 20, 64 << 20},
		"a cell":                  {one, []int{0}, 2 << 20, 64 << 20},
		"a view":                  {view + "?table=v", []int{1}, 2 << 20, 64 << 20},
		"a value of a table":      {stored, []int{1}, 2 << 20, 64 << 20},
		"other values of a table": {stored, []int{0}, 0, 64 << 20},
	} {
		if info, err := os.Stat(strings.TrimSuffix(c.path, "?table=v")); err != nil || c.path != stored && info.Size() > 1<<20 {
			t.Fatal(info, err)
		}
		few := mem.NewRoot("test", c.few)
		if _, err := Open(t.Context(), c.path, Options{Mem: few}); c.few > 0 && !errors.Is(err, sqlerr.OutOfMemory) {
			t.Errorf("%s, opened with little memory: %v", name, err)
		}
		plenty := mem.NewRoot("test", c.all)
		tab, err := Open(t.Context(), c.path, Options{Mem: plenty})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, account := range []*mem.Account{few, plenty} {
			if n := account.Used(); n != 0 {
				t.Errorf("%s: %d bytes remain charged", name, n)
			}
		}
		small := mem.NewRoot("test", max(c.few, 1<<20))
		if err := drain(tab, catalog.ScanSpec{Columns: c.columns, Mem: small}); errors.Is(err, sqlerr.OutOfMemory) != (c.few > 0) {
			t.Errorf("%s, read with little memory: %v", name, err)
		}
		if n := small.Used(); n != 0 {
			t.Errorf("%s: %d bytes remain charged", name, n)
		}
	}
}

// TestSQLite reads a file that the program sqlite3 wrote.
func TestSQLite(t *testing.T) {
	for _, c := range []struct{ name, schema, rows string }{
		{"testdata/shop.sqlite/orders", `id:bigint day:date amount:double note:text raw:blob flag:bigint odd "name:text`,
			`"1"|"2024-02-29"|"9.5"|"a"|"\x00\xff"|"1"|"10"| "2"|"2023-01-31"|"10"|<null>|<null>|"0"|"x"| "3"|<null>|"-10000000000"|"Zoë"|""|<null>|"2.5"|`},
		{"testdata/shop.sqlite?table=V", "twice:bigint", `"2"| "4"| "6"|`},
		{"testdata/shop.sqlite/big rows", "t:text", `"` + strings.Repeat("q", 5000) + `"|`},
	} {
		tab := open(t, c.name, Options{})
		if got := schemaText(tab); got != c.schema {
			t.Errorf("%s: %s, want %s", c.name, got, c.schema)
		}
		if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != c.rows {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.rows)
		}
		if got := textsOf(t, tab, 0); len(got) != int(tab.Stats().Rows) {
			t.Errorf("%s: %d rows, statistics %+v", c.name, len(got), tab.Stats())
		}
	}
	for name, hint := range map[string]string{"testdata/shop.sqlite": "big rows, orders, v", "testdata/shop.sqlite/x": "big rows, orders, v"} {
		_, err := Open(context.Background(), name, Options{})
		if e := (*sqlerr.Error)(nil); !errors.As(err, &e) || e.Code != sqlerr.WrongArguments || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := os.ReadFile("testdata/shop.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	path := tempFile(t, "x.sqlite", string(data))
	for name, damage := range map[string]func() []byte{
		"no SQLite file": func() []byte { return []byte("not one") },
		"cut short":      func() []byte { return data[:len(data)/2] },
		"overwritten":    func() []byte { b := bytes.Clone(data); clear(b[1024:]); return b },
	} {
		if err := os.WriteFile(path, damage(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(path+"/big rows", Options{}); !errors.Is(err, sqlerr.FileCorrupt) && !errors.Is(err, sqlerr.WrongArguments) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := open(t, path+"/orders", Options{})
	if err := os.WriteFile(path+"-wal", []byte("changes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := drain(opened, catalog.ScanSpec{Columns: []int{0}}); !errors.Is(err, sqlerr.ErrorOnRead) {
		t.Errorf("with changes since it was opened: %v", err)
	}
	if err := readAll(path+"/orders", Options{}); !errors.Is(err, sqlerr.ErrorOnRead) {
		t.Errorf("with changes in the log: %v", err)
	}
}
