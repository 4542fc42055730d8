package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// testDir returns a temporary folder.
func testDir(t *testing.T) FS {
	t.Helper()
	d, err := Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wantError checks an error's kind and that it names the file with its folder.
func wantError(t *testing.T, err, want error, d FS, name string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), filepath.Join(d.String(), name)) {
		t.Errorf("got %v; want %v and %s", err, want, filepath.Join(d.String(), name))
	}
}

func TestFiles(t *testing.T) {
	d := testDir(t)
	f, err := d.Create("b")
	if err != nil {
		t.Fatal(err)
	}
	if f.Name() != "b" {
		t.Errorf("name %q", f.Name())
	}
	if _, err := f.WriteAt([]byte("world"), 6); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("hello"), 0); err != nil {
		t.Fatal(err)
	}
	before := Syncs()
	if err := errors.Join(f.Sync(), d.SyncDir(), f.Truncate(10)); err != nil {
		t.Fatal(err)
	}
	want := int64(2)
	if runtime.GOOS == "windows" {
		want = 1 // it cannot sync folders
	}
	if n := Syncs() - before; n != want {
		t.Errorf("%d syncs are counted, want %d", n, want)
	}
	if size, err := f.Size(); size != 10 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	_, err = d.Create("b")
	wantError(t, err, fs.ErrExist, d, "b")
	for _, open := range []func(string) (File, error){d.Open, d.OpenWritable} {
		_, err := open("a")
		wantError(t, err, fs.ErrNotExist, d, "a")
		g, err := open("b")
		if err != nil {
			t.Fatal(err)
		}
		var b [20]byte
		if n, err := g.ReadAt(b[:], 1); string(b[:n]) != "ello\x00worl" || err != io.EOF {
			t.Errorf("%q, %v", b[:n], err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	readable, err := d.Open("b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readable.WriteAt([]byte("x"), 0); err == nil {
		t.Error("a file opened for reading was written")
	}
	// Files stay usable without a name.
	g, err := d.Create("c")
	if err == nil {
		_, err = g.WriteAt([]byte("c"), 0)
	}
	if err == nil {
		err = errors.Join(g.Close(), d.Rename("c", "b"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	if _, err := readable.ReadAt(b[:], 0); err != nil || b[0] != 'h' {
		t.Errorf("%q, %v", b, err)
	}
	if err := errors.Join(d.Remove("b"), readable.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	wantError(t, d.Remove("b"), fs.ErrNotExist, d, "b")
	wantError(t, d.Rename("b", "c"), fs.ErrNotExist, d, "b")
	wantError(t, f.Sync(), fs.ErrClosed, d, "b")
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

func TestList(t *testing.T) {
	d := testDir(t)
	for _, name := range []string{"c", "a", "B", "b-1"} {
		f, err := d.Create(name)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(d.String(), "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if names, err := d.List(); fmt.Sprint(names) != "[B a b-1 c]" || err != nil {
		t.Errorf("%v, %v", names, err)
	}
}

// TestNames checks that names lead to no other folder.
func TestNames(t *testing.T) {
	d := testDir(t)
	for _, name := range []string{"", ".", "..", "a/b", "../a", `a\b`, "/a"} {
		_, created := d.Create(name)
		_, opened := d.Open(name)
		_, locked := d.Lock(name, true)
		for i, err := range []error{created, opened, locked, d.Remove(name), d.Rename(name, "a"), d.Rename("a", name)} {
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q, call %d: %v", name, i, err)
			}
		}
	}
}

func TestMakeDir(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "db")
	if _, err := Dir(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	for range 2 {
		d, err := MakeDir(path)
		if err != nil {
			t.Fatal(err)
		}
		if d.String() != path {
			t.Errorf("path %q", d)
		}
	}
	if _, err := MakeDir(filepath.Join(parent, "no", "db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (FS, error){Dir, MakeDir} {
		if _, err := open(file); err == nil || !strings.Contains(err.Error(), "not a folder") || !strings.Contains(err.Error(), file) {
			t.Errorf("a file: %v", err)
		}
	}
	t.Chdir(parent)
	d, err := MakeDir("relative")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(path) // the folder stays the same one
	if _, err := d.Create("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(parent, "relative", "a")); err != nil {
		t.Error(err)
	}
}
