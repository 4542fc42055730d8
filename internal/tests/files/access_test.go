package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// fenced creates a folder that statements may use next to one that they may not.
func fenced(t *testing.T) (inside, outside string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, outside = filepath.Join(dir, "inside"), filepath.Join(dir, "outside")
	for path, text := range map[string]string{
		inside + "/a.csv":               "x,y\n1,2\n",
		inside + "/sub/b.csv":           "x,y\n3,4\n",
		inside + "/parts/k=1/p.csv":     "x,y\n5,6\n",
		outside + "/secret.csv":         "x,y\n7,8\n",
		outside + "/k=secret/p.csv":     "x,y\n7,8\n",
		outside + "/plain":              "7,8\n",
		dir + "/inside-not/sibling.csv": "x,y\n7,8\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"/out.csv":          outside + "/secret.csv",
		"/out-relative.csv": "../outside/secret.csv",
		"/nowhere.csv":      outside + "/nothing.csv",
		"/outdir":           outside,
		"/again.csv":        "a.csv",
		"/again-full.csv":   inside + "/a.csv",
		"/subdir":           inside + "/sub",
		"/sub/up":           "..",
		"/loop.csv":         "loop.csv",
	} {
		if err := os.Symlink(target, inside+link); err != nil {
			t.Skip("this file system has no symbolic links:", err)
		}
	}
	return inside, outside
}

// refusedFile checks that a statement ends with error 1290, which names nothing outside.
func refusedFile(t *testing.T, s *gsql.Session, sql string, secrets ...string) {
	t.Helper()
	_, _, err := s.Exec(t.Context(), sql)
	if !errors.Is(err, sqlerr.OptionPreventsStatement) {
		t.Errorf("%s: %v, want error 1290", sql, err)
		return
	}
	text := sqlerr.Render(err, "")
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s: the error names %q: %s", sql, secret, text)
		}
	}
}

func TestFilesBelowAFolder(t *testing.T) {
	inside, outside := fenced(t)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside)})
	for name, want := range map[string]string{
		"a.csv": "1", "sub/b.csv": "3", "sub/../a.csv": "1", "again.csv": "1", "again-full.csv": "1", "subdir/b.csv": "3",
		"sub/up/a.csv": "1", "parts/*/p.csv": "5", "parts/**/*.csv": "5", "[a].csv": "1",
	} {
		if got := sqltest.Rows(t, s, "SELECT x FROM `"+inside+"/"+name+"`"); got[0][0] != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	for _, name := range []string{
		outside + "/secret.csv", outside + "/nothing.csv", inside + "/../outside/secret.csv", inside + "/sub/../../outside/secret.csv",
		inside + "/out.csv", inside + "/out-relative.csv", inside + "/nowhere.csv", inside + "/outdir/secret.csv", inside + "/outdir/nothing.csv",
		inside + "-not/sibling.csv", inside + "/../inside-not/sibling.csv",
		outside + "/*.csv", outside + "/**/*.csv", outside + "/**/*.parquet", inside + "/../*/secret.csv", inside + "/*/../../outside/secret.csv",
		inside + "/*/../../outside/nothing.csv", inside + "/outdir/*.csv", inside + "/outdir/k=secret/*.csv", inside + "/out*.csv", inside + "/*/secret.csv",
		"/**/k=secret/*.csv", strings.ToUpper(outside) + "/SECRET.CSV", "/proc/self/root" + outside + "/secret.csv",
		"/proc/self/environ.csv", "/proc/self/fd/0.csv", "/etc/*.csv",
	} {
		refusedFile(t, s, "SELECT * FROM `"+name+"`", "outside", "k=")
		refusedFile(t, s, "DESCRIBE `"+name+"`")
		refusedFile(t, s, "CREATE TABLE made AS SELECT * FROM `"+name+"`")
	}
	sqltest.Run(t, s, "CREATE TABLE t (x INT, y INT)")
	for _, name := range []string{
		outside + "/plain", outside + "/nothing", inside + "/outdir/plain", "/etc/passwd", "/proc/self/environ", "/dev/stdin", "/dev/zero", "/dev/null",
		inside + "/../outside/pla*", inside + "/outdir/*",
	} {
		refusedFile(t, s, "LOAD DATA INFILE '"+name+"' INTO TABLE t FIELDS TERMINATED BY ','", "root:")
		refusedFile(t, s, "LOAD DATA LOCAL INFILE '"+name+"' INTO TABLE t FIELDS TERMINATED BY ','", "root:")
		refusedFile(t, s, "IMPORT INTO t FROM '"+name+"' WITH fields_terminated_by = ','", "root:")
	}
	sqltest.Run(t, s, "LOAD DATA LOCAL INFILE '"+inside+"/a.csv' INTO TABLE t FIELDS TERMINATED BY ',' IGNORE 1 LINES")
	sqltest.Run(t, s, "IMPORT INTO t FROM '"+inside+"/sub/b.csv'")
	if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT COUNT(*), SUM(x) FROM t")); got != "[[2 4]]" {
		t.Errorf("after the loads: %s", got)
	}
	if _, _, err := s.Exec(t.Context(), "SELECT * FROM `"+inside+"/loop.csv`"); err == nil {
		t.Error("a link to itself was read")
	}
}

