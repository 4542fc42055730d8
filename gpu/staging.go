package gpu

import (
	"context"
	"errors"
	"sync"
)

// Staging is a pinned host buffer of a pool, held exclusively.
type Staging struct {
	Bytes  []byte
	copied Event
	behind bool // copies that precede copied may still use Bytes
}

// Copied returns the event that the last Behind recorded. Streams may wait for it while the buffer is held.
func (s *Staging) Copied() Event { return s.copied }

// StagingPool keeps pinned host buffers of one size for reuse, because pinning 1 GiB takes tens to
// hundreds of milliseconds. Safe for concurrent use.
type StagingPool struct {
	dev    Device
	bytes  int64
	idle   chan *Staging // returned buffers, the longest returned first; has capacity for all
	tokens chan struct{} // one for each buffer that may still be pinned
	mu     sync.Mutex
	all    []*Staging // every pinned buffer
}

// NewStagingPool returns a pool of at most count buffers of the given bytes; each is pinned when it
// is first required.
func NewStagingPool(dev Device, bytes int64, count int) *StagingPool {
	p := &StagingPool{dev: dev, bytes: bytes, idle: make(chan *Staging, count), tokens: make(chan struct{}, count)}
	for range count {
		p.tokens <- struct{}{}
	}
	return p
}

// Size returns the size of each buffer in bytes.
func (p *StagingPool) Size() int64 { return p.bytes }

// Get returns a buffer that has no other holder and no copy in progress, with undefined contents: a
// returned one that is free, or else a new one, or else it waits until there is one or ctx ends.
func (p *StagingPool) Get(ctx context.Context) (*Staging, error) {
	if s, err := p.Idle(); s != nil || err != nil {
		return s, err
	}
	select {
	case s := <-p.idle:
		return p.settled(s)
	case <-p.tokens:
		return p.pin()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Idle is Get, except that it returns nil if all buffers have holders. It may wait for a copy, but for no holder.
func (p *StagingPool) Idle() (*Staging, error) {
	select {
	case s := <-p.idle:
		if !s.behind {
			return s, nil
		}
		select {
		case <-p.tokens:
			p.idle <- s
			return p.pin()
		default:
			return p.settled(s)
		}
	default:
	}
	select {
	case <-p.tokens:
		return p.pin()
	default:
		return nil, nil
	}
}

// settled returns s once no copy uses it. If that fails, s stays in the pool.
func (p *StagingPool) settled(s *Staging) (*Staging, error) {
	if err := p.Await(s); err != nil {
		p.idle <- s
		return nil, err
	}
	return s, nil
}

func (p *StagingPool) pin() (*Staging, error) {
	s := &Staging{}
	var err error
	if s.Bytes, err = p.dev.AllocHost(p.bytes); err == nil {
		if s.copied, err = p.dev.NewEvent(); err != nil {
			err = errors.Join(err, p.dev.FreeHost(s.Bytes))
		}
	}
	if err != nil {
		p.tokens <- struct{}{}
		return nil, err
	}
	p.mu.Lock()
	p.all = append(p.all, s)
	p.mu.Unlock()
	return s, nil
}

// Behind records that work queued on a stream still uses s, until Await.
func (p *StagingPool) Behind(s *Staging, on Stream) error {
	s.behind = true
	return p.dev.Record(s.copied, on)
}

// Await waits for the copies recorded by the last Behind of s, and returns their error.
func (p *StagingPool) Await(s *Staging) error {
	if !s.behind {
		return nil
	}
	s.behind = false
	return p.dev.Await(s.copied)
}

// Put returns a buffer of Get to the pool. Copies that still use it must have been recorded by
// Behind.
func (p *StagingPool) Put(s *Staging) { p.idle <- s }

// Settled records that all copies with returned buffers have ended, or failed.
func (p *StagingPool) Settled() {
	for range len(p.idle) {
		s := <-p.idle
		s.behind = false
		p.idle <- s
	}
}

// Pinned returns how many bytes of host memory the pool holds.
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
	for _, s := range p.all {
		errs = append(errs, p.dev.FreeEvent(s.copied), p.dev.FreeHost(s.Bytes))
	}
	p.all = nil
	return errors.Join(errs...)
}
