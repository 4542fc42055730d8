package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
)

// tree writes files, given by their paths, to a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDirectoriesAreColumns reads numbers, dates, text and NULL from directory names.
func TestDirectoriesAreColumns(t *testing.T) {
	dir := tree(t, map[string]string{
		"year=2023/month=12/day=2023-12-31/land=a%20b/a.csv":                         "k\n1\n2\n",
		"year=2024/month=01/day=2024-01-01/land=x/a.csv":                             "k\n3\n",
		"year=2024/month=01/day=2024-01-01/land=x/b.csv":                             "k\n4\n",
		"year=2024/month=02/day=2024-02-01/land=__HIVE_DEFAULT_PARTITION__/a.csv":    "k\n5\n",
		"year=2024/month=02/day=2024-02-01/land=__HIVE_DEFAULT_PARTITION__/note.txt": "no table",
	})
	tab := open(t, "**/*.csv", Options{Dir: dir})
	if got := schemaText(tab); got != "k:bigint year:bigint month:bigint day:date land:text" {
		t.Fatal(got)
	}
	want := []string{`"1"|"2023"|"12"|"2023-12-31"|"a b"|`, `"2"|"2023"|"12"|"2023-12-31"|"a b"|`, `"3"|"2024"|"1"|"2024-01-01"|"x"|`,
		`"4"|"2024"|"1"|"2024-01-01"|"x"|`, `"5"|"2024"|"2"|"2024-02-01"|<null>|`}
	compareRows(t, "all", rowsOf(t, tab, catalog.ScanSpec{}), want)
	compareRows(t, "two columns", rowsOf(t, tab, catalog.ScanSpec{Columns: []int{2, 0}, BatchSize: 1}), []string{`"12"|"1"|`, `"12"|"2"|`, `"1"|"3"|`, `"1"|"4"|`, `"2"|"5"|`})
	s := tab.Stats()
	if year, land := s.Columns[1], s.Columns[4]; s.Rows != 5 || year.NDV != 2 || year.Min.I64 != 2023 || year.Max.I64 != 2024 || land.NDV != 2 || land.Nulls != 1 {
		t.Errorf("stats %+v", s)
	}
	for _, c := range []struct {
		column int
		lo, hi any
		rows   int
	}{{1, 2024, nil, 3}, {1, nil, 2023, 2}, {2, 1, 1, 2}, {4, "a", "m", 2}, {4, nil, "z", 4}, {1, 2025, 2030, 0}, {0, 3, 3, 5}} {
		r := catalog.Range{Column: c.column}
		bound := func(x any) *catalog.Datum {
			var d catalog.Datum
			switch x := x.(type) {
			case int:
				d = catalog.Int(int64(x))
			case string:
				d = catalog.Str(x)
			default:
				return nil
			}
			return &d
		}
		r.Lo, r.Hi = bound(c.lo), bound(c.hi)
		if got := count(t, tab, 1, catalog.ScanSpec{Columns: []int{0}, Prune: []catalog.Range{r}}); int(got) != c.rows {
			t.Errorf("column %d from %v to %v: %d rows read, want %d", c.column, c.lo, c.hi, got, c.rows)
		}
	}
	if got := schemaText(open(t, "**/*.csv", Options{Dir: dir, OwnColumns: true})); got != "k:bigint" {
		t.Errorf("without directories: %s", got)
	}
}

// TestDirectoriesThatAreNoColumns checks keys that not all files have, and keys that are columns
// of the files.
func TestDirectoriesThatAreNoColumns(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/k=7/x.csv": "k,v\n1,2\n", "b/x=1/a.csv": "k\n1\n", "b/y=1/a.csv": "k\n1\n", "c/k=1/K=2/=3/z=/a.csv": "v\n1\n", "c/k=2/K=3/=3/z=/a.csv": "v\n1\n",
		"d/p=1/a.csv": "k\n1\n", "d/a.csv": "k\n1\n",
	})
	for pattern, want := range map[string]string{"a/*/*.csv": "k:bigint v:bigint", "b/*/*.csv": "k:bigint", "c/**/*.csv": "v:bigint k:bigint z:text",
		"d/**/*.csv": "k:bigint", "d/p=1/a.csv": "k:bigint p:bigint"} {
		if got := schemaText(open(t, pattern, Options{Dir: dir})); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	dir := tree(t, map[string]string{"a.csv": "", "b/a.csv": "", "b/c/a.csv": "", "b/c/b.csv": "", "b/d/a.tsv": "", ".h/a.csv": "", "_log/a.csv": "", "b/_d/a.csv": ""})
	for pattern, want := range map[string][]string{
		"**/*.csv":         {"a.csv", "b/a.csv", "b/c/a.csv", "b/c/b.csv"},
		"**/a.csv":         {"a.csv", "b/a.csv", "b/c/a.csv"},
		"b/**/a.*":         {"b/a.csv", "b/c/a.csv", "b/d/a.tsv"},
		"**/c/*.csv":       {"b/c/a.csv", "b/c/b.csv"},
		"**/c/**/b.csv":    {"b/c/b.csv"},
		"*/*.csv":          {".h/a.csv", "_log/a.csv", "b/a.csv"},
		"b/**/**/*.tsv":    {"b/d/a.tsv"},
		"x/**/*.csv":       nil,
		"b/**/nothing.csv": nil,
	} {
		got, err := glob(t.Context(), nil, filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i], _ = filepath.Rel(dir, got[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
	for _, pattern := range []string{"**/[a.csv", "x/[/*.csv"} {
		if _, err := Open(context.Background(), pattern, Options{Dir: dir}); !errors.Is(err, sqlerr.FileNotFound) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	t.Chdir(dir)
	if got, err := glob(t.Context(), nil, "**/b.csv"); err != nil || !slices.Equal(got, []string{"b/c/b.csv"}) {
		t.Errorf("in the working directory: %v, %v", got, err)
	}
}
