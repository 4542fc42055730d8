package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

type vecBatch = vec.Batch

// TestNames separates paths from options and tables.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, path, options string }{
		{"a.csv", "a.csv", ""}, {"a?.csv", "a?.csv", ""}, {"a.csv?delimiter=;&header=no", "a.csv", "[{delimiter ;} {header no}]"},
		{"a?.csv?header=no", "a?.csv", "[{header no}]"}, {"a.txt?delimiter=%26", "a.txt", "[{delimiter &}]"}, {"a.csv?delimeter=;", "a.csv", "[{delimeter ;}]"},
		{"a?b=c/x.csv", "a?b=c/x.csv", ""}, {"x.sqlite/t", "x.sqlite", "[{table t}]"}, {"x.db/t?types=a:text", "x.db", "[{types a:text} {table t}]"},
		{"x.db/a.csv", "x.db/a.csv", ""}, {"dir?x=1/y", "dir?x=1/y", ""},
	} {
		path, options := splitName(c.name)
		got := ""
		if options != nil {
			got = fmt.Sprint(options)
		}
		if path != c.path || got != c.options {
			t.Errorf("%s: %s %s, want %s %s", c.name, path, got, c.path, c.options)
		}
	}
	t.Setenv("HOME", "/home/ann")
	for name, want := range map[string]string{"~/a.csv?header=no": "/home/ann/a.csv", "~x/a.csv": "/d/~x/a.csv", "-": "/dev/stdin", "a.csv": "/d/a.csv", "/a.csv": "/a.csv"} {
		if got := Path("/d", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestInPlace reads a file with options in its name.
func TestInPlace(t *testing.T) {
	path := tempFile(t, "x.txt", "1;007;-\n2;008;'a;b'\n")
	for _, c := range []struct{ options, schema, rows string }{
		{"delimiter=;&quote='&header=no", "c1:bigint c2:text c3:text", `"1"|"007"|"-"| "2"|"008"|"a;b"|`},
		{"delimiter=;&quote='&header=no&null=-&columns=a,b,c&types=b:int,c:varchar(3)", "a:bigint b:int c:varchar(3)", `"1"|"7"|<null>| "2"|"8"|"a;b"|`},
		{"delimiter=;&quote='&skip=1&columns=a,b,c&header=no", "a:bigint b:text c:text", `"2"|"008"|"a;b"|`},
		{"format=csv&delimiter=\\t&header=no", "c1:text", `"1;007;-"| "2;008;'a;b'"|`},
	} {
		tab := open(t, path+"?"+c.options, Options{})
		if got := schemaText(tab); got != c.schema {
			t.Errorf("%s: %s, want %s", c.options, got, c.schema)
		}
		if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != c.rows {
			t.Errorf("%s: %s, want %s", c.options, got, c.rows)
		}
	}
	latin := tempFile(t, "y.csv", "a\nZo\xeb\n")
	if got := textsOf(t, open(t, latin+"?encoding=latin1&header=yes", Options{}), 0); len(got) != 1 || got[0] != "Zoë" {
		t.Errorf("latin1: %q", got)
	}
	for _, bad := range []string{"delimeter=;", "header=maybe", "types=a", "types=a:nothing", "types=a:decimal(99,1)", "encoding=x", "skip=-1", "format=xml&header=no", "quote=ab"} {
		if _, err := Open(context.Background(), latin+"?"+bad, Options{}); !errors.Is(err, sqlerr.WrongArguments) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	wrong := open(t, tempFile(t, "z.csv", "n,m\n"+strings.Repeat("1,2\n", 400_000)+"x,2\n"), Options{})
	err := drain(wrong, catalog.ScanSpec{Columns: []int{0}})
	if e := (*sqlerr.Error)(nil); !errors.As(err, &e) || e.Code != sqlerr.TruncatedWrongValueForField || !strings.Contains(e.Hint, "`z.csv?types=n:text`") {
		t.Errorf("a later text: %v", err)
	}
}

// TestHiddenColumns reads the paths of files and the numbers of their rows, which readers in parallel
// and row groups that are skipped do not change.
func TestHiddenColumns(t *testing.T) {
	dir := t.TempDir()
	for k, ext := range []string{".csv", ".ndjson", ".parquet"} {
		for i := range 2 {
			cols := []catalog.Column{{Name: "n", Type: types.T(types.Int64)}}
			v := vec.NewFlat(cols[0].Type, 3000)
			for j := range v.N {
				v.I64[j] = int64(j + 1)
			}
			writeFile(t, filepath.Join(dir, fmt.Sprint(k, i, ext)), cols, WriteOptions{}, &vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
		}
		opt := chunked(1000)
		tab := open(t, filepath.Join(dir, "*"+ext), opt)
		names := tab.Schema().Columns
		if len(names) != 3 || names[1].Name != "filename" || names[2].Name != "file_row_number" || !names[1].Hidden || !names[2].Hidden || len(tab.Schema().Visible()) != 1 {
			t.Fatalf("columns %+v", names)
		}
		seen := map[string]int{}
		low := catalog.Datum{Type: types.T(types.Int64), I64: 2900}
		spec := catalog.ScanSpec{Columns: []int{2, 1, 0}, BatchSize: 100, Prune: []catalog.Range{{Column: 0, Lo: &low}}}
		eachRow(t, tab, spec, func(b *vec.Batch, i int) {
			n, file, own := catalog.DatumAt(b.Cols[0], i), catalog.DatumAt(b.Cols[1], i), catalog.DatumAt(b.Cols[2], i)
			if n.I64 != own.I64 {
				t.Fatalf("%s: row %d is numbered %d", ext, own.I64, n.I64)
			}
			seen[file.Str]++
		})
		for i := range 2 {
			if path := filepath.Join(dir, fmt.Sprint(k, i, ext)); seen[path] != 3000 {
				t.Errorf("%s: %v", path, seen)
			}
		}
		if got := count(t, tab, 4, catalog.ScanSpec{Columns: []int{2}}); got != 6000 {
			t.Errorf("%s: four readers numbered %d rows", ext, got)
		}
	}
}

// TestPartitions writes rows to folders and reads them back.
func TestPartitions(t *testing.T) {
	cols := []catalog.Column{{Name: "n", Type: types.T(types.Int64)}, {Name: "k", Type: types.T(types.String)}, {Name: "y", Type: types.T(types.Int64)}}
	keys := []string{"a", "b/c=d", "ü %", ""}
	var want []string
	batch := func(from int) *vec.Batch {
		b := &vec.Batch{N: 500}
		for _, c := range cols {
			b.Cols = append(b.Cols, vec.NewFlat(c.Type, b.N))
		}
		for i := range b.N {
			n := from + i
			key, year := keys[n%4], 2000+n%3
			b.Cols[0].I64[i], b.Cols[1].Str[i], b.Cols[2].I64[i] = int64(n), key, int64(year)
			text := fmt.Sprintf("%q|", fmt.Sprint(n))
			if n%7 == 0 {
				b.Cols[1].SetNull(i)
				text += "<null>|"
			} else {
				text += fmt.Sprintf("%q|", key)
			}
			want = append(want, text+fmt.Sprintf("%q|", fmt.Sprint(year)))
		}
		return b
	}
	for _, ext := range []string{".parquet", ".csv.gz", ".ndjson"} {
		dir := t.TempDir()
		want = nil
		path := filepath.Join(dir, "x"+ext+"?partition=k,y")
		writeFile(t, path, cols, WriteOptions{}, batch(0), batch(500))
		tab := open(t, filepath.Join(dir, "**", "x"+ext), Options{})
		if got := schemaText(tab); got != "n:bigint k:text y:bigint" {
			t.Errorf("%s: %s", ext, got)
		}
		got := rowsOf(t, tab, catalog.ScanSpec{})
		slices.Sort(got)
		slices.Sort(want)
		compareRows(t, ext, got, want)
		w, err := NewWriter(path, cols, WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(batch(0)); !errors.Is(err, sqlerr.FileExists) {
			t.Errorf("%s: written twice: %v", ext, err)
		}
		w.Abort()
	}
	dir := t.TempDir()
	for _, bad := range []string{"x.csv?partition=z", "x.csv?partition=k,k", "x.csv?partition=n,k,y", "x.csv?sheet=1", "x.csv?format=xml&header=no"} {
		if _, err := NewWriter(filepath.Join(dir, bad), cols, WriteOptions{}); !errors.Is(err, sqlerr.WrongArguments) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	w, err := NewWriter(filepath.Join(dir, "x.csv?partition=k"), cols, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(batch(0)); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	left := 0
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			left++
		}
		return nil
	})
	if left != 0 {
		t.Errorf("%d files are left", left)
	}
	for _, ext := range []string{".xlsx", ".sqlite", ".txt"} {
		if _, err := NewWriter(filepath.Join(dir, "x"+ext), cols, WriteOptions{}); !errors.Is(err, sqlerr.NotSupportedYet) {
			t.Errorf("%s: %v", ext, err)
		}
	}
}
