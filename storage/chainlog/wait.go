package chainlog

import "sync"

// waiter is a caller that waits until the log up to a position is written or, if durable, synced.
type waiter struct {
	at      Pos
	durable bool
	woken   chan bool // gets true once that is so, and false if the caller must look itself
}

var waiters = sync.Pool{New: func() any { return &waiter{woken: make(chan bool, 1)} }}

// wait waits until another caller has reached p, which it reports, or the next turn is this caller's. l.mu is held,
// and released when wait returns: most callers have nothing more to do then, and all that shared a sync would wait
// for each other to lock it once more.
func (l *Log) wait(p Pos, durable bool) (reached bool) {
	w := waiters.Get().(*waiter)
	w.at, w.durable = p, durable
	l.waits = append(l.waits, w)
	l.mu.Unlock()
	reached = <-w.woken
	waiters.Put(w)
	return reached
}

// wake ends the waiting of those whose position is reached, or never will be. l.mu is held.
func (l *Log) wake() {
	kept := l.waits[:0]
	for _, w := range l.waits {
		switch {
		case l.durable >= w.at:
			w.woken <- true
		case l.err != nil:
			w.woken <- false
		case !w.durable && l.written >= w.at:
			w.woken <- true
		default:
			kept = append(kept, w)
		}
	}
	clear(l.waits[len(kept):])
	l.waits = kept
	l.progress.Broadcast()
}

// pass gives the next turn to one of those that wait, unless another caller still has it. Whoever has written or
// synced, or was woken to do so, must call it before it goes. l.mu is held.
func (l *Log) pass() {
	if l.writing {
		return
	}
	for i, w := range l.waits {
		if w.durable && l.syncing {
			continue
		}
		copy(l.waits[i:], l.waits[i+1:])
		l.waits[len(l.waits)-1] = nil
		l.waits = l.waits[:len(l.waits)-1]
		w.woken <- false
		return
	}
}
