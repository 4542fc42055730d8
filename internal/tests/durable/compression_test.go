package durable_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql/sql/sqlerr"
	"gsql/storage/vfs/crashfs"
)

// sentences returns rows with different texts of few words.
func sentences(n int) (rows [][]any) {
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("the quick brown fox jumps over a lazy dog while seven wizards quietly mix liquids for box makers in June")
	for i := range n {
		var text []string
		for range 12 {
			text = append(text, words[r.IntN(len(words))])
		}
		rows = append(rows, []any{i, strings.Join(text, " ")})
	}
	return rows
}

// fileBytes returns the bytes of all segment files after a checkpoint has removed those that are not needed.
func (s session) fileBytes(t *testing.T, fs *crashfs.FS) (total int64) {
	t.Helper()
	must(t, s.exec("CREATE TABLE forces_a_checkpoint (a INT)"))
	must(t, s.exec("FLUSH LOGS"))
	must(t, s.exec("DROP TABLE forces_a_checkpoint"))
	must(t, s.exec("FLUSH LOGS"))
	names, err := fs.List()
	must(t, err)
	for _, name := range names {
		if strings.HasPrefix(name, "seg-") {
			f, err := fs.Open(name)
			must(t, err)
			n, err := f.Size()
			must(t, err)
			must(t, f.Close())
			total += n
		}
	}
	return total
}

// TestCompression loads the same rows with each compression, compares what they take, and has OPTIMIZE TABLE rewrite
// them after ALTER TABLE. The option is part of the definition and survives.
func TestCompression(t *testing.T) {
	fs := crashfs.New()
	w, err := open(fs, settings{segmentRows: 4096})
	must(t, err)
	s := w.session()
	rows := sentences(20_000)
	size := map[string]int64{}
	for _, by := range []string{"", "none", "lz4", "zstd"} {
		option := ""
		if by != "" {
			option = " COMPRESSION='" + by + "'"
		}
		must(t, s.exec("CREATE TABLE t (id INT, s VARCHAR(200))"+strings.ToUpper(option)+" COMMENT='c'"))
		must(t, s.append("t", rows))
		size[by] = s.fileBytes(t, fs)
		for range 2 {
			create, err := s.rows("SHOW CREATE TABLE t")
			must(t, err)
			if want := option + " COMMENT='c'\""; !strings.HasSuffix(create[0][1], want) || by == "" && strings.Contains(create[0][1], "COMPRESSION") {
				t.Errorf("%q: the definition is %s", by, create[0][1])
			}
			options, err := s.rows("SELECT create_options FROM information_schema.tables WHERE table_name = 't'")
			must(t, err)
			if want := strings.ReplaceAll(strings.TrimSpace(option), "'", `\"`); options[0][0] != `"`+want+`"` {
				t.Errorf("%q: CREATE_OPTIONS is %s", by, options[0][0])
			}
			must(t, w.db.Close())
			w, err = open(fs, settings{segmentRows: 4096})
			must(t, err)
			s = w.session()
		}
		must(t, s.exec("DROP TABLE t"))
	}
	if size[""] != size["lz4"] || 10*size["lz4"] > 7*size["none"] || 10*size["zstd"] > 9*size["lz4"] {
		t.Errorf("bytes: %v", size)
	}

	must(t, s.exec("CREATE TABLE t (id INT, s VARCHAR(200)) COMPRESSION = 'None'"))
	must(t, s.append("t", rows))
	sum := func() string {
		got, err := s.rows("SELECT COUNT(*), SUM(id), SUM(CRC32(s)) FROM t")
		must(t, err)
		return fmt.Sprint(got)
	}
	want := sum()
	near := func(what, by string) {
		t.Helper()
		if n := s.fileBytes(t, fs); n < size[by]*92/100 || n > size[by]*108/100 {
			t.Errorf("%s: %d bytes, with %s %d", what, n, by, size[by])
		}
		if got := sum(); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	near("loaded", "none")
	must(t, s.exec("ALTER TABLE t COMPRESSION='zstd'"))
	near("altered", "none")
	must(t, s.exec("OPTIMIZE TABLE t"))
	near("optimized", "zstd")
	before, err := fs.List()
	must(t, err)
	must(t, s.exec("OPTIMIZE TABLE t"))
	near("optimized again", "zstd")
	if after, _ := fs.List(); fmt.Sprint(segments(after)) != fmt.Sprint(segments(before)) {
		t.Errorf("optimizing again makes %q of %q", after, before)
	}
	must(t, s.exec("CREATE TABLE l LIKE t"))
	if create, err := s.rows("SHOW CREATE TABLE l"); err != nil || !strings.Contains(create[0][1], "COMPRESSION='zstd'") {
		t.Errorf("LIKE: %s, %v", create, err)
	}
	must(t, s.exec("ALTER TABLE t COMPRESSION=''"))
	if create, err := s.rows("SHOW CREATE TABLE t"); err != nil || strings.Contains(create[0][1], "COMPRESSION") {
		t.Errorf("without compression: %s, %v", create, err)
	}
	for _, sql := range []string{"ALTER TABLE t COMPRESSION='brotli'", "CREATE TABLE u (a INT) COMPRESSION='brotli'"} {
		if err := s.exec(sql); code(err) != sqlerr.UnsupportedExtension {
			t.Errorf("%s: %v", sql, err)
		}
	}
	must(t, w.db.Close())
}

// TestCachedTable marks a table as one whose columns devices keep: the mark survives beside the compression.
func TestCachedTable(t *testing.T) {
	fs := crashfs.New()
	w, err := open(fs, settings{segmentRows: 4096})
	must(t, err)
	s := w.session()
	must(t, s.exec("CREATE TABLE t (a INT) COMPRESSION='zstd'"))
	for _, change := range []struct{ sql, want, options string }{
		{"ALTER TABLE t CACHE", "COMPRESSION='zstd' /* CACHED ON */\"", `"COMPRESSION=\"zstd\" cached=on"`},
		{"ALTER TABLE t NOCACHE", "COMPRESSION='zstd'\"", `"COMPRESSION=\"zstd\""`},
	} {
		must(t, s.exec(change.sql))
		for range 2 {
			create, err := s.rows("SHOW CREATE TABLE t")
			must(t, err)
			options, err := s.rows("SELECT create_options FROM information_schema.tables WHERE table_name = 't'")
			must(t, err)
			if !strings.HasSuffix(create[0][1], change.want) || options[0][0] != change.options {
				t.Errorf("%s: the definition is %s, CREATE_OPTIONS %s", change.sql, create[0][1], options[0][0])
			}
			must(t, w.db.Close())
			w, err = open(fs, settings{segmentRows: 4096})
			must(t, err)
			s = w.session()
		}
	}
	must(t, w.db.Close())
}

// segments returns the names of segment files.
func segments(names []string) (out []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "seg-") {
			out = append(out, name)
		}
	}
	return out
}
