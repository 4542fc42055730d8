package kernels

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestCubins checks that the machine code in cubin/ is of the embedded PTX, all of it.
func TestCubins(t *testing.T) {
	files, err := fs.Glob(ptx, "ptx/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var want strings.Builder
	for _, file := range files {
		text, err := fs.ReadFile(ptx, file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%x  ./%s\n", sha256.Sum256(text), strings.TrimPrefix(file, "ptx/"))
	}
	archives, err := filepath.Glob("cubin/*.zip")
	if err != nil || len(archives) != 4 {
		t.Fatalf("archives %v, %v; want four", archives, err)
	}
	for _, name := range archives {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		if got := entry(t, &z.Reader, "sources"); got != want.String() {
			t.Errorf("%s is of other PTX: run kernels/cubin.sh", name)
		}
		for _, file := range files {
			file = strings.TrimSuffix(strings.TrimPrefix(file, "ptx/"), ".ptx") + ".cubin"
			if code := entry(t, &z.Reader, file); !strings.HasPrefix(code, "\x7fELF") {
				t.Errorf("%s in %s is no machine code", file, name)
			}
		}
	}
}

func entry(t *testing.T, z *zip.Reader, name string) string {
	t.Helper()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
