package mem

import (
	"fmt"
	"math"
	"sync/atomic"

	"gsql/sql/sqlerr"
)

// Account counts the bytes held by an operator, a query or the database. Children charge their
// parents too. Safe for concurrent use.
type Account struct {
	name   string
	parent *Account
	payer  *Account     // see Prepaid
	limit  atomic.Int64 // bytes, 0 for none
	yields bool         // see Yielding
	used   atomic.Int64 // including the shares of children
	peak   atomic.Int64
	pool   *Pool        // that own is a share of; may be nil
	own    atomic.Int64 // share of the pool: bytes that the parent has counted, used or not
	aside  atomic.Int64 // part of used: unused bytes of the shares of children

	relieve  atomic.Pointer[func()] // see OnFull
	stopped  func() error           // see StopWhen; may be nil
	holdings holdings
	paced    atomic.Int64 // bytes passed to Pace
}

// unlimited is the number of bytes left if no limit applies.
const unlimited = math.MaxInt64

// NewRoot returns an account without a parent. It refuses reservations that would exceed limit
// bytes; limit 0 means no limit.
func NewRoot(name string, limit int64) *Account {
	return (&Account{name: name}).Limit(limit)
}

// Child returns an account below a with its own name and no limit of its own.
func (a *Account) Child(name string) *Account {
	return &Account{name: name, parent: a, yields: a.yields}
}

// Prepaid returns an account of at most limit bytes (0 for any number) whose memory is reserved on
// a already, so that it charges no other account. Memory freed through it is recycled under a's
// limits.
func (a *Account) Prepaid(name string, limit int64) *Account {
	return (&Account{name: name, payer: a}).Limit(limit)
}

// yieldedPart is the fraction of a limit, one in this many, that yielding accounts leave to others.
const yieldedPart = 16

// Yielding makes a leave part of each limit to accounts that do not yield, and returns a. It is for
// operators that can spill, so that those that cannot still get some memory.
func (a *Account) Yielding() *Account {
	a.yields = true
	return a
}

// within returns the part of a limit that a may use.
func (a *Account) within(limit int64) int64 {
	if a.yields {
		limit -= limit / yieldedPart
	}
	return limit
}

// Limited returns an account below a that also refuses to exceed limit bytes itself; limit 0 means
// that only the limits above apply.
func (a *Account) Limited(name string, limit int64) *Account {
	return (&Account{name: name, parent: a}).Limit(limit)
}

// Limit sets or replaces a's own limit and returns a.
func (a *Account) Limit(limit int64) *Account {
	a.limit.Store(limit)
	return a
}

// Lift removes a's own limit and reports whether there was one.
func (a *Account) Lift() bool { return a != nil && a.limit.Swap(0) > 0 }

// Reserve takes n bytes. If an account on the way up would exceed its limit, nothing is taken and
// the error is 1037, naming the account that asked, the bytes and the setting to change. A statement
// that was cancelled gets the error of StopWhen instead.
func (a *Account) Reserve(n int64) error {
	if a == nil { // not accounted for
		return nil
	}
	return a.ReserveFor(a.name, n)
}

// OnFull adds a function that is called before a's own limit refuses a reservation, which is then
// tried once more. Functions added later are called first. relieve may be called by any goroutine,
// by several at a time, and while they hold locks: it must not wait for any of them. OnFull must
// not be called while a is in use.
func (a *Account) OnFull(relieve func()) {
	both := relieve
	if before := a.relieve.Load(); before != nil {
		both = func() { relieve(); (*before)() }
	}
	a.relieve.Store(&both)
}

// StopWhen makes a and the accounts below refuse all reservations with the error that stopped returns,
// once it returns one, and returns a. StopWhen must not be called while a is in use.
func (a *Account) StopWhen(stopped func() error) *Account {
	a.stopped = stopped
	return a
}

// Stopped returns the error with which all reservations of a are refused, or nil.
func (a *Account) Stopped() error {
	for x := a; x != nil; x = x.parent {
		if x.stopped != nil {
			return x.stopped()
		}
	}
	return nil
}

// ReserveFor is Reserve with another name in the error, for a caller without an account of its own.
func (a *Account) ReserveFor(name string, n int64) error {
	if a == nil {
		return nil
	}
	if n > 0 {
		if err := a.Stopped(); err != nil {
			return err
		}
	}
	full := a.take(n)
	if full != nil {
		if relieve := full.relieve.Load(); relieve != nil {
			(*relieve)()
			full = a.take(n)
		}
	}
	if full != nil {
		return refuse(name, n, full)
	}
	for x := a; x != nil; x = x.parent {
		x.raisePeak(x.Used())
	}
	a.Pace(n)
	return nil
}

