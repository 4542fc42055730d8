package database

import (
	"context"
	"strings"
	"sync"
	"time"
)

// NamedLocks are locks that sessions hold by name, ignoring case, until they release them or end. A
// session may take a lock several times. The zero value holds none. Safe for concurrent use.
type NamedLocks struct {
	mu   sync.Mutex
	held map[string]*namedLock // by lower-case name
}

type namedLock struct {
	owner uint64 // session
	times int64  // taken and not released
	freed chan struct{}
}

// Await takes a lock for a session as soon as it is free. taken is false if late fires first; a nil
// late never does. The error is that of ctx.
func (l *NamedLocks) Await(ctx context.Context, name string, owner uint64, late <-chan time.Time) (taken bool, err error) {
	for {
		freed := l.take(strings.ToLower(name), owner)
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

// take takes a lock and returns nil, or returns a channel that is closed when the lock becomes
// free.
func (l *NamedLocks) take(name string, owner uint64) (freed <-chan struct{}) {
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

// Release releases a lock once. own is false if the session does not hold it, held if no session
// does.
func (l *NamedLocks) Release(name string, owner uint64) (own, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name = strings.ToLower(name)
	lock := l.held[name]
	if lock == nil || lock.owner != owner {
		return false, lock != nil
	}
	if lock.times--; lock.times == 0 {
		delete(l.held, name)
		close(lock.freed)
	}
	return true, true
}

// Holder returns the session that holds a lock.
func (l *NamedLocks) Holder(name string) (owner uint64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock := l.held[strings.ToLower(name)]; lock != nil {
		return lock.owner, true
	}
	return 0, false
}

// ReleaseAll releases all locks of a session and returns how often they were taken.
func (l *NamedLocks) ReleaseAll(owner uint64) (times int64) {
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

// ReleaseLocks releases the locks that a session holds through GET_LOCK and LOCK TABLES.
func (db *DB) ReleaseLocks(session uint64) {
	db.Locks.ReleaseAll(session)
	db.TableLocks.ReleaseAll(session)
}