func TestRelativeNamesOfConfinedFiles(t *testing.T) {
	inside, outside := fenced(t)
	t.Chdir(inside)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(".")})
	if got := sqltest.Rows(t, s, "SELECT x FROM `a.csv`"); got[0][0] != "1" {
		t.Errorf("a.csv: %v", got)
	}
	refusedFile(t, s, "SELECT * FROM `../outside/secret.csv`")
	t.Chdir(outside)
	refusedFile(t, s, "SELECT * FROM `secret.csv`")
	refusedFile(t, s, "SELECT * FROM `nothing.csv`")
	refusedFile(t, s, "SELECT 1 INTO OUTFILE 'new.csv'")
	refusedFile(t, s, "SELECT * FROM `./*.csv`")
	if _, _, err := s.Exec(t.Context(), "SELECT * FROM secret"); !errors.Is(err, sqlerr.NoSuchTable) || strings.Contains(sqlerr.Render(err, ""), ".csv") {
		t.Errorf("a table named like a file outside: %s", sqlerr.Render(err, ""))
	}
	if got := sqltest.Rows(t, s, "SELECT x FROM `../inside/a.csv`"); got[0][0] != "1" {
		t.Errorf("../inside/a.csv: %v", got)
	}
	dir := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside), Dir: inside})
	if got := sqltest.Rows(t, dir, "SELECT x FROM `sub/b.csv`"); got[0][0] != "3" {
		t.Errorf("sub/b.csv below Config.Dir: %v", got)
	}
}

func TestNamesOfConfinedFilesDoNotLeak(t *testing.T) {
	inside, outside := fenced(t)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside)})
	for _, name := range []string{inside + "/aa.csv", inside + "/outdir/secre.csv", outside + "/secre.csv", "/etc/passw.csv"} {
		_, _, err := s.Exec(t.Context(), "SELECT * FROM `"+name+"`")
		text := sqlerr.Render(err, "")
		if err == nil || strings.Contains(text, "secret") || strings.Contains(text, "passwd") {
			t.Errorf("%s: %s", name, text)
		}
		if strings.HasSuffix(name, "/aa.csv") && !strings.Contains(text, "a.csv'?") {
			t.Errorf("%s: no suggestion: %s", name, text)
		}
	}
}

