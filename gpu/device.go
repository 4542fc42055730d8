// Package gpu defines what the engine knows about graphics processors: the device contract, the
// devices that this program can reach, an arena over device memory and a pool of pinned staging
// buffers. It is pure Go. Package gpu/cuda (build tag "cuda") drives NVIDIA GPUs; package gpu/sim
// (build tag "sim") executes the same kernel sources on the CPU.
package gpu

import "time"

// Ptr is an address in the memory of one device; 0 is none.
type Ptr uint64

// Stream names an ordered queue of work of one device. Work on one stream runs in order; streams
// run independently of each other. The zero Stream always exists.
type Stream uint32

// Event names a point in the work of a stream.
type Event uint32

// Info describes a device.
type Info struct {
	Name           string // the manufacturer's name for it
	Driver         string // the driver's version, "" if there is none
	Capability     int    // CUDA compute capability: 10*major + minor
	SMs            int    // streaming multiprocessors
	Memory, Free   int64  // bytes of device memory: total, and free at the time of the call
	L2             int64  // bytes of level-two cache
	SharedPerBlock int    // most bytes of shared memory that a block may request
	Link           string // how it is attached, "" if unknown
}

// Dim is the extent of a grid or block; a zero counts as 1.
type Dim struct{ X, Y, Z uint32 }

// Launch specifies how a kernel runs.
type Launch struct {
	Grid, Block Dim
	Shared      int // bytes of dynamic shared memory
	Stream      Stream
}

// Module is compiled kernels under a name that is loaded once. A simulated device has its kernels
// compiled in and ignores text and code.
type Module struct {
	Name  string
	PTX   string
	Cubin []byte // PTX as machine code of the device, or nil; a driver that cannot load it compiles PTX
}

// Device is one accelerator. All methods may be called from any goroutine.
//
// Copies, Memset, Launch, Record and Wait are asynchronous: they return when the work is queued.
// Host memory passed to them must not be touched until Sync of that stream has returned. The first
// error of such work is kept and returned by the next Sync of its stream.
type Device interface {
	// Name returns the device's short name, such as cuda:0.
	Name() string
	// Info describes the device. The first call of any method except Name may initialise it.
	Info() (Info, error)

	// Alloc reserves device memory, aligned to 256 bytes, with undefined contents. If there is not
	// enough, the error is ErrOutOfMemory.
	Alloc(bytes int64) (Ptr, error)
	// Free frees memory returned by Alloc, after all work of the device is done.
	Free(p Ptr) error
	// AllocHost returns pinned host memory, which copies at the link's full speed. Pinning is slow;
	// see StagingPool.
	AllocHost(bytes int64) ([]byte, error)
	// FreeHost frees memory returned by AllocHost.
	FreeHost(b []byte) error

	NewStream() (Stream, error)
	// FreeStream ends a stream once its work is done.
	FreeStream(s Stream) error
	CopyToDevice(dst Ptr, src []byte, s Stream) error
	// CopyToHost copies len(dst) bytes.
	CopyToHost(dst []byte, src Ptr, s Stream) error
	// CopyDevice copies within the device; the ranges do not overlap.
	CopyDevice(dst, src Ptr, bytes int64, s Stream) error
	Memset(dst Ptr, value byte, bytes int64, s Stream) error

	// LoadModule makes the kernels of m available to Launch. Loading a name again does nothing.
	LoadModule(m Module) error
	// Launch starts a kernel. Every parameter of every kernel has 64 bits.
	Launch(kernel string, how Launch, args ...uint64) error

	NewEvent() (Event, error)
	FreeEvent(e Event) error
	// Record marks the current end of the stream.
	Record(e Event, s Stream) error
	// Wait makes later work on s wait for the event. If the event's own stream failed before the
	// event, s fails with that error.
	Wait(s Stream, e Event) error
	// Await waits for the event as it was last recorded, and returns the error of its stream if
	// that failed before the event. It returns at once for an event that was never recorded.
	Await(e Event) error
	// Elapsed returns the device's time between two recorded events. It waits for the end.
	Elapsed(start, end Event) (time.Duration, error)

	// Link describes how copies from another device of the same machine reach this one.
	Link(from Device) (Link, error)
	// CopyPeer copies from the memory of another device of the same machine to this one, on a stream
	// of this device, directly where the link allows it. The other device's memory must not be
	// written until the copy is done.
	CopyPeer(dst Ptr, from Device, src Ptr, bytes int64, s Stream) error
	// WaitPeer is Wait for an event of another device of the same machine.
	WaitPeer(s Stream, from Device, e Event) error

	// Sync waits for the work of the stream and returns its first error.
	Sync(s Stream) error
	// Close frees everything that the device holds. The device cannot be used afterwards.
	Close() error
}
