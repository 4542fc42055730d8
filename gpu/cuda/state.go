//go:build cuda

package cuda

import (
	"runtime"
	"sync"

	"gorgonia.org/cu"

	"gsql/gpu"
	"gsql/sql/sqlerr"
)

// state is a device in use: its context and everything created in it. Calls of the driver run on
// the caller's thread, which makes the context current first: switching to another thread would
// cost more than launching a kernel.
type state struct {
	device  cu.Device
	context cu.CUContext

	mu      sync.Mutex // guards the fields below, and is not held while the driver copies or waits
	streams map[gpu.Stream]*stream
	events  map[gpu.Event]*event
	modules map[string]module
	loading map[string]*sync.Mutex // by module, held while it is compiled
	entries map[string]cu.Module   // by the names of the kernels that they define
	kernels map[string]*kernel
	host    map[*byte]bool // pinned buffers
	peers   map[int]bool   // by ordinal, the devices whose memory this one accesses directly
	next    uint32         // number of the next stream or event
	closed  bool
}

// stream is a queue of work.
type stream struct {
	cu     cu.Stream
	end    cu.Event // for waits that block
	failed error    // first error of queued work since the last Sync
}

// event is the most recently recorded point.
type event struct {
	cu     cu.Event
	failed error // its stream's error, if that had failed before
}

// kernel is a loaded function.
type kernel struct {
	function cu.Function
	shared   int // dynamic shared memory it may use
}

// start creates the device's primary context.
func start(ordinal int) (*state, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	device, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, err
	}
	context, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, err
	}
	s := &state{
		device:  device,
		context: context,
		streams: map[gpu.Stream]*stream{},
		events:  map[gpu.Event]*event{},
		modules: map[string]module{}, loading: map[string]*sync.Mutex{},
		entries: map[string]cu.Module{},
		kernels: map[string]*kernel{},
		host:    map[*byte]bool{},
		peers:   map[int]bool{},
	}
	if err = cu.SetCurrentContext(context); err == nil {
		s.streams[0], err = newStream(cu.NoStream)
	}
	return s, err
}

// do runs f with the context current and the mutex held.
func (s *state) do(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	return s.within(f)
}

// within runs f with the context current.
func (s *state) within(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(s.context); err != nil {
		return err
	}
	return f()
}

// stream looks a stream up. The caller holds the mutex.
func (s *state) stream(id gpu.Stream) (*stream, error) {
	if s.closed {
		return nil, errClosed()
	}
	st, ok := s.streams[id]
	if !ok {
		return nil, sqlerr.Internal("device stream %d does not exist", id)
	}
	return st, nil
}

// spoil makes err the stream's error until its next Sync, unless it already has one.
func (s *state) spoil(st *stream, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.failed == nil {
		st.failed = err
	}
}

// absolve returns the stream's error and clears it.
func (s *state) absolve(st *stream) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err, st.failed = st.failed, nil
	return err
}

func errClosed() error { return sqlerr.Internal("the device is closed") }
