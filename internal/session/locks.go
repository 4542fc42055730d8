package session

import (
	"context"
	"time"

	"gsql/internal/database"
)

// locks are the locks of GET_LOCK as one session sees them. It implements eval.Locks.
type locks struct {
	named   *database.NamedLocks
	session uint64
}

// GetLock implements eval.Locks.
func (l locks) GetLock(ctx context.Context, name string, wait time.Duration) (bool, error) {
	var late <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	return l.named.Await(ctx, name, l.session, late)
}

// ReleaseLock implements eval.Locks.
func (l locks) ReleaseLock(name string) (own, held bool) { return l.named.Release(name, l.session) }

// LockHolder implements eval.Locks.
func (l locks) LockHolder(name string) (session uint64, held bool) { return l.named.Holder(name) }

// ReleaseLocks implements eval.Locks.
func (l locks) ReleaseLocks() (times int64) { return l.named.ReleaseAll(l.session) }
