package gpu

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gsql/sql/sqlerr"
)

// memoryDevice has memory to count and nothing else; other methods panic.
type memoryDevice struct {
	Device
	total, used int64
	sizes       map[Ptr]int64
	pinned      int // buffers pinned now
	pins        int // buffers ever pinned
	refusePins  bool
	awaited     int
	awaitError  error
}

func (d *memoryDevice) Name() string { return "fake:0" }

func (d *memoryDevice) Alloc(bytes int64) (Ptr, error) {
	if d.used+bytes > d.total {
		return 0, sqlerr.Wrap(sqlerr.UnknownError, ErrOutOfMemory, "fake")
	}
	if d.sizes == nil {
		d.sizes = map[Ptr]int64{}
	}
	p := Ptr(0x10000 * (len(d.sizes) + 1))
	d.sizes[p] = bytes
	d.used += bytes
	return p, nil
}

func (d *memoryDevice) Free(p Ptr) error {
	bytes, ok := d.sizes[p]
	if !ok {
		return errors.New("not allocated")
	}
	delete(d.sizes, p)
	d.used -= bytes
	return nil
}

func (d *memoryDevice) AllocHost(bytes int64) ([]byte, error) {
	if d.refusePins {
		return nil, errors.New("no more")
	}
	d.pinned++
	d.pins++
	return make([]byte, bytes), nil
}

func (d *memoryDevice) FreeHost([]byte) error {
	d.pinned--
	return nil
}

func (d *memoryDevice) NewEvent() (Event, error) { return 1, nil }

func (d *memoryDevice) FreeEvent(Event) error { return nil }

func (d *memoryDevice) Record(Event, Stream) error { return nil }

func (d *memoryDevice) Await(Event) error {
	d.awaited++
	return d.awaitError
}

func newTestArena(t *testing.T, bytes int64) (*memoryDevice, *Arena) {
	t.Helper()
	dev := &memoryDevice{total: 1 << 20}
	a, err := NewArena(dev, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return dev, a
}

func mustAlloc(t *testing.T, a *Arena, operator string, bytes int64) Ptr {
	t.Helper()
	p, err := a.Alloc(operator, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestArenaAccountsEveryByte(t *testing.T) {
	dev, a := newTestArena(t, 4096)
	first := mustAlloc(t, a, "scan", 1)
	mark := a.Mark()
	second := mustAlloc(t, a, "hash join", 257)
	third := mustAlloc(t, a, "hash join", 256)
	if second != first+256 || third != second+512 {
		t.Errorf("addresses %#x %#x %#x are not packed at multiples of 256", first, second, third)
	}
	if got := a.UsedBy(); got["scan"] != 256 || got["hash join"] != 768 || len(got) != 2 {
		t.Errorf("by operator: %v", got)
	}
	if a.Used() != 1024 || a.Peak() != 1024 {
		t.Errorf("used %d, peak %d, want 1024 both", a.Used(), a.Peak())
	}
	if err := a.Release(mark); err != nil {
		t.Fatal(err)
	}
	if got := a.UsedBy(); a.Used() != 256 || a.Peak() != 1024 || got["hash join"] != 0 {
		t.Errorf("after release: used %d, peak %d, by operator %v", a.Used(), a.Peak(), got)
	}
	if again := mustAlloc(t, a, "sort", 10); again != second {
		t.Errorf("released memory is not reused: %#x, want %#x", again, second)
	}
	if err := a.Close(); err != nil || dev.used != 0 {
		t.Errorf("close: %v, %d bytes left on the device", err, dev.used)
	}
}

func TestArenaTakesItsLastByte(t *testing.T) {
	_, a := newTestArena(t, 1000) // not a multiple of the alignment
	mustAlloc(t, a, "scan", 512)
	mustAlloc(t, a, "scan", 488)
	if a.Used() != a.Size() {
		t.Errorf("used %d of %d", a.Used(), a.Size())
	}
	mustAlloc(t, a, "scan", 0)
	if _, err := a.Alloc("scan", 1); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("a byte more than all: %v", err)
	}
}

func TestArenaRefusalNamesOperatorBytesAndSetting(t *testing.T) {
	_, a := newTestArena(t, 64<<10)
	mustAlloc(t, a, "scan", 16<<10)
	_, err := a.Alloc("radix join", 49<<10)
	if !errors.Is(err, sqlerr.OutOfMemory) {
		t.Fatalf("error %v, want 1037", err)
	}
	want := "Out of device memory on fake:0; radix join needs 49.0 KB more, 16.0 KB of gsql_gpu_memory_limit 64.0 KB are in use"
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want it to contain %q", err, want)
	}
	if a.Used() != 16<<10 {
		t.Errorf("the refused allocation left %d bytes in use", a.Used())
	}
	for _, bytes := range []int64{-1, math.MaxInt64, math.MaxInt64 - 200} {
		if _, err := a.Alloc("scan", bytes); err == nil {
			t.Errorf("allocation of %d bytes succeeded", bytes)
		}
	}
}

func TestArenaLargerThanTheDevice(t *testing.T) {
	dev := &memoryDevice{total: 1000}
	if _, err := NewArena(dev, 1001); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("error %v, want 1037", err)
	}
	if _, err := NewArena(dev, 0); !errors.Is(err, sqlerr.InternalError) {
		t.Errorf("error %v, want 1815", err)
	}
}

func TestArenaRefusesAMarkAbove(t *testing.T) {
	_, a := newTestArena(t, 4096)
	low := a.Mark()
	mustAlloc(t, a, "scan", 100)
	high := a.Mark()
	if err := a.Release(low); err != nil {
		t.Fatal(err)
	}
	if err := a.Release(high); !errors.Is(err, sqlerr.InternalError) {
		t.Errorf("error %v, want 1815", err)
	}
}
