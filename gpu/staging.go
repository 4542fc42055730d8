package gpu

import (
	"context"
	"errors"
	"sync"
)

// StagingPool keeps pinned host buffers of one size for reuse, because pinning 1 GiB
// takes tens to hundreds of milliseconds. Safe for concurrent use.
type StagingPool struct {
	dev    Device
	bytes  int64
	idle   chan []byte   // returned buffers; room for all
	tokens chan struct{} // one for each buffer that may still be pinned
	mu     sync.Mutex
	all    [][]byte // every pinned buffer
}

// NewStagingPool makes a pool of at most count buffers of the given bytes; each is
// pinned when it is first needed.
func NewStagingPool(dev Device, bytes int64, count int) *StagingPool {
	p := &StagingPool{dev: dev, bytes: bytes, idle: make(chan []byte, count), tokens: make(chan struct{}, count)}
	for range count {
		p.tokens <- struct{}{}
	}
	return p
}

// Get gives a buffer that nobody else holds, its contents undefined: a returned one where
// there is one, else a new one, else it waits until one is returned or ctx ends.
func (p *StagingPool) Get(ctx context.Context) ([]byte, error) {
	select {
	case b := <-p.idle:
		return b, nil
	default:
	}
	select {
	case b := <-p.idle:
		return b, nil
	case <-p.tokens:
		return p.pin()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *StagingPool) pin() ([]byte, error) {
	b, err := p.dev.AllocHost(p.bytes)
	if err != nil {
		p.tokens <- struct{}{}
		return nil, err
	}
	p.mu.Lock()
	p.all = append(p.all, b)
	p.mu.Unlock()
	return b, nil
}

// Put returns a buffer of Get. All copies with it have ended.
func (p *StagingPool) Put(b []byte) { p.idle <- b }

// Pinned is how many bytes of host memory the pool holds.
func (p *StagingPool) Pinned() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(len(p.all)) * p.bytes
}

// Close unpins the buffers. None may be in use.
func (p *StagingPool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, b := range p.all {
		errs = append(errs, p.dev.FreeHost(b))
	}
	p.all = nil
	return errors.Join(errs...)
}
