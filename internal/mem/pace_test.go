package mem

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"gsql/internal/cputime"
)

// TestPace collects garbage that fills an account's limit, and a part of it more, as the account's
// statement spills or reserves memory or a table grows, and never without a limit.
func TestPace(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only Pace collects
	for _, c := range []struct {
		name    string
		account func() *Account
		garbage int
		note    func(*Account) error
		want    bool
	}{
		{"a statement that spills", func() *Account { return using(NewRoot("db", 0).Limited("query", 64<<20)) }, 24 << 20, onDisk, true},
		{"its operator's reservation", func() *Account { return using(NewRoot("db", 0).Limited("query", 64<<20)).Child("Sort") }, 24 << 20, (*Account).reserveSome, true},
		{"the database's limit", func() *Account { return using(NewRoot("db", 64<<20)).Child("query") }, 24 << 20, onDisk, true},
		{"a growing table", func() *Account { return using(NewRoot("db", 64<<20)).Child("tables") }, 24 << 20, holdSome, true},
		{"a growing table that cannot be refused", func() *Account { return using(NewRoot("db", 64<<20)).Child("tables") }, 24 << 20, holdSomeAnyway, true},
		{"a statement that holds little", func() *Account { return NewRoot("db", 0).Limited("query", 64<<20) }, 24 << 20, onDisk, false},
		{"garbage beyond the limit", func() *Account { return NewRoot("db", 0).Limited("query", 16<<20) }, 24 << 20, onDisk, true},
		{"less garbage", func() *Account { return using(NewRoot("db", 0).Limited("query", 256<<20)) }, 4 << 20, onDisk, false},
		{"a low limit", func() *Account { return NewRoot("db", 0).Limited("query", 1<<20) }, 4 << 20, onDisk, false},
		{"no limit", func() *Account { return NewRoot("db", 0).Child("query") }, 48 << 20, onDisk, false},
		{"no account", func() *Account { return nil }, 48 << 20, onDisk, false},
	} {
		runtime.GC()
		pacer.next = 0
		a, before := c.account(), collected()
		for made := 0; made < c.garbage; made += 1 << 20 {
			discarded = make([]byte, 1<<20)
		}
		if err := c.note(a); err != nil {
			t.Fatal(err)
		}
		if got := collected() > before; got != c.want {
			t.Errorf("%s: garbage was collected: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPaceSeesDiscarded collects objects that were alive at the last collection once they are
// discarded, before others are made.
func TestPaceSeesDiscarded(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, want := range []bool{false, true} {
		a := NewRoot("query", 32<<20)
		discarded = make([]byte, 24<<20)
		if err := a.Reserve(24 << 20); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		pacer.next, pacer.dead.bytes = 0, 0
		before := collected()
		if discarded = nil; want {
			for range 384 { // text of many blocks
				a.Discard(64 << 10)
			}
		} else {
			a.Release(24 << 20)
		}
		if err := a.Reserve(24 << 20); err != nil {
			t.Fatal(err)
		}
		if got := collected() > before; got != want {
			t.Errorf("discarded: %v; collected: %v", want, got)
		}
	}
}

// TestPaceRests has collections leave the processor to others.
func TestPaceRests(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	debug.FreeOSMemory()
	pacer.next = cputime.Used() + time.Hour
	defer func() { pacer.next = 0 }()
	before := collected()
	for range 24 {
		discarded = make([]byte, 1<<20)
	}
	if using(NewRoot("query", 64<<20)).Pace(2 << 20); collected() > before {
		t.Error("garbage was collected too soon")
	}
	pacer.next = 0
	if using(NewRoot("query", 64<<20)).Pace(8 << 20); collected() == before || pacer.next == 0 {
		t.Error("garbage was not collected once it was time")
	}
}

var discarded []byte // so that the compiler does not place it on the stack

func onDisk(a *Account) error {
	a.Pace(8 << 20)
	return nil
}

// using has a hold three quarters of its limit.
func using(a *Account) *Account {
	_ = a.Reserve(a.limit.Load() / 4 * 3) // within the limit
	return a
}

func holdSome(a *Account) error {
	h, err := a.Hold(8 << 20)
	h.Free()
	return err
}

func holdSomeAnyway(a *Account) error {
	a.HoldAnyway(8 << 20).Free()
	return nil
}

func (a *Account) reserveSome() error { return a.Reserve(8 << 20) }

func collected() uint32 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.NumGC
}

// TestPaceReturnsPages returns pages to the system that collections have left free.
func TestPaceReturnsPages(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 64 {
		discarded = make([]byte, 1<<20)
	}
	discarded = nil
	runtime.GC()
	if free := readHeap().free; free < 32<<20 {
		t.Fatalf("the heap has %d bytes of free pages at the start", free)
	}
	pacer.next = 0
	keep := make([][]byte, 0, 24)
	for range 24 {
		keep = append(keep, make([]byte, 1<<20))
	}
	runtime.KeepAlive(keep)
	using(NewRoot("query", 64<<20)).Pace(8 << 20)
	if free := readHeap().free; free > 16<<20 {
		t.Errorf("the heap keeps %d bytes of free pages", free)
	}
}

// TestPaceFar collects at once where a process has come far beyond a limit, if collections are cheap.
func TestPaceFar(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() { pacer.next = 0; pacer.cost.Store(0) }()
	for _, cost := range []time.Duration{0, 2 * cheap} {
		debug.FreeOSMemory()
		pacer.next = cputime.Used() + time.Hour
		pacer.cost.Store(int64(cost))
		before := collected()
		for range 60 {
			discarded = make([]byte, 1<<20)
		}
		using(NewRoot("query", 64<<20)).Pace(8 << 20)
		if got := collected() > before; got != (cost == 0) {
			t.Errorf("a collection took %v: garbage was collected: %v", cost, got)
		}
	}
}

// TestPaceWaits has a worker of a process far beyond a limit wait for another one that collects.
func TestPaceWaits(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	debug.FreeOSMemory()
	pacer.cost.Store(0)
	for range 60 {
		discarded = make([]byte, 1<<20)
	}
	pacer.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		using(NewRoot("query", 64<<20)).Pace(8 << 20)
	}()
	select {
	case <-done:
		t.Error("the worker goes on")
	case <-time.After(50 * time.Millisecond):
	}
	pacer.mu.Unlock()
	<-done
}
