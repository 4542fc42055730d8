package chainlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"gsql/storage/vfs"
	"gsql/storage/vfs/crashfs"
)

// history is what a test did with a log: the records are a function of their numbers.
type history struct {
	seed    uint64
	created atomic.Bool
	begun   atomic.Int64 // records that Append was called for
	acked   atomic.Int64 // records that must survive
	crashes atomic.Int64
	faults  bool // operations fail, which may leave parts of writes
}

// recordCache keeps records, because making them takes longer than everything else.
var recordCache sync.Map

// record returns the record of a number, mostly a short one, sometimes one of many sectors.
func (h *history) record(i int64) []byte {
	key := [2]uint64{h.seed, uint64(i)}
	if b, ok := recordCache.Load(key); ok {
		return b.([]byte)
	}
	r := rand.New(rand.NewPCG(h.seed, uint64(i)))
	n := r.IntN(100)
	switch r.IntN(20) {
	case 0:
		n = r.IntN(3 * minAhead)
	case 1, 2, 3:
		n = r.IntN(4000)
	}
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(r.UintN(256)) * byte(i&1) // every other one is zeros
	}
	recordCache.Store(key, b)
	return b
}

// append appends the next record.
func (h *history) append(log *Log) (Pos, error) {
	i := h.begun.Add(1) - 1
	b := h.record(i)
	return log.Append(b[:len(b)/2], b[len(b)/2:])
}

// read scans a log and returns the number of records, which must be at least least.
func (h *history) read(fsys vfs.FS, least int64) (n int64, end End, err error) {
	end, err = Scan(fsys, "log", testKind, func(at Pos, record []byte) error {
		if !bytes.Equal(record, h.record(n)) {
			return fmt.Errorf("record %d is another one", n)
		}
		n++
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) && !h.created.Load():
		return 0, End{}, nil
	case err != nil:
		return n, end, err
	case n < least:
		return n, end, fmt.Errorf("%d records are left of %d acknowledged ones", n, least)
	case n > h.begun.Load():
		return n, end, fmt.Errorf("%d records are left of %d", n, h.begun.Load())
	}
	return n, end, nil
}

// check recovers from crashes at a point, with everything that they may leave.
func (h *history) check(p *crashfs.Point) error {
	for _, keep := range crashfs.Keeps {
		seeds := uint64(1)
		if keep == crashfs.Random || keep == crashfs.Torn {
			seeds = 3
		}
		for seed := range seeds {
			h.crashes.Add(1)
			whole := !h.faults && (keep == crashfs.All || keep == crashfs.Killed)
			if err := h.recover(p.Crash(keep, h.seed*7+seed), h.acked.Load(), whole); err != nil {
				return fmt.Errorf("seed %d, operation %+v, mode %d of crashes, seed %d: %w", h.seed, p.Op, keep, seed, err)
			}
		}
	}
	return nil
}

// recover reads what a crash left, at least least records, without anything torn if everything was
// left whole, and goes on from there. Crashes while it does so lose nothing either, and what was
// read does not disappear once Continue has returned.
func (h *history) recover(fsys *crashfs.FS, least int64, whole bool) error {
	n, end, err := h.read(fsys, least)
	if err != nil {
		return err
	}
	if whole && end.Pos > 0 && end.Torn != 0 {
		return fmt.Errorf("%d torn bytes without a torn write", end.Torn)
	}
	if _, err := fsys.Open("log"); errors.Is(err, fs.ErrNotExist) {
		return nil // read says that it had not been created
	}
	var inner error
	after := &history{seed: h.seed}
	after.begun.Store(max(n+1, h.begun.Load())) // the crash may bring back what was not read
	after.created.Store(h.created.Load())
	fsys.Watch(func(p *crashfs.Point) {
		for _, keep := range []crashfs.Keep{crashfs.None, crashfs.Random} {
			h.crashes.Add(1)
			if _, _, err := after.read(p.Crash(keep, h.seed), least); err != nil && inner == nil {
				inner = fmt.Errorf("again at operation %+v, mode %d: %w", p.Op, keep, err)
			}
		}
	})
	log, err := Continue(fsys, "log", end, Full)
	if err != nil {
		return err
	}
	least = n
	after.created.Store(true)
	p, err := log.Append(h.record(n))
	if err == nil {
		err = log.Commit(p)
	}
	if err != nil {
		return err
	}
	least = n + 1
	if left, _, err := after.read(fsys.Point().Crash(crashfs.None, 0), least); err != nil || left != least {
		return fmt.Errorf("%d records after recovery instead of %d: %w", left, least, err)
	}
	if err := log.Close(); err != nil {
		return err
	}
	left, end, err := after.read(fsys, least)
	if err != nil || left != least || end.Torn != 0 {
		return fmt.Errorf("%d records and %d torn bytes after closing, instead of %d: %w", left, end.Torn, least, err)
	}
	return inner
}

// play does random things with a log and returns it, open.
func (h *history) play(fsys vfs.FS, steps int) (*Log, error) {
	r := rand.New(rand.NewPCG(h.seed, 0))
	log, err := Create(fsys, "log", testKind, Full)
	if err != nil {
		return nil, err
	}
	h.created.Store(true)
	mode := Full
	for range steps {
		last := h.begun.Load()
		switch r.IntN(16) {
		case 0:
			mode = Sync(r.IntN(3))
			log.SetMode(mode)
		case 1:
			if err = log.Sync(); err == nil {
				h.acked.Store(last)
			}
		case 2:
			if err = log.Close(); err != nil {
				return nil, err
			}
			h.acked.Store(last)
			var end End
			if _, end, err = h.read(fsys, last); err == nil {
				log, err = Continue(fsys, "log", end, mode)
			}
		case 3, 4, 5, 6, 7, 8:
			_, err = h.append(log)
		default:
			var p Pos
			if p, err = h.append(log); err == nil {
				if err = log.Commit(p); err == nil && mode == Full {
					h.acked.Store(last + 1)
				}
			}
		}
		if err != nil {
			return log, err
		}
	}
	return log, nil
}

// TestCrashes crashes after every operation of random histories.
func TestCrashes(t *testing.T) {
	histories := uint64(20) // some 150,000 crashes
	if testing.Short() {
		histories = 2
	}
	crashes := int64(0)
	for seed := range histories {
		h := &history{seed: seed}
		fsys := crashfs.New()
		fsys.Watch(func(p *crashfs.Point) {
			if err := h.check(p); err != nil {
				t.Error(err)
			}
		})
		log, err := h.play(fsys, 40)
		if err == nil {
			err = log.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if fsys.Handles() != 0 {
			t.Fatalf("%d files are open", fsys.Handles())
		}
		if t.Failed() {
			return
		}
		crashes += h.crashes.Load()
	}
	t.Logf("%d crashes", crashes)
}
