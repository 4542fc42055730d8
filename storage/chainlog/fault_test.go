package chainlog

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"gsql/storage/vfs/crashfs"
)

// TestFaults makes each operation of a history fail. The log takes no more records then, nothing is
// tried again, and what was acknowledged is there when the log is opened again.
func TestFaults(t *testing.T) {
	histories := uint64(3)
	if testing.Short() {
		histories = 1
	}
	for seed := range histories {
		for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
			for _, beyond := range []bool{false, true} {
				op := 1
				for checkFault(t, seed, op, fault, beyond) {
					op++
				}
				if op < 20 {
					t.Fatalf("seed %d has %d operations", seed, op)
				}
			}
		}
	}
}

// checkFault plays a history with one failure and reports whether there was an operation to fail.
func checkFault(t *testing.T, seed uint64, op int, fault error, beyond bool) bool {
	t.Helper()
	h := &history{seed: seed, faults: true}
	fsys := crashfs.New()
	fsys.Fail(op, fault, beyond)
	log, err := h.play(fsys, 40)
	if err == nil {
		err = log.Close()
	} else if log != nil {
		h.checkPoisoned(t, log, fsys, err)
	}
	if fsys.Ops() < op {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	where := fmt.Sprintf("seed %d, operation %d, %v, beyond %v", seed, op, fault, beyond)
	if !errors.Is(err, fault) {
		t.Fatalf("%s: %v", where, err)
	}
	if fsys.Handles() != 0 {
		t.Fatalf("%s: %d files are open", where, fsys.Handles())
	}
	if err := h.check(fsys.Point()); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return true
}

// checkPoisoned checks that a log whose file has failed does nothing more, and closes it.
func (h *history) checkPoisoned(t *testing.T, log *Log, fsys *crashfs.FS, cause error) {
	t.Helper()
	if log.Err() == nil {
		// Closing, reading or opening has failed; there is no log.
		return
	}
	ops := fsys.Ops()
	size, acked := log.Size(), h.acked.Load()
	_, err := log.Append([]byte("more"))
	calls := []error{err, log.Commit(size), log.Sync(), log.Close(), log.Commit(size)}
	for i, err := range calls {
		if !errors.Is(err, errors.Unwrap(log.Err())) || !errors.Is(err, errors.Unwrap(cause)) {
			t.Fatalf("call %d of a poisoned log: %v", i, err)
		}
	}
	if fsys.Ops() != ops || log.Size() != size || h.acked.Load() != acked {
		t.Fatal("a poisoned log goes on")
	}
	if err := log.Close(); err != nil {
		t.Fatalf("closing again: %v", err)
	}
}

// TestDurableStaysCommitted checks that a record that is durable stays committed when the log is
// poisoned.
func TestDurableStaysCommitted(t *testing.T) {
	fsys := crashfs.New()
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		t.Fatal(err)
	}
	first, err := log.Append([]byte("first"))
	if err == nil {
		err = log.Commit(first)
	}
	if err != nil {
		t.Fatal(err)
	}
	second, err := log.Append([]byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	fsys.Fail(fsys.Ops()+2, syscall.EIO, false) // the sync
	if err := log.Commit(second); !errors.Is(err, syscall.EIO) {
		t.Errorf("commit without a sync: %v", err)
	}
	if err := log.Commit(first); err != nil {
		t.Errorf("commit of a durable record: %v", err)
	}
	log.SetMode(Normal)
	if err := log.Commit(second); !errors.Is(err, syscall.EIO) {
		t.Errorf("commit of a lost record: %v", err)
	}
	if err := log.Close(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}
