package durable_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/storage/durable"
	"gsql/storage/vfs/crashfs"
)

// damaged makes a database of three tables, each with a segment file of its own and a checkpoint behind
// it, and returns what is left when it is closed.
func damaged(t *testing.T) *crashfs.Point {
	fs := crashfs.New()
	w, err := open(fs, settings{segmentRows: 8})
	must(t, err)
	s := w.session()
	for _, name := range []string{"a", "b", "c"} {
		must(t, s.exec("CREATE TABLE "+name+" (x INT, y VARCHAR(20))"))
		var rows [][]any
		for i := range 8 {
			rows = append(rows, []any{i, fmt.Sprint(name, i)})
		}
		must(t, s.append(name, rows))
		must(t, s.exec("FLUSH LOGS"))
	}
	must(t, w.db.Close())
	return fs.Point()
}

// sum is the sum of a table's numbers.
func (s session) sum(table string) string {
	rows, err := s.rows("SELECT SUM(x), MIN(y) FROM " + table)
	return fmt.Sprint(rows, err)
}

// whole is what sum returns for an intact table.
func whole(table string) string { return fmt.Sprintf(`[["28" "%s0"]] <nil>`, table) }

// check returns the damage that Check reports.
func check(t *testing.T, fs *crashfs.FS) string {
	t.Helper()
	report, err := durable.Check(bg, fs)
	must(t, err)
	return strings.Join(report.Damage, "\n")
}

// TestMissingSegmentFile opens a database without one of its segment files: it can only be read, and warns,
// naming the file and the table. The other tables can be read.
func TestMissingSegmentFile(t *testing.T) {
	fs := damaged(t).Crash(crashfs.All, 0)
	const lost = "seg-0000000000000002"
	must(t, fs.Remove(lost))
	for _, readonly := range []bool{false, true} {
		w, err := open(fs, settings{readonly: readonly})
		must(t, err)
		if warned := fmt.Sprint(w.db.Repairs); !strings.Contains(warned, lost) || !strings.Contains(warned, "table gsql.b") {
			t.Errorf("readonly %v: opening warns: %s", readonly, warned)
		}
		s := w.session()
		if a, c := s.sum("a"), s.sum("c"); a != whole("a") || c != whole("c") {
			t.Errorf("the other tables have %s and %s", a, c)
		}
		if b := s.sum("b"); !strings.Contains(b, lost) || !strings.Contains(b, "gsql.b") {
			t.Errorf("reading the table: %s", b)
		}
		if err := s.exec("INSERT INTO a VALUES (1, 'x')"); code(err) != sqlerr.OptionPreventsStatement {
			t.Errorf("inserting: %v", err)
		}
		must(t, w.db.Close())
	}
	if got := check(t, fs); strings.Count(got, lost) != 1 || !strings.Contains(got, "gsql.b") {
		t.Errorf("Check reports %s", got)
	}
}

// TestDamagedManifest flips a bit in each checkpoint of a manifest but the first and the last. The database opens with
// what the checkpoints before have, can only be read, and warns, naming the file and the place.
func TestDamagedManifest(t *testing.T) {
	p := damaged(t)
	const manifest = "manifest-00000002"
	for table, text := range map[string]string{"b": "a and no b", "c": "a, b and no c"} {
		fs := p.Crash(crashfs.All, 0)
		f, err := fs.Open(manifest)
		must(t, err)
		size, err := f.Size()
		must(t, err)
		buf := make([]byte, size)
		if _, err := f.ReadAt(buf, 0); err != nil {
			t.Fatal(err)
		}
		must(t, f.Close())
		at := strings.Index(string(buf), "\x04gsql\x01"+table) // database and name in the definition
		must(t, fs.Flip(manifest, 8*int64(at)+8))
		w, err := open(fs, settings{})
		must(t, err)
		if warned := fmt.Sprint(w.db.Repairs); !strings.Contains(warned, manifest+" is damaged at offset") || !strings.Contains(warned, "only be read") {
			t.Errorf("%s: opening warns: %s", text, warned)
		}
		s := w.session()
		if got := s.sum("a"); got != whole("a") {
			t.Errorf("%s: a has %s", text, got)
		}
		if got := s.sum(table); !strings.Contains(got, "1146") {
			t.Errorf("%s: %s has %s", text, table, got)
		}
		if err := s.exec("CREATE TABLE d (a INT)"); code(err) != sqlerr.OptionPreventsStatement {
			t.Errorf("%s: creating a table: %v", text, err)
		}
		must(t, w.db.Close())
		if got := check(t, fs); !strings.Contains(got, manifest+" is damaged at offset") {
			t.Errorf("%s: Check reports %s", text, got)
		}
	}
}

