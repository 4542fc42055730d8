//go:build cuda

package cuda

import (
	"runtime"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// owner is the one OS thread on which a device's context is current and all its work is
// issued, in the order of the channel.
type owner struct {
	commands chan func(*state)
	context  cu.CUContext
}

// state is what only the owner's thread touches.
type state struct {
	device  cu.Device
	streams map[gpu.Stream]cu.Stream
	events  map[gpu.Event]cu.Event
	modules map[string]cu.Module
	kernels map[string]*kernel
	host    map[*byte]bool       // pinned buffers
	failed  map[gpu.Stream]error // first error of queued work since the last Sync
	next    uint32               // number of the next stream or event
	closed  bool
}

// kernel is a loaded function.
type kernel struct {
	function cu.Function
	shared   int // dynamic shared memory it may have
}

// queued is how many commands may wait for the owner: enough that issuing runs ahead,
// little enough that it stays near.
const queued = 256

// startOwner makes the device's primary context current on a thread of its own.
func startOwner(ordinal int) (*owner, error) {
	o := &owner{commands: make(chan func(*state), queued)}
	started := make(chan error)
	go o.run(ordinal, started)
	return o, <-started
}

func (o *owner) run(ordinal int, started chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	device, err := cu.GetDevice(ordinal)
	if err == nil {
		o.context, err = device.RetainPrimaryCtx()
	}
	if err == nil {
		err = cu.SetCurrentContext(o.context)
	}
	started <- err
	if err != nil {
		return
	}
	s := &state{
		device:  device,
		streams: map[gpu.Stream]cu.Stream{0: cu.NoStream},
		events:  map[gpu.Event]cu.Event{},
		modules: map[string]cu.Module{},
		kernels: map[string]*kernel{},
		host:    map[*byte]bool{},
		failed:  map[gpu.Stream]error{},
	}
	for f := range o.commands {
		f(s)
	}
}

// do runs f on the owner's thread after all that was queued, and waits for it.
func (o *owner) do(f func(*state) error) error {
	done := make(chan error, 1)
	o.commands <- func(s *state) {
		if s.closed {
			done <- errClosed()
			return
		}
		done <- f(s)
	}
	return <-done
}

// post queues f as work of a stream; its error is for the stream's next Sync. After an
// error the stream's work is skipped until then, so that the first error is the reason.
func (o *owner) post(stream gpu.Stream, f func(*state, cu.Stream) error) {
	o.commands <- func(s *state) {
		if s.closed || s.failed[stream] != nil {
			return
		}
		st, ok := s.streams[stream]
		if !ok {
			s.failed[stream] = sqlerr.Internal("device stream %d does not exist", stream)
			return
		}
		if err := f(s, st); err != nil {
			s.failed[stream] = err
		}
	}
}

func errClosed() error { return sqlerr.Internal("the device is closed") }
