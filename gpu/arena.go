package gpu

import (
	"errors"

	"gsql/sql/sqlerr"
)

// Alignment is the alignment in bytes of every allocation of an arena. It suits the widest loads
// and keeps neighbours in separate cache lines.
const Alignment = 256

// Arena divides one device allocation from both ends without calling the driver. The low end works
// like a stack: everything allocated after a mark is released together. The high end holds kept
// parts, each of which is released individually. Only one goroutine at a time may use an Arena.
type Arena struct {
	dev   Device
	base  Ptr
	size  int64
	used  int64 // by the stack
	peak  int64
	parts []part // the stack's
	kept  []kept // by place
}

// part is one live allocation, of bytes rounded up to Alignment.
type part struct {
	operator string
	bytes    int64
}

// Mark is a height of an arena's stack.
type Mark struct {
	parts int
	used  int64
}

// DefaultLimit returns the default gsql_gpu_memory_limit of a device with the given free bytes:
// four fifths, because the driver, modules and other programs need some.
func DefaultLimit(free int64) int64 { return free / 5 * 4 }

// NewArena allocates bytes of dev's memory. The error is 1037 if the device has less.
func NewArena(dev Device, bytes int64) (*Arena, error) {
	if bytes <= 0 {
		return nil, sqlerr.Internal("device arena of %d bytes", bytes)
	}
	base, err := dev.Alloc(bytes)
	if errors.Is(err, ErrOutOfMemory) {
		return nil, outOfMemory(dev.Name(), "arena", bytes, 0, bytes)
	}
	if err != nil {
		return nil, err
	}
	return &Arena{dev: dev, base: base, size: bytes}, nil
}

// Alloc returns bytes of device memory with undefined contents, charged to operator. If the arena
// has too little left, nothing is taken and the error is 1037. Allocations of 0 bytes have an
// address that must not be read.
func (a *Arena) Alloc(operator string, bytes int64) (Ptr, error) {
	if bytes < 0 {
		return 0, sqlerr.Internal("device allocation of %d bytes by %s", bytes, operator)
	}
	if bytes > a.floor()-a.used {
		return 0, outOfMemory(a.dev.Name(), operator, bytes, a.Used(), a.size)
	}
	p := a.base + Ptr(a.used)
	taken := min((bytes+Alignment-1)/Alignment*Alignment, a.floor()-a.used)
	a.parts = append(a.parts, part{operator, taken})
	a.used += taken
	a.peak = max(a.peak, a.Used())
	return p, nil
}

// Mark returns the current height, for Release.
func (a *Arena) Mark() Mark { return Mark{len(a.parts), a.used} }

// Release releases everything allocated since m. The caller must have synchronised the streams that
// still use it. A mark above the current height is a bug: error 1815.
func (a *Arena) Release(m Mark) error {
	if m.parts > len(a.parts) || m.used > a.used {
		return sqlerr.Internal("device arena released to %d bytes with %d in use", m.used, a.used)
	}
	a.parts = a.parts[:m.parts]
	a.used = m.used
	return nil
}

// Size returns the arena's size in bytes.
func (a *Arena) Size() int64 { return a.size }

// Used returns the bytes currently allocated at both ends, each allocation rounded up to Alignment.
func (a *Arena) Used() int64 { return a.used + a.Kept() }

// Peak returns the most bytes that were allocated at once.
func (a *Arena) Peak() int64 { return a.peak }

// UsedBy returns the bytes that each operator holds now.
func (a *Arena) UsedBy() map[string]int64 {
	held := make(map[string]int64)
	for _, p := range a.parts {
		held[p.operator] += p.bytes
	}
	for _, k := range a.kept {
		held[k.operator] += k.bytes
	}
	return held
}

// Close frees the device allocation. The arena has no memory afterwards.
func (a *Arena) Close() error {
	if a.base == 0 {
		return nil
	}
	err := a.dev.Free(a.base)
	*a = Arena{dev: a.dev}
	return err
}
