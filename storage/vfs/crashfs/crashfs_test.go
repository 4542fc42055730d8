package crashfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"

	"gsql/storage/vfs"
)

// model is a file as plain bytes: as synced, and after each change since.
type model struct{ versions [][]byte }

func (m *model) now() []byte { return m.versions[len(m.versions)-1] }

func (m *model) write(b []byte, at int) {
	next := make([]byte, max(len(m.now()), at+len(b)))
	copy(next, m.now())
	copy(next[at:], b)
	m.versions = append(m.versions, next)
}

func (m *model) truncate(size int) {
	next := make([]byte, size)
	copy(next, m.now())
	m.versions = append(m.versions, next)
}

// contents reads a whole file.
func contents(t *testing.T, f vfs.FS, name string) []byte {
	t.Helper()
	h, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	size, err := h.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if _, err := h.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// create makes a file whose name is durable.
func create(t *testing.T, f vfs.FS, name string) vfs.File {
	t.Helper()
	h, err := f.Create(name)
	if err == nil {
		err = f.SyncDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// must ends a test with an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestContents compares random writes, truncations and syncs of one file with plain bytes: without
// a crash, and after one, when each byte is one of those that it was since the last sync.
func TestContents(t *testing.T) {
	histories := uint64(50)
	if testing.Short() {
		histories = 5
	}
	for seed := range histories {
		r := rand.New(rand.NewPCG(seed, 1))
		f := New()
		h := create(t, f, "a")
		m := &model{versions: [][]byte{nil}}
		for range 40 {
			switch r.IntN(8) {
			case 0:
				must(t, h.Sync())
				m.versions = [][]byte{m.now()}
			case 1:
				size := r.IntN(3 * chunkSize)
				must(t, h.Truncate(int64(size)))
				m.truncate(size)
			default:
				b := bytes.Repeat([]byte{byte(r.IntN(3) * r.IntN(100))}, r.IntN(chunkSize*3/2))
				at := r.IntN(2 * chunkSize)
				_, err := h.WriteAt(b, int64(at))
				must(t, err)
				if len(b) > 0 {
					m.write(b, at)
				}
			}
			if !bytes.Equal(contents(t, f, "a"), m.now()) {
				t.Fatalf("seed %d: contents differ", seed)
			}
			checkCrashes(t, f.Point(), m, r.Uint64())
		}
		must(t, h.Close())
		if f.Handles() != 0 {
			t.Fatalf("%d files are open", f.Handles())
		}
	}
}

// checkCrashes compares what crashes leave of the file "a" with its model.
func checkCrashes(t *testing.T, p *Point, m *model, seed uint64) {
	t.Helper()
	for _, keep := range Keeps {
		left := p.Crash(keep, seed)
		got := contents(t, left, "a")
		switch keep {
		case None:
			if !bytes.Equal(got, m.versions[0]) {
				t.Fatal("something was left that was not synced")
			}
		case All, Killed:
			if !bytes.Equal(got, m.now()) {
				t.Fatalf("mode %d lost something", keep)
			}
		default:
			checkSectors(t, got, m)
		}
		if again := contents(t, p.Crash(keep, seed), "a"); !bytes.Equal(got, again) {
			t.Fatal("the same seed left something else")
		}
		// What is found after a crash is durable, except after the death of a process.
		want := got
		if keep == Killed {
			want = m.versions[0]
		}
		if !bytes.Equal(contents(t, left.Point().Crash(None, 0), "a"), want) {
			t.Fatalf("mode %d: another crash left something else", keep)
		}
	}
}

// checkSectors checks that each byte was there since the last sync, or is zero if there was none.
// Bytes of one sector can come from several writes.
func checkSectors(t *testing.T, got []byte, m *model) {
	t.Helper()
	for i, b := range got {
		ok := false
		for _, v := range m.versions {
			ok = ok || i < len(v) && v[i] == b || i >= len(v) && b == 0
		}
		if !ok {
			t.Fatalf("byte %d is %d, which it never was", i, b)
		}
	}
}

// TestTearsAtSectors checks that a torn write leaves whole sectors, sometimes not all of them,
// and that it leaves earlier writes alone.
func TestTearsAtSectors(t *testing.T) {
	f := New()
	h := create(t, f, "a")
	_, err := h.WriteAt(bytes.Repeat([]byte{1}, 4*sectorSize), 0)
	must(t, err)
	_, err = h.WriteAt(bytes.Repeat([]byte{2}, 2*sectorSize), sectorSize-100)
	must(t, err)
	seen := map[string]bool{}
	for seed := range uint64(200) {
		b := contents(t, f.Point().Crash(Torn, seed), "a")
		if len(b) != 4*sectorSize {
			t.Fatalf("%d bytes", len(b))
		}
		parts := []byte{b[sectorSize-100], b[sectorSize], b[2*sectorSize], b[3*sectorSize]}
		for i, from := range []int{sectorSize - 100, sectorSize, 2 * sectorSize} {
			end := min((from/sectorSize+1)*sectorSize, 3*sectorSize-100)
			if !bytes.Equal(b[from:end], bytes.Repeat(parts[i:i+1], end-from)) {
				t.Fatalf("sector %d is torn inside", i)
			}
		}
		if b[0] != 1 || parts[3] != 1 {
			t.Fatal("the first write is torn")
		}
		seen[fmt.Sprint(parts)] = true
	}
	if len(seen) != 8 { // three sectors
		t.Fatalf("%d of 8 possible outcomes: %v", len(seen), seen)
	}
}

// TestReorders checks that any subset of writes may be left.
func TestReorders(t *testing.T) {
	f := New()
	h := create(t, f, "a")
	must(t, h.Truncate(3*sectorSize))
	must(t, h.Sync())
	for i := range int64(3) {
		_, err := h.WriteAt([]byte{1}, i*sectorSize)
		must(t, err)
	}
	seen := map[string]bool{}
	for seed := range uint64(500) {
		b := contents(t, f.Point().Crash(Random, seed), "a")
		seen[fmt.Sprint(b[0], b[sectorSize], b[2*sectorSize])] = true
	}
	if len(seen) != 8 {
		t.Fatalf("%d of 8 possible outcomes: %v", len(seen), seen)
	}
}

// list returns the names and the first byte of each file.
func list(t *testing.T, f vfs.FS) string {
	t.Helper()
	names, err := f.List()
	must(t, err)
	text := ""
	for _, n := range names {
		text += n + string(contents(t, f, n)) + " "
	}
	return text
}

// TestNames checks what crashes leave of creations, renames and removals.
func TestNames(t *testing.T) {
	f := New()
	for _, name := range []string{"a", "b"} {
		h := create(t, f, name)
		_, err := h.WriteAt([]byte(name), 0)
		must(t, err)
		must(t, h.Sync())
	}
	must(t, f.Rename("b", "a"))
	must(t, f.Remove("a"))
	h, err := f.Create("c")
	must(t, err)
	_, err = h.WriteAt([]byte("c"), 0)
	must(t, err)
	must(t, h.Sync()) // makes the contents durable, not the name
	p := f.Point()
	if got := list(t, p.Crash(None, 0)); got != "aa bb " {
		t.Errorf("none: %s", got)
	}
	if got := list(t, p.Crash(All, 0)); got != "cc " {
		t.Errorf("all: %s", got)
	}
	seen := map[string]bool{}
	for seed := range uint64(500) {
		seen[list(t, p.Crash(Random, seed))] = true
	}
	// The removal needs the rename before.
	for _, want := range []string{"aa bb ", "ab ", "", "aa bb cc ", "ab cc ", "cc "} {
		if !seen[want] {
			t.Errorf("random never leaves %q", want)
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("random also leaves %v", seen)
	}
	must(t, f.SyncDir())
	if got := list(t, f.Point().Crash(None, 0)); got != "cc " {
		t.Errorf("after a sync: %s", got)
	}
}

// TestFailedSync checks that what a failed sync loses stays lost, although reads see it and the
// next sync succeeds.
func TestFailedSync(t *testing.T) {
	lost := 0
	for i := range 100 {
		f := New()
		h := create(t, f, "a")
		for range i { // another operation, another outcome
			must(t, h.Sync())
		}
		_, err := h.WriteAt([]byte{1}, 0)
		must(t, err)
		f.Fail(f.Ops()+1, syscall.EIO, false)
		if err := h.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		must(t, h.Sync())
		if got := contents(t, f, "a"); !bytes.Equal(got, []byte{1}) {
			t.Fatalf("reads see %v", got)
		}
		if len(contents(t, f.Point().Crash(All, 0), "a")) == 0 {
			lost++
		}
	}
	if lost == 0 || lost == 100 {
		t.Errorf("%d of 100 failed syncs lost the write", lost)
	}
}

// TestFaults checks that each operation fails when it is told to, without having its effect.
func TestFaults(t *testing.T) {
	f := New()
	h := create(t, f, "a")
	_, err := h.WriteAt(bytes.Repeat([]byte{1}, 2*sectorSize), 0)
	must(t, err)
	f.Fail(f.Ops()+1, syscall.ENOSPC, true)
	var seen []Op
	f.Watch(func(p *Point) { seen = append(seen, p.Op) })
	n, err := h.WriteAt(bytes.Repeat([]byte{2}, 2*sectorSize), 0)
	if n != sectorSize || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: %d, %v", n, err)
	}
	_, createErr := f.Create("b")
	for i, err := range []error{createErr, h.Truncate(0), f.Rename("a", "b"), f.Remove("a"), f.SyncDir(), h.Sync()} {
		var path *fs.PathError
		if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path) {
			t.Errorf("operation %d: %v", i, err)
		}
	}
	b := contents(t, f, "a")
	if len(b) != 2*sectorSize || b[0] != 2 || b[sectorSize] != 1 {
		t.Error("contents are wrong after failures")
	}
	for i, want := range []Action{Write, Create, Truncate, Rename, Remove, SyncDir, Sync} {
		if i >= len(seen) || seen[i].Action != want || seen[i].Err == nil {
			t.Fatalf("watched %v", seen)
		}
	}
	f.FailReads("a", syscall.EIO)
	if _, err := h.ReadAt(b, 0); !errors.Is(err, syscall.EIO) {
		t.Errorf("read: %v", err)
	}
	f.FailReads("a", nil)
	if _, err := h.ReadAt(b, 0); err != nil {
		t.Errorf("read: %v", err)
	}
}

func TestFlip(t *testing.T) {
	f := New()
	h := create(t, f, "a")
	_, err := h.WriteAt([]byte{1, 2}, 0)
	must(t, err)
	must(t, h.Sync())
	before := f.Point()
	must(t, f.Flip("a", 9))
	if got := contents(t, f, "a"); !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("contents %v", got)
	}
	if got := contents(t, f.Point().Crash(None, 0), "a"); !bytes.Equal(got, []byte{1, 0}) {
		t.Errorf("durable contents %v", got)
	}
	if got := contents(t, before.Crash(All, 0), "a"); !bytes.Equal(got, []byte{1, 2}) {
		t.Errorf("the state before has %v", got)
	}
	if err := f.Flip("a", 16); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

func TestLocks(t *testing.T) {
	f := New()
	lock := func(exclusive bool, wantLocked bool) func() {
		t.Helper()
		l, err := f.Lock("LOCK", exclusive)
		var locked *vfs.LockedError
		if errors.As(err, &locked) != wantLocked || (err != nil) != wantLocked {
			t.Fatalf("exclusive %v: %v", exclusive, err)
		}
		if err != nil {
			return nil
		}
		return func() {
			must(t, l.Close())
			if err := l.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Error(err)
			}
		}
	}
	a := lock(false, false)
	b := lock(false, false)
	lock(true, true)
	a()
	lock(true, true)
	b()
	c := lock(true, false)
	lock(true, true)
	lock(false, true)
	if _, err := f.Point().Crash(All, 0).Lock("LOCK", true); err != nil {
		t.Errorf("after a crash: %v", err)
	}
	c()
	lock(true, false)
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	f := New()
	var points []*Point
	f.Watch(func(p *Point) { points = append(points, p) })
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			name := fmt.Sprint(g)
			h, err := f.Create(name)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 50 {
				_, err := h.WriteAt(bytes.Repeat([]byte{byte(i)}, 3000), int64(i)*1000)
				if err != nil || h.Sync() != nil || f.SyncDir() != nil {
					t.Error("failed")
				}
				f.Point().Crash(Random, uint64(i)).List()
			}
		})
	}
	wg.Wait()
	if f.Ops() != 4*151 || len(points) != f.Ops() {
		t.Errorf("%d operations, %d points", f.Ops(), len(points))
	}
	for i, p := range points {
		if p.Op.Number != i+1 {
			t.Fatalf("point %d is of operation %d", i, p.Op.Number)
		}
	}
}