// TestCheckNamesAll damages several blocks of several files: Check reports every one.
func TestCheckNamesAll(t *testing.T) {
	fs := damaged(t).Crash(crashfs.All, 0)
	const head = 32 // bytes of a segment file before its first block
	for _, name := range []string{"seg-0000000000000001", "seg-0000000000000003"} {
		f, err := fs.Open(name)
		must(t, err)
		size, err := f.Size()
		must(t, err)
		must(t, f.Close())
		must(t, fs.Flip(name, 8*head+40))
		must(t, fs.Flip(name, 8*(size-1)))
	}
	got := check(t, fs)
	for _, want := range []string{"seg-0000000000000001 is damaged at byte 32", "column 'x' of table 'gsql.a'", "seg-0000000000000003 is damaged at byte 32", "column 'x' of table 'gsql.c'"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "does not end as a segment file"); n != 2 {
		t.Errorf("%d broken footers are reported of 2:\n%s", n, got)
	}
	to := crashfs.New()
	w, err := open(fs, settings{readonly: true})
	must(t, err)
	if err := w.db.Store.Backup(bg, to); code(err) != sqlerr.FileCorrupt && !strings.Contains(fmt.Sprint(err), "damaged") {
		t.Errorf("a backup of damaged files: %v", err)
	}
	must(t, w.db.Close())
}

// TestManifestWithoutItsEnd breaks the last checkpoint of a database that was not closed, which looks as if it had
// not been synced. But the log of the checkpoint before is gone, so that it was.
func TestManifestWithoutItsEnd(t *testing.T) {
	fs := crashfs.New()
	w, err := open(fs, settings{})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE a AS SELECT 1 AS x"))
	must(t, s.exec("FLUSH LOGS"))
	f, err := fs.Open("manifest-00000002")
	must(t, err)
	buf := make([]byte, 1<<20)
	n, _ := f.ReadAt(buf, 0)
	must(t, f.Close())
	end := len(strings.TrimRight(string(buf[:n]), "\x00"))
	must(t, s.exec("CREATE TABLE b AS SELECT 2 AS x"))
	must(t, s.exec("FLUSH LOGS"))
	crashed := fs.Point().Crash(crashfs.All, 0)
	must(t, w.db.Close())
	must(t, crashed.Flip("manifest-00000002", 8*int64(end+40)))
	w, err = open(crashed, settings{})
	must(t, err)
	if warned := fmt.Sprint(w.db.Repairs); !strings.Contains(warned, "manifest-00000002 is damaged at offset") || !strings.Contains(warned, "wal-") {
		t.Errorf("opening warns: %s", warned)
	}
	if got, err := w.session().rows("SELECT x FROM a"); err != nil || fmt.Sprint(got) != `[["1"]]` {
		t.Errorf("the table has %s, %v", got, err)
	}
	if err := w.session().exec("DROP TABLE a"); code(err) != sqlerr.OptionPreventsStatement {
		t.Errorf("dropping a table: %v", err)
	}
	must(t, w.db.Close())
	if got := check(t, crashed); !strings.Contains(got, "manifest-00000002 is damaged at offset") {
		t.Errorf("Check reports %s", got)
	}
}
