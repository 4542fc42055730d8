//go:build sim

package sim

import (
	"bytes"
	"strings"
	"testing"

	"gsql/gpu"
	"gsql/gpu/gputest"
)

func machine(t *testing.T, n int) []gpu.Device {
	t.Helper()
	devices := make([]gpu.Device, n)
	for i, d := range Machine(n, 64<<20) {
		devices[i] = d
		t.Cleanup(func() {
			if d.InUse() != 0 {
				t.Errorf("%s: %d bytes of device memory leaked", d.Name(), d.InUse())
			}
			gputest.Must(t, d.Close())
		})
	}
	return devices
}

func TestPeers(t *testing.T) {
	for _, n := range []int{1, 2, 4, 8} {
		gputest.RunPeers(t, machine(t, n))
	}
}

// TestUnawaitedCopies: what is read before its copy was waited for is poison, and a source that is
// overwritten before its copy was waited for arrives overwritten.
func TestUnawaitedCopies(t *testing.T) {
	devices := machine(t, 2)
	from, to := devices[0], devices[1]
	s, other := gputest.NewStream(t, from), gputest.NewStream(t, from)
	copies, reads := gputest.NewStream(t, to), gputest.NewStream(t, to)
	src, dst := gputest.Alloc(t, from, 4), gputest.Alloc(t, to, 4)
	got := make([]byte, 4)
	read := func(what string, want byte) {
		t.Helper()
		gputest.Must(t, to.CopyToHost(got, dst, reads))
		gputest.Must(t, to.Sync(reads))
		if !bytes.Equal(got, bytes.Repeat([]byte{want}, 4)) {
			t.Errorf("%s: read %x, want %x", what, got, want)
		}
	}
	gputest.Must(t, to.Memset(dst, 1, 4, reads))
	gputest.Must(t, to.Sync(reads))
	gputest.Must(t, from.Memset(src, 7, 4, s))
	gputest.Must(t, from.Sync(s))
	gputest.Must(t, to.CopyPeer(dst, from, src, 4, copies))
	read("the copy was not waited for", poison)
	gputest.Must(t, from.Memset(src, 9, 4, other))
	gputest.Must(t, from.Sync(other))
	gputest.Must(t, to.Sync(copies))
	read("the source was overwritten during the copy", 9)

	gputest.Must(t, from.Memset(src, 5, 4, s)) // and the copy does not wait for s
	gputest.Must(t, to.CopyPeer(dst, from, src, 4, copies))
	gputest.Must(t, to.Sync(copies))
	read("the source was not waited for", 9)
	gputest.Must(t, from.Sync(s))
}

// TestStrangers: devices of different machines reach each other in no way.
func TestStrangers(t *testing.T) {
	a, b := lone(t), lone(t)
	p, q := gputest.Alloc(t, a, 4), gputest.Alloc(t, b, 4)
	e, err := b.NewEvent()
	gputest.Must(t, err)
	_, noLink := a.Link(b)
	for what, err := range map[string]error{"link": noLink, "copy": a.CopyPeer(p, b, q, 4, 0), "wait": a.WaitPeer(0, b, e)} {
		if err == nil || !strings.Contains(err.Error(), "no device of the machine") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	gputest.Must(t, b.FreeEvent(e))
}

// TestPeerBounds: copies stay within allocations of the devices that they name.
func TestPeerBounds(t *testing.T) {
	devices := machine(t, 2)
	p, q := gputest.Alloc(t, devices[0], 16), gputest.Alloc(t, devices[1], 16)
	for _, c := range []struct {
		dst, src gpu.Ptr
		n        int64
	}{{p, q, 17}, {p, p, 16}, {q, q, 16}, {p + 1, q, 16}} {
		gputest.Must(t, devices[0].CopyPeer(c.dst, devices[1], c.src, c.n, 0))
		if err := devices[0].Sync(0); err == nil || !strings.Contains(err.Error(), "not within a device allocation") {
			t.Errorf("%d bytes from %#x to %#x: error %v", c.n, c.src, c.dst, err)
		}
	}
}
