package spill

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// crashDir is the environment variable that names the directory in which a process of this test
// creates a file and waits.
const crashDir = "GSQL_TEST_CRASH_DIR"

// TestCrashLeavesNoFiles kills a process that has rows in a file, and looks for the file. If the
// system keeps its name, the next process removes it.
func TestCrashLeavesNoFiles(t *testing.T) {
	if dir := os.Getenv(crashDir); dir != "" {
		f, err := NewSpace(dir, 0).Create([]types.Type{types.T(types.Int64)})
		if err != nil {
			t.Fatal(err)
		}
		v := vec.NewFlat(types.T(types.Int64), 1000)
		if _, err := f.Write(&vec.Batch{N: v.N, Cols: []*vec.Vector{v}}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("written")
		select {}
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestCrashLeavesNoFiles$")
	child.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("written"))
	if _, err := io.ReadFull(out, said); err != nil || string(said) != "written" {
		t.Fatalf("%q, %v", said, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	left := files(t, dir)
	if runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// Files that a crash in between, or Windows, would leave.
	for _, name := range []string{"gsql-spill-1", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := NewSpace(dir, 0).Create([]types.Type{types.T(types.Int64)})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); len(left) != 1 || filepath.Base(left[0]) != "other" {
		t.Errorf("left after the next file: %v", left)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
