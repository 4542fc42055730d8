// Package mem accounts for the memory of queries: a tree of accounts whose root
// holds the limit, and buffers off the Go heap for what is large.
package mem

import (
	"fmt"
	"math"
	"sync/atomic"

	"gsql/sql/sqlerr"
)

// Account counts the bytes an operator (or a query, or the database) holds. Children
// charge their parents too. Safe for concurrent use.
type Account struct {
	name   string
	parent *Account
	limit  atomic.Int64 // bytes, 0 for none
	yields bool         // see Yielding
	used   atomic.Int64
	peak   atomic.Int64
}

// NewRoot makes an account without a parent that refuses to go over limit bytes;
// limit 0 means no limit.
func NewRoot(name string, limit int64) *Account {
	return (&Account{name: name}).Limit(limit)
}

// Child makes an account below a with its own name and no limit of its own.
func (a *Account) Child(name string) *Account {
	return &Account{name: name, parent: a, yields: a.yields}
}

// yieldedPart is the part of a limit that yielding accounts leave to others.
const yieldedPart = 16

// Yielding makes a leave a part of each limit to accounts that do not yield, and gives a: it is
// for operators that go on with little memory, beside which others need some to go on at all.
func (a *Account) Yielding() *Account {
	a.yields = true
	return a
}

// within gives how much of a limit is within a's reach.
func (a *Account) within(limit int64) int64 {
	if a.yields {
		limit -= limit / yieldedPart
	}
	return limit
}

// Limited makes an account below a that also refuses to go over limit bytes itself;
// limit 0 means only the limits above count.
func (a *Account) Limited(name string, limit int64) *Account {
	return (&Account{name: name, parent: a}).Limit(limit)
}

// Limit sets a's own limit, in place of one that it may have, and gives a.
func (a *Account) Limit(limit int64) *Account {
	a.limit.Store(limit)
	return a
}

// Lift takes a's own limit away and tells whether there was one.
func (a *Account) Lift() bool { return a != nil && a.limit.Swap(0) > 0 }

// Reserve takes n bytes. When an account on the way up would pass its limit nothing
// is taken and the error is 1037 naming the account that asked, the bytes and the
// setting to change.
func (a *Account) Reserve(n int64) error {
	if a == nil { // nobody counts
		return nil
	}
	return a.ReserveFor(a.name, n)
}

// ReserveFor is Reserve whose error names somebody who has no account of his own.
func (a *Account) ReserveFor(name string, n int64) error {
	for x := a; x != nil; x = x.parent {
		used := x.used.Add(n)
		if limit := x.limit.Load(); limit > 0 && used > a.within(limit) && n > 0 {
			for y := a; ; y = y.parent {
				y.used.Add(-n)
				if y == x {
					break
				}
			}
			return refuse(name, n, x)
		}
	}
	for x := a; x != nil; x = x.parent {
		x.raisePeak(x.used.Load())
	}
	return nil
}

func refuse(name string, n int64, at *Account) error {
	return sqlerr.New(sqlerr.OutOfMemory,
		"Out of memory; %s needs %s more, %s of gsql_memory_limit %s are in use",
		name, Size(n), Size(at.used.Load()), Size(at.limit.Load())).
		WithHint("Raise it with SET gsql_memory_limit = '4GB', or make the query keep fewer rows or columns.")
}

func (a *Account) raisePeak(used int64) {
	for p := a.peak.Load(); used > p && !a.peak.CompareAndSwap(p, used); p = a.peak.Load() {
	}
}

// Release gives n bytes back.
func (a *Account) Release(n int64) {
	for x := a; x != nil; x = x.parent {
		if left := x.used.Add(-n); left < 0 && poisoning.Load() {
			panic(fmt.Sprintf("%s gives back %d bytes more than it took", x.name, -left))
		}
	}
}

// ReleaseAll gives back all that is still held through this account.
func (a *Account) ReleaseAll() { a.Release(a.used.Load()) }

// Used gives the bytes held now, Peak the most held at once.
func (a *Account) Used() int64 { return a.used.Load() }

// Peak gives the most bytes held at once.
func (a *Account) Peak() int64 { return a.peak.Load() }

// Left gives the bytes that may still be reserved, as far as limits say; without any it is
// math.MaxInt64.
func (a *Account) Left() int64 {
	left := int64(math.MaxInt64)
	for x := a; x != nil; x = x.parent {
		if limit := x.limit.Load(); limit > 0 {
			left = min(left, max(a.within(limit)-x.used.Load(), 0))
		}
	}
	return left
}

// Crowds tells whether a leaves others, such as the operators that it reads from and that have
// yet to complete what they put on disk, less than a third of what it takes itself.
func (a *Account) Crowds() bool {
	left := a.Left()
	return left < math.MaxInt64 && left < a.Used()/3
}

// Size spells a number of bytes for people: "512 B", "1.5 GB" (powers of 1024).
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
