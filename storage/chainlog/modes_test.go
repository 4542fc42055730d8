package chainlog

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// eventually waits until a condition holds, at most for the second that modes promise, and some
// more on a busy machine.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// TestModes checks when records are written and synced in each mode.
func TestModes(t *testing.T) {
	for _, mode := range []Sync{Full, Normal, Off} {
		fsys := crashfs.New()
		log, err := Create(fsys, "log", testKind, mode)
		if err != nil {
			t.Fatal(err)
		}
		before := fsys.Ops()
		begun := time.Now()
		p, err := log.Append([]byte("record"))
		if err == nil {
			err = log.Commit(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		records := func(keep crashfs.Keep) int {
			all, _, _ := scanAll(t, fsys.Point().Crash(keep, 0), "log")
			return len(all)
		}
		if time.Since(begun) < delay/2 {
			if got, want := fsys.Ops()-before, 2-int(mode); got != want { // write and sync, write, nothing
				t.Errorf("mode %d: %d operations of a commit, want %d", mode, got, want)
			}
		}
		if mode == Off {
			eventually(t, "the record is not written", func() bool { return records(crashfs.Killed) == 1 })
			if records(crashfs.None) != 0 {
				t.Error("the record is synced")
			}
			log.SetMode(Full)
			if err := log.Commit(p); err != nil {
				t.Fatal(err)
			}
			if records(crashfs.None) != 1 {
				t.Error("the record is not synced after a full commit")
			}
		}
		eventually(t, "the record is not synced", func() bool { return records(crashfs.None) == 1 })
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNobodyWaits checks that a record is written without a call of Commit.
func TestNobodyWaits(t *testing.T) {
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err == nil {
		_, err = log.Append([]byte("record"))
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the record is not synced", func() bool {
		all, _, _ := scanAll(t, fsys.Point().Crash(crashfs.None, 0), "log")
		return len(all) == 1
	})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestClosedLogs checks what is left of a log that was closed: no goroutine, no open file, no space
// ahead of the records, and errors.
func TestClosedLogs(t *testing.T) {
	before := runtime.NumGoroutine()
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Normal)
	if err != nil {
		t.Fatal(err)
	}
	p, err := log.Append([]byte("record"))
	if err == nil {
		err = log.Commit(p)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Commit(p + 1); err == nil {
		t.Error("commit of what was not appended")
	}
	for range 2 {
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.Append(nil); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), "crashfs/log") {
		t.Errorf("append: %v", err)
	}
	if err := errors.Join(log.Commit(p), log.Sync(), log.Err()); err != nil {
		t.Errorf("what is durable is not: %v", err)
	}
	eventually(t, "a goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
	if fsys.Handles() != 0 {
		t.Errorf("%d files are open", fsys.Handles())
	}
	h, err := fsys.Open("log")
	if err != nil {
		t.Fatal(err)
	}
	if size, err := h.Size(); err != nil || size != headerSize+recordSize+8+recordSize {
		t.Errorf("the file has %d bytes, %v", size, err)
	}
	// Opening and closing adds nothing.
	_, _, end := scanAll(t, fsys, "log")
	if log, err = Continue(fsys, "log", end, Full); err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, again := scanAll(t, fsys, "log"); again != end {
		t.Errorf("ends at %+v, before at %+v", again, end)
	}
	if _, err := Create(fsys, "log", testKind, Full); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create: %v", err)
	}
	other, err := Create(fsys, "other", testKind, Full)
	if err == nil {
		err = other.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if log, err := Continue(fsys, "other", end, Full); err == nil {
		log.Close()
		t.Error("a log continues from another one's end")
	}
	if fsys.Handles() != 1 {
		t.Errorf("%d files are open", fsys.Handles()-1)
	}
}

// TestSyncCoversWhatWasWritten writes a record while a sync is in progress, which does not make it
// durable.
func TestSyncCoversWhatWasWritten(t *testing.T) {
	fsys := crashfs.New()
	slow := &slowFS{countingFS: countingFS{FS: fsys}}
	log, err := Create(slow, "log", testKind, Normal)
	if err != nil {
		t.Fatal(err)
	}
	slow.after = make(chan struct{})
	if _, err := log.Append([]byte("first")); err != nil {
		t.Fatal(err)
	}
	before := slow.syncs.Load()
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := log.Sync(); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "there is no sync", func() bool { return slow.syncs.Load() > before })
	p, err := log.Append([]byte("second"))
	if err == nil {
		err = log.Commit(p) // does not wait for the sync
	}
	if err != nil {
		t.Fatal(err)
	}
	close(slow.after)
	wg.Wait()
	log.SetMode(Full)
	if err := log.Commit(p); err != nil {
		t.Fatal(err)
	}
	if records, _, _ := scanAll(t, fsys.Point().Crash(crashfs.None, 0), "log"); len(records) != 2 {
		t.Errorf("%d records are durable", len(records))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// slowFS waits in syncs, as disks do.
type slowFS struct {
	countingFS
	before time.Duration
	after  chan struct{} // syncs end when it is closed; nil lets them end
}

func (f *slowFS) Create(name string) (vfs.File, error) {
	h, err := f.countingFS.Create(name)
	return &slowFile{h, f}, err
}

type slowFile struct {
	vfs.File
	fs *slowFS
}

func (f *slowFile) Sync() error {
	time.Sleep(f.fs.before)
	err := f.File.Sync()
	if f.fs.after != nil {
		<-f.fs.after
	}
	return err
}

// TestGroupCommit counts syncs: one for each commit of one writer, and far fewer if many commit.
func TestGroupCommit(t *testing.T) {
	const commits = 640
	for writers, most := range map[int]int64{1: commits / 10, 64: commits / 16} {
		fsys := &slowFS{countingFS: countingFS{FS: crashfs.New()}, before: 5 * time.Millisecond}
		log, err := Create(fsys, "log", testKind, Full)
		if err != nil {
			t.Fatal(err)
		}
		fsys.syncs.Store(0)
		n := commits
		if writers == 1 {
			n /= 10
		}
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range n / writers {
					p, err := log.Append(make([]byte, 100))
					if err == nil {
						err = log.Commit(p)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got := fsys.syncs.Load(); got > most {
			t.Errorf("%d writers: %d syncs of %d commits, want at most %d", writers, got, n, most)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