func TestWritingBelowAFolder(t *testing.T) {
	inside, outside := fenced(t)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside)})
	sqltest.Run(t, s, "SELECT 1 AS x INTO OUTFILE '"+inside+"/sub/new.csv'")
	sqltest.Run(t, s, "SELECT 2 AS x INTO OUTFILE '"+inside+"/subdir/new2.parquet'")
	if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT a.x, b.x FROM `"+inside+"/subdir/new.csv` a JOIN `"+inside+"/sub/new2.parquet` b")); got != "[[1 2]]" {
		t.Errorf("written and read: %s", got)
	}
	for _, name := range []string{
		outside + "/new.csv", inside + "/../new.csv", inside + "/outdir/new.csv", inside + "/outdir/secret.csv", "/tmp/new-of-gsql.csv",
	} {
		refusedFile(t, s, "SELECT 1 AS x INTO OUTFILE '"+name+"'")
	}
	for _, link := range []string{"/out.csv", "/nowhere.csv"} { // a name that is taken, wherever it leads
		if _, _, err := s.Exec(t.Context(), "SELECT 1 AS x INTO OUTFILE '"+inside+link+"'"); !errors.Is(err, sqlerr.FileExists) {
			t.Errorf("writing through a link: %v, want error 1086", err)
		}
	}
	left, err := filepath.Glob(outside + "/*")
	if err != nil || len(left) != 3 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}

func TestNoFiles(t *testing.T) {
	inside, _ := fenced(t)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.NoFiles()})
	sqltest.Run(t, s, "CREATE TABLE t (x INT, y INT)")
	for _, sql := range []string{
		"SELECT * FROM `" + inside + "/a.csv`", "SELECT * FROM `nothing.csv`", "SELECT * FROM `*.csv`",
		"LOAD DATA INFILE '" + inside + "/a.csv' INTO TABLE t", "LOAD DATA LOCAL INFILE '" + inside + "/a.csv' INTO TABLE t",
		"IMPORT INTO t FROM '" + inside + "/a.csv'", "SELECT 1 INTO OUTFILE '" + inside + "/new.csv'",
		"SET gsql_temp_directory = '" + inside + "'", "SET GLOBAL gsql_temp_directory = '" + inside + "'", "SET GLOBAL local_infile = ON",
	} {
		refusedFile(t, s, sql)
	}
	for sql, want := range map[string]string{
		"SELECT @@secure_file_priv IS NULL, @@global.secure_file_priv IS NULL, @@local_infile": "[[1 1 0]]",
		"SHOW VARIABLES LIKE 'secure_file_priv'":                                               "[[secure_file_priv <nil>]]",
		"SHOW GLOBAL VARIABLES LIKE 'local_infile'":                                            "[[local_infile OFF]]",
	} {
		if got := fmt.Sprint(sqltest.Rows(t, s, sql)); got != want && strings.ReplaceAll(got, "NULL", "<nil>") != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	sqltest.Run(t, s, "SET gsql_temp_directory = DEFAULT")
}

func TestSecureFilePrivAndLocalInfile(t *testing.T) {
	inside, outside := fenced(t)
	for _, c := range []struct {
		access gsql.FileAccess
		want   string
	}{
		{gsql.AllFiles(), ""}, {gsql.FilesBelow(inside), inside + "/"},
		{gsql.FilesBelow(inside, outside), inside + "/" + string(filepath.ListSeparator) + outside + "/"},
	} {
		s := sqltest.Open(t, gsql.Config{FileAccess: c.access})
		if got := sqltest.Rows(t, s, "SELECT @@secure_file_priv"); got[0][0] != c.want {
			t.Errorf("%s: secure_file_priv is %q, want %q", c.access, got[0][0], c.want)
		}
	}
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (x INT, y INT)")
	sqltest.Run(t, s, "SET GLOBAL local_infile = OFF")
	if got := sqltest.Rows(t, s, "SELECT @@local_infile"); got[0][0] != "0" {
		t.Errorf("local_infile is %v", got)
	}
	load := "INFILE '" + inside + "/a.csv' INTO TABLE t FIELDS TERMINATED BY ',' IGNORE 1 LINES"
	if _, _, err := s.Exec(t.Context(), "LOAD DATA LOCAL "+load); !errors.Is(err, sqlerr.LocalInfileDisabled) {
		t.Errorf("LOAD DATA LOCAL: %v, want error 3948", err)
	}
	sqltest.Run(t, s, "LOAD DATA "+load)
	sqltest.Run(t, s, "SET GLOBAL local_infile = ON")
	sqltest.Run(t, s, "LOAD DATA LOCAL "+load)
	confined := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside), Variables: map[string]string{"local_infile": "OFF"}})
	refusedFile(t, confined, "SET GLOBAL local_infile = ON")
}

