package mem

import "sync"

// Pool is memory that a query sets aside for its operators before any of them runs, so that each
// can make progress no matter how much the others hold. An operator that can spill makes progress
// within its share; memory beyond the shares goes to whichever operator asks first.
type Pool struct {
	below *Account // the account of the query
	share int64
	mu    sync.Mutex
	left  int64
}

// NewPool sets aside half of what a has left as shares of at most most bytes for operators that run
// at the same time. It returns nil if no limit applies or no operator holds rows.
func NewPool(a *Account, operators int, most int64) *Pool {
	if a.Left() == unlimited || operators == 0 {
		return nil
	}
	return newPool(a, min(most, a.Left()/int64(2*operators)), operators)
}

// SetAside reserves n bytes for later use by a, if they are free. Closing the pool releases them.
func (a *Account) SetAside(n int64) *Pool { return newPool(a, n, 1) }

// Divide divides a's own share, none of which a has used, into equal parts for streams that run at
// the same time. It returns nil if a has no share.
func (a *Account) Divide(parts int) *Pool {
	share := a.Own() / int64(parts)
	if share == 0 {
		return nil
	}
	return newPool(a, share, parts)
}

func newPool(a *Account, share int64, parts int) *Pool {
	p := &Pool{below: a, share: share, left: share * int64(parts)}
	a.setAside(nil, p.left) // first, so that it does not seem to be in use
	if a.Reserve(p.left) != nil {
		a.setAside(nil, -p.left)
		p.left = 0
	}
	return p
}

// Own returns the size of a's share in bytes, used or not.
func (a *Account) Own() int64 { return a.own.Load() }

// OwnAbove returns the size in bytes of the share of a or of the nearest account above that has one.
func (a *Account) OwnAbove() int64 {
	for x := a; x != nil; x = x.parent {
		if own := x.Own(); own > 0 {
			return own
		}
	}
	return 0
}

// Child makes an account below a, which is the pool's account or one below that, with a share of
// the pool of its own. End returns the share. A nil Pool has no shares.
func (p *Pool) Child(a *Account, name string) *Account {
	c := a.Child(name)
	if p == nil {
		return c
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	own := min(p.share, p.left)
	p.left -= own
	c.pool = p
	c.own.Store(own)
	for x := a; x != p.below; x = x.parent {
		x.used.Add(own)
	}
	a.setAside(p.below, own)
	return c
}

// takeBack makes the share of a, which holds nothing any more, available to other operators.
func (p *Pool) takeBack(a *Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := a.own.Swap(0)
	p.left += own
	for x := a.parent; x != p.below; x = x.parent {
		x.used.Add(-own)
	}
	a.parent.setAside(p.below, -own)
}

// Close releases the memory that the pool has set aside and that no operator has a share of, and
// returns its size in bytes.
func (p *Pool) Close() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.left
	p.below.setAside(nil, -n)
	p.below.Release(n)
	p.left = 0
	return n
}

// setAside counts n more bytes as reserved but unused, in a and the accounts above it below upTo.
func (a *Account) setAside(upTo *Account, n int64) {
	for x := a; x != upTo; x = x.parent {
		x.aside.Add(n)
	}
}
