package gputest

import (
	"bytes"
	"testing"

	"gsql/gpu"
)

// RunPeers checks the copies and waits between devices of one machine.
func RunPeers(t *testing.T, devices []gpu.Device) {
	t.Run("links", func(t *testing.T) { checkLinks(t, devices) })
	t.Run("ring", func(t *testing.T) { checkRing(t, devices) })
	t.Run("all to all", func(t *testing.T) { checkAllToAll(t, devices) })
	t.Run("failed work", func(t *testing.T) { checkFailedPeer(t, devices) })
}

func checkLinks(t *testing.T, devices []gpu.Device) {
	for _, to := range devices {
		for _, from := range devices {
			link, err := to.Link(from)
			Must(t, err)
			t.Logf("%s to %s: %+v", from.Name(), to.Name(), link)
			if link.Kind == "" {
				t.Errorf("%s to %s: the link has no kind", from.Name(), to.Name())
			}
		}
	}
}

// checkRing passes bytes around all devices, each hop ordered by an event alone. Every device adds a
// byte in front.
func checkRing(t *testing.T, devices []gpu.Device) {
	const size = 8 << 20
	first := devices[0]
	want := make([]byte, size)
	fillRandom(want)
	event := make([]gpu.Event, len(devices))
	stream := make([]gpu.Stream, len(devices))
	at := make([]gpu.Ptr, len(devices))
	for i, d := range devices {
		var err error
		event[i], err = d.NewEvent()
		Must(t, err)
		defer func() { Must(t, d.FreeEvent(event[i])) }()
		stream[i], at[i] = NewStream(t, d), Alloc(t, d, size+int64(len(devices)))
	}
	last := len(devices) - 1
	Must(t, first.CopyToDevice(at[0]+gpu.Ptr(last), want, stream[0]))
	Must(t, first.Record(event[0], stream[0]))
	for i, d := range devices[1:] {
		n := size + int64(i)
		offset := gpu.Ptr(last - i)
		Must(t, d.WaitPeer(stream[i+1], devices[i], event[i]))
		Must(t, d.CopyPeer(at[i+1]+offset, devices[i], at[i]+offset, n, stream[i+1]))
		Must(t, d.Memset(at[i+1]+offset-1, byte(i), 1, stream[i+1]))
		Must(t, d.Record(event[i+1], stream[i+1]))
	}
	got := make([]byte, size+last)
	Must(t, devices[last].CopyToHost(got, at[last], stream[last]))
	Must(t, devices[last].Sync(stream[last]))
	for i := range last {
		if got[last-1-i] != byte(i) {
			t.Errorf("the byte of hop %d is %d", i, got[last-1-i])
		}
	}
	if !bytes.Equal(got[last:], want) {
		t.Error("the bytes came back changed")
	}
}

// checkAllToAll exchanges a block between each two devices at the same time.
func checkAllToAll(t *testing.T, devices []gpu.Device) {
	const block = 1<<20 + 64
	n := len(devices)
	from, to := make([]gpu.Ptr, n), make([]gpu.Ptr, n)
	stream, filled := make([]gpu.Stream, n), make([]gpu.Event, n)
	for i, d := range devices {
		from[i], to[i] = Alloc(t, d, int64(n)*block), Alloc(t, d, int64(n)*block)
		stream[i] = NewStream(t, d)
		var err error
		filled[i], err = d.NewEvent()
		Must(t, err)
		defer func() { Must(t, d.FreeEvent(filled[i])) }()
		for j := range n {
			Must(t, d.Memset(from[i]+gpu.Ptr(j*block), byte(16*i+j), block, stream[i]))
		}
		Must(t, d.Record(filled[i], stream[i]))
	}
	for i, d := range devices {
		for j, other := range devices {
			Must(t, d.WaitPeer(stream[i], other, filled[j]))
			Must(t, d.CopyPeer(to[i]+gpu.Ptr(j*block), other, from[j]+gpu.Ptr(i*block), block, stream[i]))
		}
	}
	got := make([]byte, n*block)
	for i, d := range devices {
		Must(t, d.CopyToHost(got, to[i], stream[i]))
		Must(t, d.Sync(stream[i]))
		for at, b := range got {
			if want := byte(16*(at/block) + i); b != want {
				t.Fatalf("device %d: byte %d is %#x, want %#x", i, at, b, want)
			}
		}
	}
}

// checkFailedPeer checks that work that waits for another device's failed work fails as well.
func checkFailedPeer(t *testing.T, devices []gpu.Device) {
	bad, good := devices[0], devices[len(devices)-1]
	s, waits := NewStream(t, bad), NewStream(t, good)
	e, err := bad.NewEvent()
	Must(t, err)
	Must(t, bad.Launch("gsql_no_such_kernel", gpu.Launch{Stream: s}))
	Must(t, bad.Record(e, s))
	Must(t, good.WaitPeer(waits, bad, e))
	if err := good.Sync(waits); err == nil || !bytes.Contains([]byte(err.Error()), []byte("gsql_no_such_kernel")) {
		t.Errorf("error %v does not name the kernel", err)
	}
	if err := bad.Sync(s); err == nil {
		t.Error("the failed stream has no error")
	}
	if err := good.WaitPeer(waits, bad, 1<<30); err == nil {
		t.Error("an event that does not exist was waited for")
	}
	Must(t, bad.FreeEvent(e))
}
