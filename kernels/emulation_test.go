package kernels

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnderEmulation compiles each driver of tests/ with g++ and executes it: the real
// kernel sources on the CPU, against plain loops.
func TestUnderEmulation(t *testing.T) {
	gxx, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ here: the kernels are not executed")
	}
	drivers, err := filepath.Glob("tests/*_test.cpp")
	if err != nil || len(drivers) == 0 {
		t.Fatal("no drivers in tests/", err)
	}
	dir := t.TempDir()
	for _, driver := range drivers {
		name := strings.TrimSuffix(filepath.Base(driver), "_test.cpp")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(dir, name)
			compile := exec.Command(gxx, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-maybe-uninitialized", "-x", "c++", driver, "-o", program)
			if out, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("g++: %v\n%s", err, out)
			}
			out, err := exec.Command(program).CombinedOutput()
			if err != nil || string(out) != "ok\n" {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
