package vfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// lockVariable tells the test program to hold a lock: "exclusive" or "shared", a space, the folder.
const lockVariable = "GSQL_TEST_LOCK"

func TestMain(m *testing.M) {
	if how, dir, ok := strings.Cut(os.Getenv(lockVariable), " "); ok {
		holdLock(how == "exclusive", dir)
		return
	}
	os.Exit(m.Run())
}

// holdLock holds a lock until its input ends.
func holdLock(exclusive bool, path string) {
	d, err := Dir(path)
	if err == nil {
		_, err = d.Lock("LOCK", exclusive)
	}
	fmt.Println("result:", err)
	io.Copy(io.Discard, os.Stdin)
}

// lockElsewhere starts a process that takes a lock and returns what it said. kill ends it.
func lockElsewhere(t *testing.T, d FS, how string) (pid int, said string, kill func()) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), lockVariable+"="+how+" "+d.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	said, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, strings.TrimSpace(said), func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
}

// tryBoth tries to take each kind of lock and gives it back.
func tryBoth(t *testing.T, d FS) (exclusive, shared error) {
	t.Helper()
	try := func(exclusive bool) error {
		l, err := d.Lock("LOCK", exclusive)
		if err == nil {
			err = l.Close()
		}
		return err
	}
	return try(true), try(false)
}

// holder returns the process that an error names, -1 if it is no *LockedError.
func holder(err error) int {
	var locked *LockedError
	if !errors.As(err, &locked) {
		return -1
	}
	return locked.PID
}

func TestLocksOfOneProcess(t *testing.T) {
	d := testDir(t)
	if x, s := tryBoth(t, d); x != nil || s != nil {
		t.Fatal(x, s)
	}
	l, err := d.Lock("LOCK", true)
	if err != nil {
		t.Fatal(err)
	}
	x, s := tryBoth(t, d)
	if holder(x) != os.Getpid() || holder(s) != os.Getpid() || !strings.Contains(x.Error(), "LOCK is locked by this process") {
		t.Errorf("exclusive: %v; shared: %v", x, s)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := d.Lock("LOCK", false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Lock("LOCK", false)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if x, s := tryBoth(t, d); holder(x) != 0 || s != nil {
			t.Errorf("exclusive: %v; shared: %v", x, s)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		a = b
	}
	if x, s := tryBoth(t, d); x != nil || s != nil {
		t.Error(x, s)
	}
	if names, err := d.List(); fmt.Sprint(names) != "[LOCK]" || err != nil {
		t.Error(names, err)
	}
}

func TestLocksOfTwoProcesses(t *testing.T) {
	d := testDir(t)
	pid, said, kill := lockElsewhere(t, d, "exclusive")
	if said != "result: <nil>" {
		t.Fatal(said)
	}
	x, s := tryBoth(t, d)
	if holder(x) != pid || holder(s) != pid || !strings.HasSuffix(x.Error(), fmt.Sprint("by process ", pid)) {
		t.Errorf("exclusive: %v; shared: %v", x, s)
	}
	kill() // the lock ends with the process, and its number stays in the file
	_, said, kill = lockElsewhere(t, d, "shared")
	if said != "result: <nil>" {
		t.Fatal(said)
	}
	if x, s := tryBoth(t, d); holder(x) != 0 || s != nil {
		t.Errorf("beside a shared lock: exclusive: %v; shared: %v", x, s)
	}
	kill()
	l, err := d.Lock("LOCK", true)
	if err != nil {
		t.Fatal(err)
	}
	_, said, kill = lockElsewhere(t, d, "exclusive")
	if !strings.HasSuffix(said, fmt.Sprint("by process ", os.Getpid())) {
		t.Error(said)
	}
	kill()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, said, kill = lockElsewhere(t, d, "exclusive")
	if said != "result: <nil>" {
		t.Error(said)
	}
	kill()
}
