package mem

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// Holding charges an account for memory on the Go heap that only the garbage collector releases,
// such as the columns of tables, which snapshots share. The owner of the memory refers to the
// Holding; once the collector finds it unreachable, the charge is released. A nil Holding counts
// nothing. Safe for concurrent use.
type Holding struct{ charge *charge }

// charge outlives its Holding: the cleanup releases it.
type charge struct {
	account *Account
	bytes   atomic.Int64
}

// holdings are the charges of an account whose Holdings have not been freed.
type holdings struct {
	mu  sync.Mutex
	all map[*charge]weak.Pointer[Holding]
	sum atomic.Int64 // see Held
}

func (s *holdings) add(c *charge, h *Holding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[*charge]weak.Pointer[Holding])
	}
	s.all[c] = weak.Make(h)
}

// end releases a charge for good.
func (c *charge) end() {
	s := &c.account.holdings
	s.mu.Lock()
	delete(s.all, c)
	s.mu.Unlock()
	c.free()
}

func (c *charge) free() { c.account.Release(c.bytes.Swap(0)) }

// grow notes n bytes that the account has been charged for.
func (c *charge) grow(n int64) {
	c.bytes.Add(n)
	if n > 0 {
		c.account.holdings.sum.Add(n)
	}
}

// Hold reserves n bytes and returns the Holding that keeps them reserved. The error is the
// account's refusal; a nil account counts nothing and returns nil.
func (a *Account) Hold(n int64) (*Holding, error) {
	if a == nil {
		return nil, nil
	}
	if err := a.Reserve(n); err != nil {
		return nil, err
	}
	return a.holding(n), nil
}

// HoldAnyway is Hold for memory that can no longer be refused: it may exceed the limits, so that
// later reservations are refused.
func (a *Account) HoldAnyway(n int64) *Holding {
	if a == nil {
		return nil
	}
	a.force(n)
	return a.holding(n)
}

func (a *Account) holding(n int64) *Holding {
	c := &charge{account: a}
	h := &Holding{c}
	a.holdings.add(c, h)
	runtime.AddCleanup(h, (*charge).end, c)
	c.grow(n)
	return h
}

// Grow reserves n more bytes, or releases some if n is negative. On an error nothing changes.
func (h *Holding) Grow(n int64) error {
	if h == nil {
		return nil
	}
	if err := h.charge.account.Reserve(n); err != nil {
		return err
	}
	h.charge.grow(n)
	return nil
}

// GrowAnyway is Grow for memory that can no longer be refused.
func (h *Holding) GrowAnyway(n int64) {
	if h == nil {
		return
	}
	h.charge.account.force(n)
	h.charge.grow(n)
}

// Free releases the charge before the collector does. It may be called more than once.
func (h *Holding) Free() {
	if h != nil {
		h.charge.free()
	}
}

// force takes n bytes regardless of the limits.
func (a *Account) force(n int64) {
	for x := a; x != nil; x = x.parent {
		x.used.Add(n)
		x.raisePeak(x.Used())
	}
	a.Pace(n)
}

// Held returns the bytes that all Holdings of a have ever been charged for.
func (a *Account) Held() int64 {
	if a == nil {
		return 0
	}
	return a.holdings.sum.Load()
}

// Collect runs the garbage collector and releases the charges of unreachable Holdings. Without it,
// both happen at some later time.
func (a *Account) Collect() {
	runtime.GC()
	a.holdings.mu.Lock()
	defer a.holdings.mu.Unlock()
	for c, h := range a.holdings.all {
		if h.Value() == nil {
			c.free()
			delete(a.holdings.all, c)
		}
	}
}