func TestFileAccessInNames(t *testing.T) {
	list := "/a" + string(filepath.ListSeparator) + "b"
	for text, want := range map[string]gsql.FileAccess{
		"all": gsql.AllFiles(), "none": gsql.NoFiles(), "/a": gsql.FilesBelow("/a"), list: gsql.FilesBelow("/a", "b"), "./all": gsql.FilesBelow("./all"),
	} {
		got, err := gsql.ParseFileAccess(text)
		if err != nil || got.String() != want.String() || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		c, err := gsql.ParseDSN(gsql.Config{FileAccess: want}.FormatDSN())
		if err != nil || c.FileAccess.String() != text {
			t.Errorf("%s as an option: %v, %v", text, c.FileAccess, err)
		}
	}
	for _, bad := range []string{"", list + string(filepath.ListSeparator)} {
		if _, err := gsql.ParseFileAccess(bad); !errors.Is(err, sqlerr.WrongValueForVar) {
			t.Errorf("%q: %v, want error 1231", bad, err)
		}
	}
	if got := gsql.FilesBelow("all").String(); got != "./all" {
		t.Errorf("a folder called all: %s", got)
	}
	if _, err := gsql.Open(gsql.Config{FileAccess: gsql.FilesBelow("/does/not/exist")}); !errors.Is(err, sqlerr.WrongValueForVar) {
		t.Errorf("a folder that is not there: %v, want error 1231", err)
	}
}

// TestLinksSwappedWhileFilesAreOpened replaces folders and files by links outside, as fast as it can.
func TestLinksSwappedWhileFilesAreOpened(t *testing.T) {
	inside, outside := fenced(t)
	s := sqltest.Open(t, gsql.Config{FileAccess: gsql.FilesBelow(inside)})
	ctx, stop := context.WithCancel(t.Context())
	swapped := make(chan error, 1)
	go func() {
		var err error
		for ctx.Err() == nil && err == nil {
			err = errors.Join(os.Symlink(outside, inside+"/link"), os.Rename(inside+"/link", inside+"/door"), os.Remove(inside+"/door"),
				os.Mkdir(inside+"/door", 0o755), os.WriteFile(inside+"/door/secret.csv", []byte("x,y\n1,2\n"), 0o644))
			time.Sleep(time.Millisecond)
			for os.RemoveAll(inside+"/door") != nil { // a file is being written there
			}
		}
		swapped <- err
	}()
	deadline, reads := time.Now().Add(time.Second), 0
	for i := 0; time.Now().Before(deadline); i++ {
		name := [...]string{"/door/secret.csv", "/door/*.csv"}[i%2]
		got, err := sqltest.TryRows(s, "SELECT x FROM `"+inside+name+"`")
		if err == nil && len(got) > 0 && got[0][0] != "1" {
			t.Fatalf("%s was read through a link: %v", name, got)
		}
		if err == nil {
			reads++
		}
		_, _ = sqltest.TryRows(s, fmt.Sprintf("SELECT 1 AS x INTO OUTFILE '%s/door/new%d.csv'", inside, i))
	}
	stop()
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(outside + "/*new*"); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
	t.Logf("%d reads found the file", reads)
}