// take adds n bytes to a and the accounts above it, or nothing where one of them would pass its
// limit, which it returns.
func (a *Account) take(n int64) (full *Account) {
	f := flow{taken: n}
	for x := a; x != nil; x = x.parent {
		used, above := x.count(f)
		if limit := x.limit.Load(); limit > 0 && f.taken > 0 && used > a.within(limit) {
			a.undo(n, x, above)
			return x
		}
		f = above
	}
	return nil
}

// flow is what an account reports to its parent: the bytes taken, and how many of the bytes set
// aside are now in use.
type flow struct{ taken, fromAside int64 }

// count records the flow of a child and returns what the parent of x has to record: only what
// exceeds x's own share, which the parent has counted already.
func (x *Account) count(f flow) (used int64, above flow) {
	if f.fromAside != 0 {
		x.aside.Add(-f.fromAside)
	}
	used = x.used.Add(f.taken)
	own := x.own.Load()
	n := max(used, own) - max(used-f.taken, own)
	return used, flow{n, f.fromAside + f.taken - n}
}

// undo releases n bytes up to the account at, which refused them; at and the accounts above would
// have recorded more. Concurrent reservations and releases may have moved the boundary between the
// share and what exceeds it.
func (a *Account) undo(n int64, at *Account, more flow) {
	f := flow{taken: -n}
	for x := a; ; x = x.parent {
		_, f = x.count(f)
		if x == at {
			break
		}
	}
	f.taken, f.fromAside = f.taken+more.taken, f.fromAside+more.fromAside
	for x := at.parent; x != nil && f != (flow{}); x = x.parent {
		_, f = x.count(f)
	}
}

func refuse(name string, n int64, at *Account) error {
	setting, hint := "gsql_memory_limit", "Raise it with SET gsql_memory_limit = '4GB', or make the query keep fewer rows or columns."
	switch {
	case at.payer != nil:
		setting = "a share of"
	case at.parent == nil:
		setting, hint = "memory_limit", "All tables and statements of the database share it: drop tables, or open the database with a higher memory_limit."
	}
	return sqlerr.New(sqlerr.OutOfMemory, "Out of memory; %s needs %s more, %s of %s %s are in use",
		name, Size(n), Size(at.used.Load()), setting, Size(at.limit.Load())).WithHint("%s", hint)
}

func (a *Account) raisePeak(used int64) {
	for p := a.peak.Load(); used > p && !a.peak.CompareAndSwap(p, used); p = a.peak.Load() {
	}
}

// Release returns n bytes to the accounts above.
func (a *Account) Release(n int64) {
	f := flow{taken: -n}
	for x := a; x != nil; x = x.parent {
		var left int64
		if left, f = x.count(f); left < 0 && poisoning.Load() {
			panic(fmt.Sprintf("%s gives back %d bytes more than it took", x.name, -left))
		}
	}
}

// ReleaseAll releases all bytes still held through this account.
func (a *Account) ReleaseAll() { a.Release(a.used.Load()) }

// End releases all bytes of an account that is no longer used, and returns its share to the pool.
// It may be called on nil and more than once.
func (a *Account) End() {
	if a == nil {
		return
	}
	a.ReleaseAll()
	if a.pool != nil {
		a.pool.takeBack(a)
		a.pool = nil
	}
}

// Used returns the bytes held now.
func (a *Account) Used() int64 { return a.used.Load() - a.aside.Load() }

// Peak returns the most bytes held at once.
func (a *Account) Peak() int64 { return a.peak.Load() }

// Left returns the bytes that the limits still allow to be reserved; math.MaxInt64 without a limit.
func (a *Account) Left() int64 {
	left, own := int64(unlimited), int64(0)
	for x := a; x != nil; x = x.parent {
		used := x.used.Load()
		if limit := x.limit.Load(); limit > 0 {
			left = min(left, max(a.within(limit)-used, 0)+own)
		}
		own += max(x.own.Load()-used, 0)
	}
	return left
}

// IsLimited reports whether a limit applies to a.
func (a *Account) IsLimited() bool { return a.Left() < unlimited }

// Crowds reports whether the memory left to others, such as the operators that a's operator reads
// from, is less than a third of what a uses itself.
func (a *Account) Crowds() bool {
	left := a.Left()
	return left < unlimited && left < a.Used()/3
}

// Size formats a number of bytes for people: "512 B", "1.5 GB" (powers of 1024).
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 4 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %s", f, [...]string{"B", "KB", "MB", "GB", "TB"}[unit])
}
