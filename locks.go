package gsql

import (
	"context"
	"strings"
	"sync"
	"time"
)

// namedLocks are the locks of GET_LOCK, or those of LOCK TABLES, which sessions hold until
// they let go or end.
type namedLocks struct {
	mu   sync.Mutex
	held map[string]*namedLock // by name in lower case
}

type namedLock struct {
	owner uint64 // session
	times int64  // taken
	freed chan struct{}
}

// GetLock implements eval.Locks.
func (s *Session) GetLock(ctx context.Context, name string, wait time.Duration) (bool, error) {
	var late <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	return s.db.locks.await(ctx, strings.ToLower(name), s.id, late)
}

// await takes a lock as soon as it is free; late tells when to give up.
func (l *namedLocks) await(ctx context.Context, name string, owner uint64, late <-chan time.Time) (bool, error) {
	for {
		freed := l.take(name, owner)
		if freed == nil {
			return true, nil
		}
		select {
		case <-freed:
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// take takes a lock, or gives what tells when it is free.
func (l *namedLocks) take(name string, owner uint64) (freed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.held[name]
	switch {
	case lock == nil:
		if l.held == nil {
			l.held = map[string]*namedLock{}
		}
		l.held[name] = &namedLock{owner: owner, times: 1, freed: make(chan struct{})}
	case lock.owner == owner:
		lock.times++
	default:
		return lock.freed
	}
	return nil
}

// ReleaseLock implements eval.Locks.
func (s *Session) ReleaseLock(name string) (own, held bool) {
	l := &s.db.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	name = strings.ToLower(name)
	lock := l.held[name]
	if lock == nil || lock.owner != s.id {
		return false, lock != nil
	}
	if lock.times--; lock.times == 0 {
		delete(l.held, name)
		close(lock.freed)
	}
	return true, true
}

// LockHolder implements eval.Locks.
func (s *Session) LockHolder(name string) (session uint64, held bool) {
	l := &s.db.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock := l.held[strings.ToLower(name)]; lock != nil {
		return lock.owner, true
	}
	return 0, false
}

// ReleaseLocks implements eval.Locks.
func (s *Session) ReleaseLocks() (times int64) { return s.db.locks.releaseAll(s.id) }

func (l *namedLocks) releaseAll(owner uint64) (times int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, lock := range l.held {
		if lock.owner == owner {
			times += lock.times
			delete(l.held, name)
			close(lock.freed)
		}
	}
	return times
}
