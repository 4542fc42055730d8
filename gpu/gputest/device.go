// Package gputest checks that a gpu.Device of any kind satisfies the contract.
package gputest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"gsql/gpu"
)

// Run checks all of dev except kernels, whose sources differ by kind.
func Run(t *testing.T, dev gpu.Device) {
	t.Run("info", func(t *testing.T) { checkInfo(t, dev) })
	t.Run("copies", func(t *testing.T) { checkCopies(t, dev) })
	t.Run("memset", func(t *testing.T) { checkMemset(t, dev) })
	t.Run("out of memory", func(t *testing.T) { checkOutOfMemory(t, dev) })
	t.Run("events", func(t *testing.T) { checkEvents(t, dev) })
	t.Run("events behind failed work", func(t *testing.T) { checkFailedEvents(t, dev) })
	t.Run("stream errors", func(t *testing.T) { checkStreamErrors(t, dev) })
	t.Run("handles", func(t *testing.T) { checkHandles(t, dev) })
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Alloc allocates device memory until the test's end.
func Alloc(t testing.TB, dev gpu.Device, size int64) gpu.Ptr {
	t.Helper()
	p, err := dev.Alloc(size)
	Must(t, err)
	t.Cleanup(func() {
		if err := dev.Free(p); err != nil {
			t.Error(err)
		}
	})
	return p
}

// NewStream makes a stream until the test's end.
func NewStream(t testing.TB, dev gpu.Device) gpu.Stream {
	t.Helper()
	s, err := dev.NewStream()
	Must(t, err)
	t.Cleanup(func() {
		if err := dev.FreeStream(s); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Pinned allocates pinned host memory until the test's end.
func Pinned(t testing.TB, dev gpu.Device, size int64) []byte {
	t.Helper()
	b, err := dev.AllocHost(size)
	Must(t, err)
	t.Cleanup(func() {
		if err := dev.FreeHost(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

func fillRandom(b []byte) {
	r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

func checkInfo(t *testing.T, dev gpu.Device) {
	info, err := dev.Info()
	Must(t, err)
	t.Logf("%s: %+v", dev.Name(), info)
	if info.Name == "" || info.SMs < 1 || info.Memory < 1<<20 || info.Free < 1 || info.Free > info.Memory || info.SharedPerBlock < 48<<10 {
		t.Errorf("implausible: %+v", info)
	}
	const size = 64 << 20
	Alloc(t, dev, size)
	after, err := dev.Info()
	Must(t, err)
	if after.Free > info.Free-size/2 {
		t.Errorf("free memory went from %d to %d though %d were allocated", info.Free, after.Free, size)
	}
}

// checkCopies copies random bytes to the device, across it and back, from both kinds of host
// memory.
func checkCopies(t *testing.T, dev gpu.Device) {
	const most = 1<<20 + 13
	for _, kind := range []string{"pageable", "pinned"} {
		from, to := make([]byte, most), make([]byte, most)
		if kind == "pinned" {
			from, to = Pinned(t, dev, most), Pinned(t, dev, most)
		}
		a, b, s := Alloc(t, dev, most), Alloc(t, dev, most), NewStream(t, dev)
		if a%256 != 0 || b%256 != 0 {
			t.Errorf("addresses %#x and %#x are not multiples of 256", a, b)
		}
		for _, n := range []int{0, 1, 255, 4096, most} {
			fillRandom(from)
			clear(to)
			Must(t, dev.CopyToDevice(a, from[:n], s))
			Must(t, dev.CopyDevice(b, a, int64(n), s))
			Must(t, dev.CopyToHost(to[:n], b, s))
			Must(t, dev.Sync(s))
			if !bytes.Equal(from[:n], to[:n]) {
				t.Errorf("%s: %d bytes came back changed", kind, n)
			}
			if n < most && to[n] != 0 {
				t.Errorf("%s: copying %d bytes wrote the next one", kind, n)
			}
		}
	}
}

func checkMemset(t *testing.T, dev gpu.Device) {
	p, s := Alloc(t, dev, 1000), NewStream(t, dev)
	got := make([]byte, 1000)
	Must(t, dev.Memset(p, 0xEE, 1000, s))
	Must(t, dev.Memset(p+100, 0x11, 300, s))
	Must(t, dev.CopyToHost(got, p, s))
	Must(t, dev.Sync(s))
	for i, b := range got {
		want := byte(0xEE)
		if i >= 100 && i < 400 {
			want = 0x11
		}
		if b != want {
			t.Fatalf("byte %d is %#x, want %#x", i, b, want)
		}
	}
}

func checkOutOfMemory(t *testing.T, dev gpu.Device) {
	info, err := dev.Info()
	Must(t, err)
	if _, err := dev.Alloc(2 * info.Memory); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("twice the device's memory: %v, want ErrOutOfMemory", err)
	}
	Alloc(t, dev, 1<<20) // and the device continues to work
}

// checkEvents orders two streams by an event and times the first.
func checkEvents(t *testing.T, dev gpu.Device) {
	const size = 32 << 20
	p, first, second := Alloc(t, dev, size), NewStream(t, dev), NewStream(t, dev)
	start, err := dev.NewEvent()
	Must(t, err)
	end, err := dev.NewEvent()
	Must(t, err)
	copied, err := dev.NewEvent()
	Must(t, err)
	Must(t, dev.Await(copied)) // never recorded
	got := Pinned(t, dev, size)
	for value := byte(1); value < 5; value++ {
		Must(t, dev.Record(start, first))
		for range 3 {
			Must(t, dev.Memset(p, 0, size, first))
		}
		Must(t, dev.Memset(p, value, size, first))
		Must(t, dev.Record(end, first))
		Must(t, dev.Wait(second, end))
		Must(t, dev.CopyToHost(got, p, second))
		Must(t, dev.Record(copied, second))
		Must(t, dev.Await(copied))
		if got[0] != value || got[size-1] != value {
			t.Fatalf("the second stream saw %d and %d, want %d: it did not wait", got[0], got[size-1], value)
		}
		elapsed, err := dev.Elapsed(start, end)
		Must(t, err)
		if elapsed <= 0 {
			t.Errorf("four memsets of %d bytes took %v", size, elapsed)
		}
	}
	for _, e := range []gpu.Event{start, end, copied} {
		Must(t, dev.FreeEvent(e))
	}
}

// checkFailedEvents checks that an event recorded after failed work passes the failure to every
// waiter until it is recorded anew.
func checkFailedEvents(t *testing.T, dev gpu.Device) {
	bad, other, p := NewStream(t, dev), NewStream(t, dev), Alloc(t, dev, 1)
	e, err := dev.NewEvent()
	Must(t, err)
	Must(t, dev.Memset(p, 1, 1, other))
	Must(t, dev.Sync(other))
	Must(t, dev.Launch("gsql_no_such_kernel", gpu.Launch{Stream: bad}))
	Must(t, dev.Record(e, bad))
	Must(t, dev.Wait(other, e))
	Must(t, dev.Memset(p, 2, 1, other))
	for what, err := range map[string]error{"Await": dev.Await(e), "Sync": dev.Sync(bad), "the waiting stream's Sync": dev.Sync(other)} {
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("gsql_no_such_kernel")) {
			t.Errorf("%s: error %v does not name the kernel", what, err)
		}
	}
	got := make([]byte, 1)
	Must(t, dev.CopyToHost(got, p, other))
	Must(t, dev.Sync(other))
	if got[0] != 1 {
		t.Error("work that waits for failed work was done")
	}
	Must(t, dev.Record(e, bad))
	Must(t, dev.Await(e))
	Must(t, dev.FreeEvent(e))
}

// checkStreamErrors checks that the first error of queued work appears at the stream's next Sync,
// after which the stream works again.
func checkStreamErrors(t *testing.T, dev gpu.Device) {
	bad, good := NewStream(t, dev), NewStream(t, dev)
	p := Alloc(t, dev, 8)
	Must(t, dev.Launch("gsql_no_such_kernel", gpu.Launch{Stream: bad}))
	Must(t, dev.Memset(p, 1, 8, bad))
	Must(t, dev.Memset(p, 2, 8, good))
	if err := dev.Sync(good); err != nil {
		t.Errorf("another stream has the error: %v", err)
	}
	if err := dev.Sync(bad); err == nil || !bytes.Contains([]byte(err.Error()), []byte("gsql_no_such_kernel")) {
		t.Errorf("error %v does not name the kernel", err)
	}
	if err := dev.Sync(bad); err != nil {
		t.Errorf("the error came twice: %v", err)
	}
	got := make([]byte, 8)
	Must(t, dev.CopyToHost(got, p, bad))
	Must(t, dev.Sync(bad))
	if got[0] != 2 {
		t.Errorf("work behind the failed launch was done: found %d", got[0])
	}
}

// checkHandles checks that a handle that does not exist causes an error, not a crash.
func checkHandles(t *testing.T, dev gpu.Device) {
	const none = 1 << 30
	if err := dev.Sync(none); err == nil {
		t.Error("a stream that does not exist was synchronised")
	}
	if err := dev.FreeStream(0); err == nil {
		t.Error("stream 0 was freed")
	}
	if err := dev.FreeEvent(none); err == nil {
		t.Error("an event that does not exist was freed")
	}
	if _, err := dev.Elapsed(none, none+1); err == nil {
		t.Error("events that do not exist have a time")
	}
	if err := dev.FreeHost(make([]byte, 8)); err == nil {
		t.Error("memory that was not pinned was unpinned")
	}
	if err := dev.Await(none); err == nil {
		t.Error("an event that does not exist was awaited")
	}
	if err := dev.Record(none, 0); err == nil {
		if err = dev.Sync(0); err == nil {
			t.Error("an event that does not exist was recorded")
		}
	}
}
